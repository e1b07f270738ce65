import type { ExecutionContext } from 'ava';
import fc from 'fast-check';

/** Fails the test with the smallest counterexample, and else says how often the property held: as often as it was to be tried. */
export function holds<T>(t: ExecutionContext, property: fc.IProperty<T>, parameters: fc.Parameters<T> = {}): void {
  told(t, fc.check(property, parameters), parameters);
}

/** The same of one that takes its time. */
export async function holdsInTime<T>(
  t: ExecutionContext,
  property: fc.IAsyncProperty<T>,
  parameters: fc.Parameters<T> = {},
): Promise<void> {
  told(t, await fc.check(property, parameters), parameters);
}

const runsStanding = 100;

function told<T>(t: ExecutionContext, details: fc.RunDetails<T>, { numRuns = runsStanding }: fc.Parameters<T>): void {
  t.is(details.failed ? fc.defaultReportMessage(details) : `held ${details.numRuns} times`, `held ${numRuns} times`);
}
