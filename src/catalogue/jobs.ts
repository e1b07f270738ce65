/** One row of the job table: what runs by itself, how often, and what it reports. Its key in the table is the job's name. */
export interface JobRow {
  /** The name of the `integer` setting, in seconds, that says how often; 0 there switches the job off. */
  readonly everyS: string;
  /** Of `process` each web process beside the service has one of its own, too. */
  readonly scope: 'realm' | 'service' | 'process';
  readonly means: string;
}
