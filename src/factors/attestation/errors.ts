import type { ErrorRow } from '#catalogue';

/** One sentence for whoever holds the key; what exactly was wrong stands in the audit row. */
const notThisKey = 'This security key cannot be used here. Ask your administrator which keys are accepted.';

export const errors = {
  malformed: {
    code: 'STS-AUTHN-9370',
    means: 'a registration cannot be read: {why}',
    says: 'The browser’s answer could not be read. Try again.',
    sees: { http: 400 },
    state: 'live',
  },
  statementBad: {
    code: 'STS-AUTHN-9371',
    means: 'an attestation statement of the format {format} does not hold: {why}',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  untrusted: {
    code: 'STS-AUTHN-9372',
    means: 'a security key was refused, because a trusted attestation is demanded and its own is {proved}: {why}',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  modelNotAllowed: {
    code: 'STS-AUTHN-9373',
    means: 'a security key was refused: its model {aaguid} is not one of webauthn.attestationModels',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  levelTooLow: {
    code: 'STS-AUTHN-9374',
    means: 'a security key was refused: its model {aaguid} is certified to {level}, and {wanted} is demanded',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  notFips: {
    code: 'STS-AUTHN-9375',
    means: 'a security key was refused: the metadata name no FIPS 140 certification of its model {aaguid} at level {wanted} or above',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  modelReported: {
    code: 'STS-AUTHN-9376',
    means: 'a security key was refused: its model {aaguid} is reported {status}',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  certificateRevoked: {
    code: 'STS-AUTHN-9377',
    means: 'a security key was refused: a certificate of its attestation is revoked',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  revocationUnknown: {
    code: 'STS-AUTHN-9378',
    means: 'a security key was refused: whether its attestation is revoked cannot be learnt, and hard-fail is set: {why}',
    says: notThisKey,
    sees: { http: 403 },
    state: 'live',
  },
  metadataUnusable: {
    code: 'STS-AUTHN-9379',
    means: 'authenticator metadata cannot be used; those that were in use before, if any, go on being used',
    sees: {},
    state: 'live',
  },
  anchorsUnusable: {
    code: 'STS-AUTHN-9380',
    means: 'webauthn.attestationTrustAnchors leads to no certificates; no chain is trusted by it',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
