/** Whose word counts: the realm's own, the default realm's that it follows, or what is built in. */
export type Source = 'own' | 'default realm' | 'built-in';

export interface InForce<T> {
  readonly value: T;
  readonly from: Source;
}

/**
 * What is in force of something that a realm may have of its own. It counts whole: a realm that has its own follows nobody in any part of it, and one
 * whose own is removed follows again.
 *
 * @param own           the realm's; for the default realm its own is the default realm's
 * @param defaultRealms the default realm's
 * @see specification document 1, "Authentication policy"
 */
export function inForce<T>(own: T | undefined, defaultRealms: T | undefined, builtIn: T): InForce<T> {
  if (own !== undefined) return { value: own, from: 'own' };
  if (defaultRealms !== undefined) return { value: defaultRealms, from: 'default realm' };
  return { value: builtIn, from: 'built-in' };
}
