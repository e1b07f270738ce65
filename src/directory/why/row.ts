import type { ErrorRow } from '#catalogue';

/** One rule that a sign-in is judged by, and how it stands. */
export interface WhyRow {
  readonly rule: string;
  /** `says`: it neither lets in nor keeps out by itself. */
  readonly verdict: 'passes' | 'refuses' | 'says';
  readonly words: string;
  /** Of the refusal, as the audit trail would have it; empty otherwise. */
  readonly code: string;
  /** The entry or the setting to change. */
  readonly change: string;
}

export function passes(rule: string, words: string): WhyRow {
  return { rule, verdict: 'passes', words, code: '', change: '' };
}

/** @param change  what would make it otherwise */
export function says(rule: string, words: string, change = ''): WhyRow {
  return { rule, verdict: 'says', words, code: '', change };
}

export function refuses(rule: string, { code, means }: ErrorRow, change: string): WhyRow {
  return { rule, verdict: 'refuses', words: means, code, change };
}
