/** A refusal of the directory: its number in `STS-LDAP`, the result code, what it is, and what the client reads. */
export function row(number: number, ldap: number, means: string, says: string) {
  return { code: `STS-LDAP-${number}`, means, says, sees: { ldap }, state: 'live' } as const;
}
