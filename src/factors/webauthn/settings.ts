import type { SettingRows } from '#catalogue';
import { algorithmNames } from './algorithms.ts';

/** The settings that a key of a role needs. */
export const keySwitches = {
  mfa: ['webauthn.enabled', 'webauthn.mfaAllowed'],
  primary: ['webauthn.enabled', 'webauthn.primaryAllowed'],
} as const;

/** @see specification document 1, "WebAuthn settings" */
export const settings = {
  'webauthn.enabled': toggle('STS_WEBAUTHN_ENABLED', true, 'offer security-key ceremonies; off keeps the keys that are enrolled'),
  'webauthn.rpName': words('STS_WEBAUTHN_RP_NAME', 'Atrium', 'the name a browser shows for this service; no security meaning'),
  'webauthn.rpId': words('STS_WEBAUTHN_RP_ID', '', 'widens the relying party ID to a registrable suffix of the host; empty means the host'),
  'webauthn.allowedOrigins': {
    env: 'STS_WEBAUTHN_ALLOWED_ORIGINS',
    kind: 'list',
    default: [],
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'accepted origins; empty derives them from the address the service was reached on',
  },
  'webauthn.algorithms': {
    env: 'STS_WEBAUTHN_ALGORITHMS',
    kind: 'list',
    default: algorithmNames,
    values: algorithmNames,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'public-key algorithms offered to the browser, in the order of preference',
  },
  'webauthn.userVerification': choice(
    'STS_WEBAUTHN_USER_VERIFICATION',
    'preferred',
    ['required', 'preferred', 'discouraged'],
    'whether the key checks who uses it; required is enforced',
  ),
  'webauthn.attestation': choice(
    'STS_WEBAUTHN_ATTESTATION',
    'direct',
    ['none', 'indirect', 'direct', 'enterprise'],
    'attestation conveyance asked for',
  ),
  'webauthn.timeoutMs': count('STS_WEBAUTHN_TIMEOUT_MS', 60_000, 1, 'milliseconds the browser is told a ceremony may take'),
  'webauthn.authenticatorAttachment': choice(
    'STS_WEBAUTHN_ATTACHMENT',
    'any',
    ['platform', 'cross-platform', 'any'],
    'which kind of authenticator is asked for',
  ),
  'webauthn.residentKey': choice(
    'STS_WEBAUTHN_RESIDENT_KEY',
    'discouraged',
    ['required', 'preferred', 'discouraged'],
    'whether a discoverable credential is asked for',
  ),
  'webauthn.credProps': toggle('STS_WEBAUTHN_CRED_PROPS', true, 'ask the browser to report whether the credential is discoverable'),
  'webauthn.primaryAllowed': toggle('STS_WEBAUTHN_PRIMARY_ALLOWED', true, 'allow keys as the only credential'),
  'webauthn.mfaAllowed': toggle('STS_WEBAUTHN_MFA_ALLOWED', true, 'allow keys as a second factor'),
  'webauthn.maxKeysPerPerson': count('STS_WEBAUTHN_MAX_KEYS', 10, 0, 'keys a person may enrol; keys already enrolled stay'),
} as const satisfies SettingRows;

function count(env: string, standing: number, min: number, means: string, max = 1_000_000) {
  return { env, kind: 'integer', default: standing, min, max, applies: 'runtime', scope: 'realm', obeyed: true, means } as const;
}

function toggle(env: string, standing: boolean, means: string) {
  return { env, kind: 'boolean', default: standing, applies: 'runtime', scope: 'realm', obeyed: true, means } as const;
}

function words(env: string, standing: string, means: string) {
  return { env, kind: 'text', default: standing, applies: 'runtime', scope: 'realm', obeyed: true, means } as const;
}

function choice<const Values extends readonly string[]>(env: string, standing: Values[number], values: Values, means: string) {
  return { env, kind: 'choice', default: standing, values, applies: 'runtime', scope: 'realm', obeyed: true, means } as const;
}
