/** What a person has shown so far in this sign-in. */
export type Proof = 'password';

export type Next =
  | { readonly step: 'askPassword' }
  /** The session may begin, recorded with these values (RFC 8176 for `amr`). */
  | { readonly step: 'done'; readonly amr: readonly string[]; readonly acr: string };

/**
 * The next step of a sign-in, from what was proven. A password alone is enough while nobody can hold a second factor.
 *
 * @see specification document 1, "Session", the table of `amr` and `acr` per way of signing in
 */
export function decide(proven: readonly Proof[]): Next {
  if (!proven.includes('password')) return { step: 'askPassword' };
  return { step: 'done', amr: ['pwd'], acr: '1' };
}
