import type { AuthnPolicy } from '#policy';

/** What a person has shown so far in this sign-in. */
export type Proof = 'password';

export type Next =
  | { readonly step: 'askPassword' }
  /** Nobody gets in this way here. `mechanism`: the policy does not accept it; `secondFactor`: one is required, and there is none to give yet. */
  | { readonly step: 'refuse'; readonly why: 'mechanism' | 'secondFactor' }
  /** The session may begin, recorded with these values (RFC 8176 for `amr`). */
  | { readonly step: 'done'; readonly amr: readonly string[]; readonly acr: string };

/**
 * The next step of a sign-in, from what was proven and the policy in force.
 *
 * @param isBuiltIn  the realm's built-in administrator, who is only ever offered a second factor
 * @see specification document 1, "Session", the table of `amr` and `acr` per way of signing in; "Requiring a second factor"
 */
export function decide(proven: readonly Proof[], policy: AuthnPolicy, isBuiltIn: boolean): Next {
  if (!policy.firstFactors.includes('password')) return { step: 'refuse', why: 'mechanism' };
  if (!proven.includes('password')) return { step: 'askPassword' };
  if (policy.secondFactor === 'always' && !isBuiltIn) return { step: 'refuse', why: 'secondFactor' };
  return { step: 'done', amr: ['pwd'], acr: '1' };
}
