import type { ErrorRow } from '#catalogue';

/** Why nobody gets in at the sign-in page this way: what the decision refuses by, and what explains it. */
export const refusals = {
  passwordlessRefused: refused('0171', 'a passwordless sign-in where a second factor is required'),
  secondFactorImpossible: refused('0172', 'a second factor is required, and every mechanism to give one is off: {names}'),
  hardwareKeyDemanded: refused('0204', 'a hardware key is demanded, which neither a code nor a recovery code can be'),
  noPrimaryKey: refused('0206', 'product mode: the passwordless box for somebody without a primary key'),
  mechanismNotAccepted: refused('0268', 'the policy does not accept a mechanism as a first factor (stsFirstFactor): {names}'),
  secondNotAccepted: refused('0269', 'the policy does not accept a mechanism as a second factor (stsSecondFactor): {names}'),
  mechanismOff: refused('9330', 'a mechanism that the policy accepts is switched off: {names}'),
  demandUnknown: refused('9331', 'the calling protocol demands classes of authentication that this service does not have: {names}'),
  emailNotEnough: refused('9332', 'an emailed code or link is not enough for the demand, for the risk, or after another emailed one'),
} as const satisfies Record<string, ErrorRow>;

export type PolicyRefusal = keyof typeof refusals;

function refused<const Digits extends string>(digits: Digits, means: string) {
  return { code: `STS-AUTHN-${digits}`, means, sees: { http: 403 }, state: 'live' } as const;
}

/** Why somebody does not come to an application, or it to them. They stand here since an explanation below the LDAP interface names them. */
export const applicationRefusals = {
  invalidClient: ofApplication('9001', 'a client is not known, may not use this server, or did not prove who it is', 401),
  unauthorizedClient: ofApplication('9003', 'a client asks in a way that it is not allowed', 400),
  notInGroup: ofApplication('9017', 'the person is in no group that may use the application', 303),
} as const satisfies Record<string, ErrorRow>;

function ofApplication<const Digits extends string>(digits: Digits, means: string, http: number) {
  return { code: `STS-OAUTH-${digits}`, means, sees: { http }, state: 'live' } as const;
}

/** The same of sessions, and of what is mailed to begin with. */
export const besideRefusals = {
  sessionDisabled: {
    code: 'STS-AUTHN-0201',
    means: 'a new session is refused: the account is disabled',
    says: 'Authentication failed',
    sees: { http: 401 },
    state: 'live',
  },
  emailNotMailed: {
    code: 'STS-AUTHN-9393',
    means: 'nothing was mailed: the name is nobody’s, or theirs has no verified address that is a factor',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
