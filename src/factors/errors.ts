import type { ErrorRow } from '#catalogue';

export const errors = {
  factorNotWritten: {
    code: 'STS-AUTHN-9346',
    means: 'the directory did not write what a person changed of a second factor: {why}',
    says: 'The directory did not take this change. Nothing was changed. Try again, or ask whoever runs this service.',
    sees: { http: 403 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
