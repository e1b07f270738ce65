/** Names and texts from outside, as a process is given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. The only place that reads it: everything else gets settings. */
export function processEnvironment(): Environment {
  return { ...process.env };
}
