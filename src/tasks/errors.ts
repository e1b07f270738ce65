import type { ErrorRow } from '#catalogue';

export const errors = {
  taskFile: row(9355, 'a file of a task that is not there, is there already, or is none', '{file}: {why}'),
  taskRealm: row(9356, 'a task about a realm that is not there', 'there is no realm {realm}'),
  taskFailed: row(9357, 'a task that ended otherwise than it was meant to', '{why}'),
} as const satisfies Record<string, ErrorRow>;

function row(number: number, means: string, says: string) {
  return { code: `STS-LDAP-${number}`, means, says, sees: { ldap: 80 }, state: 'live' } as const;
}
