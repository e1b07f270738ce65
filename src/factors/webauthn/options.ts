import type { SecurityKey } from '#holdings';
import { coseNumbers } from './algorithms.ts';
import type { RelyingParty, WebauthnSettings } from './relying-party.ts';

/** What `navigator.credentials.create` and `.get` are called with, octets as base64url (Web Authentication Level 3 §5.1.8, §5.1.9). */
export type CeremonyOptions = Readonly<Record<string, unknown>>;

/** For whom a credential is made. */
export interface KeyOwner {
  /** Says nothing of the person but which entry is theirs. */
  readonly entryUuid: string;
  /** As a browser's list of passkeys shows it. */
  readonly name: string;
}

/**
 * Options of a registration. All of them are requests to the browser; what must hold is judged when it answers.
 *
 * @param held  keys the person has already: no authenticator makes a second credential
 */
export function creationOptions(
  settings: WebauthnSettings,
  party: RelyingParty,
  challenge: string,
  owner: KeyOwner,
  held: readonly SecurityKey[],
): CeremonyOptions {
  const attachment = settings['webauthn.authenticatorAttachment'];
  const residentKey = settings['webauthn.residentKey'];
  return {
    rp: { id: party.id, name: settings['webauthn.rpName'] },
    user: { id: userHandleOf(owner.entryUuid), name: owner.name, displayName: owner.name },
    challenge,
    pubKeyCredParams: coseNumbers(settings['webauthn.algorithms']).map((alg) => ({ type: 'public-key', alg })),
    timeout: settings['webauthn.timeoutMs'],
    excludeCredentials: held.map(descriptorOf),
    authenticatorSelection: {
      ...(attachment === 'any' ? {} : { authenticatorAttachment: attachment }),
      residentKey,
      requireResidentKey: residentKey === 'required',
      userVerification: settings['webauthn.userVerification'],
    },
    attestation: settings['webauthn.attestation'],
    ...(settings['webauthn.credProps'] ? { extensions: { credProps: true } } : {}),
  };
}

/** Options of an assertion by one of the keys. */
export function requestOptions(
  settings: WebauthnSettings,
  party: RelyingParty,
  challenge: string,
  keys: readonly SecurityKey[],
): CeremonyOptions {
  return {
    rpId: party.id,
    challenge,
    timeout: settings['webauthn.timeoutMs'],
    allowCredentials: keys.map(descriptorOf),
    userVerification: settings['webauthn.userVerification'],
  };
}

/** The 16 octets of an entryUUID, base64url. */
export function userHandleOf(entryUuid: string): string {
  return Buffer.from(entryUuid.replaceAll('-', ''), 'hex').toString('base64url');
}

/** The entryUUID of a user handle; `undefined` for what is none. */
export function entryUuidOf(userHandle: string): string | undefined {
  const digits = Buffer.from(userHandle, 'base64url').toString('hex');
  return digits.length === 32 ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined;
}

function descriptorOf({ id, transports }: SecurityKey) {
  return { type: 'public-key', id, ...(transports.length === 0 ? {} : { transports }) };
}
