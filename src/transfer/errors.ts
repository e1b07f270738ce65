import type { ErrorRow } from '#catalogue';

export const errors = {
  transferRefused: {
    code: 'STS-LDAP-9350',
    means: 'a record of a file that is no entry of the realm it is for',
    says: 'line {line}, {dn}: {why}',
    sees: { ldap: 19 },
    state: 'live',
  },
  suffixUntold: {
    code: 'STS-LDAP-9850',
    means: 'a file of entries does not say below which suffix its names are',
    says: 'line {line}, {dn}: below which suffix the file’s names are cannot be told: let it begin with that entry',
    sees: { ldap: 19 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
