/** How people of a realm may sign in. Its entry is `cn=default,ou=authnPolicies` below the realm's suffix. */
export interface AuthnPolicy {
  /** Mechanisms that are accepted as a first factor, in lower case: `password`. */
  readonly firstFactors: readonly string[];
  /** Of whom a second factor is asked: of those who hold one, or of everybody. */
  readonly secondFactor: 'if-held' | 'always';
}

/** In force where neither the realm nor the default realm has an entry, and for what an entry does not say. */
export const builtInAuthnPolicy: AuthnPolicy = { firstFactors: ['password'], secondFactor: 'if-held' };

/**
 * The policy of an entry. A word that is none asks for the most: a mistyped policy never lets in whom it was made to keep out.
 *
 * @param values  the entry's values of an attribute, by its name in lower case
 * @see specification document 1, "Authentication policy"
 */
export function readAuthnPolicy(values: (attribute: string) => readonly string[]): AuthnPolicy {
  const firstFactors = values('stsfirstfactor').map((value) => value.toLowerCase());
  const [secondFactor] = values('stsrequiresecondfactor').map((value) => value.toLowerCase());
  return {
    firstFactors: firstFactors.length === 0 ? builtInAuthnPolicy.firstFactors : firstFactors,
    secondFactor: secondFactor === undefined ? builtInAuthnPolicy.secondFactor : secondFactor === 'if-held' ? 'if-held' : 'always',
  };
}
