import type { ErrorRow } from '#catalogue';

export const errors = {
  transferRefused: {
    code: 'STS-LDAP-9350',
    means: 'a record of a file that is no entry of the realm it is for',
    says: 'line {line}, {dn}: {why}',
    sees: { ldap: 19 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
