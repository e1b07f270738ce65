/** What of AVA's TAP reporter is used here. */
export interface Reporter {
  writeTest(event: { readonly err?: unknown }, flags: unknown): void;
  consumeStateChange(event: Readonly<Record<string, unknown>>): void;
}
type ReporterClass = new (options: Readonly<Record<string, unknown>>) => Reporter;

const { default: AvaReporter } = (await import(new URL('../../node_modules/ava/lib/reporters/tap.js', import.meta.url).href)) as {
  readonly default: ReporterClass;
};

/**
 * Lets AVA's TAP reporter tell of a time-out and of a process that exits. AVA 8.0.2 takes the errors that it makes of them for those of a test, which
 * carry the original, and breaks over them: the files that have not run yet would not run.
 *
 * @returns the class of AVA's own
 */
export function mendReporter(): ReporterClass {
  const { prototype } = AvaReporter as { readonly prototype: Reporter };
  const { writeTest } = prototype;
  prototype.writeTest = function (event, flags) {
    const { err } = event;
    const told = err instanceof Error ? { type: 'unknown', formattedError: err.message } : err;
    writeTest.call(this, { ...event, err: told }, flags);
  };
  return AvaReporter;
}
