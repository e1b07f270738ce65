import type { ErrorRow } from '#catalogue';
import { errors as attestation } from './attestation/errors.ts';
import { errors as email } from './email/errors.ts';
import { errors as webauthn } from './webauthn/errors.ts';

export const errors = {
  ...webauthn,
  ...attestation,
  ...email,
  factorNotWritten: {
    code: 'STS-AUTHN-9346',
    means: 'the directory did not write what a person changed of a second factor: {why}',
    says: 'The directory did not take this change. Nothing was changed. Try again, or ask whoever runs this service.',
    sees: { http: 403 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
