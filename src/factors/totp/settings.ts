import type { SettingRows } from '#catalogue';

const common = { applies: 'runtime', scope: 'realm', obeyed: true } as const;

/** @see specification document 1, "Authenticator app settings" */
export const settings = {
  'totp.enabled': {
    ...common,
    env: 'STS_TOTP_ENABLED',
    kind: 'boolean',
    default: true,
    means:
      'authenticator apps are enrolled and asked for; off: nobody enrols one and no code is asked for. Who holds one keeps it and is not let in with a password alone: without another second factor their sign-in is refused and this setting named',
  },
  'totp.issuer': {
    ...common,
    env: 'STS_TOTP_ISSUER',
    kind: 'text',
    default: '',
    means: 'the issuer an authenticator app shows; empty means the host of the realm',
  },
  'totp.algorithm': {
    ...common,
    env: 'STS_TOTP_ALGORITHM',
    kind: 'choice',
    default: 'SHA1',
    values: ['SHA1', 'SHA256', 'SHA512'],
    means: 'digest of new enrolments',
  },
  'totp.digits': {
    ...common,
    env: 'STS_TOTP_DIGITS',
    kind: 'integer',
    default: 6,
    min: 6,
    max: 8,
    means: 'digits of a code, for new enrolments',
  },
  'totp.period': {
    ...common,
    env: 'STS_TOTP_PERIOD',
    kind: 'integer',
    default: 30,
    min: 15,
    max: 300,
    means: 'seconds of a step, for new enrolments',
  },
  'totp.window': {
    ...common,
    env: 'STS_TOTP_WINDOW',
    kind: 'integer',
    default: 1,
    min: 0,
    max: 10,
    means: 'steps of skew accepted either side, for everybody',
  },
  'totp.secretBytes': {
    ...common,
    env: 'STS_TOTP_SECRET_BYTES',
    kind: 'integer',
    default: 20,
    min: 16,
    max: 64,
    means: 'bytes of a new secret',
  },
  'totp.enrolmentTtlMinutes': {
    ...common,
    env: 'STS_TOTP_ENROLMENT_TTL_MINUTES',
    kind: 'integer',
    default: 10,
    min: 1,
    max: 1440,
    means: 'minutes until an unconfirmed secret is thrown away',
  },
} as const satisfies SettingRows;
