/**
 * One row of the operation table: something that an operator can have done. Its key in the table is the operation's name. The command line is the first
 * of its faces; help and dispatch read the same row.
 */
export interface OperationRow {
  readonly means: string;
  /** What stands behind the command's name: `FILTER [ATTRIBUTE…]`. */
  readonly takes: string;
  /** More about it, and examples, for `--help`. */
  readonly help: string;
}
