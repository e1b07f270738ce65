/** What a realm asks of passwords. Its entry is `cn=default,ou=passwordPolicies` below the realm's suffix. */
export interface PasswordPolicy {
  /** SCRAM mechanisms, in upper case, for which verifiers are written when a password is set. */
  readonly scramMechanisms: readonly string[];
}

/** In force where neither the realm nor the default realm has an entry. */
export const builtInPasswordPolicy: PasswordPolicy = { scramMechanisms: [] };

/**
 * The policy of an entry.
 *
 * @param values  the entry's values of an attribute, by its name in lower case
 */
export function readPasswordPolicy(values: (attribute: string) => readonly string[]): PasswordPolicy {
  return { scramMechanisms: [...new Set(values('stsscrammechanism').map((value) => value.toUpperCase()))] };
}
