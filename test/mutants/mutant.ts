import type { Patch } from '../torture/sabotage.ts';

/** A mistake that breaks one rule, and the test that must fail with it. */
export interface Mutant {
  readonly means: string;
  readonly patches: readonly [Patch];
  /** A test file below `test/`, and words of the title of the rule's test. */
  readonly caughtBy: readonly [file: string, title: string];
}

type Line = readonly [name: string, means: string, from: string, to: string, title: string];

/** Mistakes in one file that one test file must see. */
export function of(file: string, test: string, lines: readonly Line[]): readonly (readonly [string, Mutant])[] {
  return lines.map(([name, means, from, to, title]) => [name, { means, patches: [{ file, from, to }], caughtBy: [test, title] }]);
}
