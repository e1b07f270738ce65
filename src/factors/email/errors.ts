import type { ErrorRow } from '#catalogue';
import { besideRefusals } from '#policy';

export const errors = {
  emailWrong: {
    code: 'STS-AUTHN-9390',
    means: 'an emailed code or link was wrong',
    sees: { http: 200 },
    state: 'live',
  },
  emailOver: {
    code: 'STS-AUTHN-9391',
    means: 'an emailed code or link was used before, replaced by a newer one, or too old',
    sees: { http: 200 },
    state: 'live',
  },
  emailEnded: {
    code: 'STS-AUTHN-9392',
    means: 'a step ended: as many wrong emailed codes came as the policy allows (stsEmailCodeAttempts)',
    sees: { http: 403 },
    state: 'live',
  },
  emailNotMailed: besideRefusals.emailNotMailed,
  emailTurnedOff: {
    code: 'STS-AUTHN-9394',
    means: 'the emailed factor of a person was turned off: as many codes in a row were wrong as the policy allows (stsEmailFailureLimit)',
    sees: {},
    state: 'live',
  },
  emailFailureNotNoted: {
    code: 'STS-AUTHN-9395',
    means: 'a wrong emailed code could not be counted in the directory',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
