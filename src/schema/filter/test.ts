import type { Entry } from '../entry.ts';

/** What of an entry a filter reads. */
export type Filtered = Pick<Entry, 'dn' | 'attributes'>;

/** A compiled filter: `undefined` where the assertion cannot be evaluated (RFC 4511 §4.5.1.7). */
export type Test = (entry: Filtered) => boolean | undefined;

/** The answer to whatever can never be evaluated. */
export const undefinedTest: Test = () => undefined;
