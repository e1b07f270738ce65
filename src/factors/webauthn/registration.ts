import { Refusal, refuse } from '#catalogue';
import { credentialIdOctetsMax, type SecurityKey } from '#holdings';
import { coseNumbers, fitsAlgorithm } from './algorithms.ts';
import type { Answer } from './answer.ts';
import { errors } from './errors.ts';
import type { RelyingParty, WebauthnSettings } from './relying-party.ts';
import { whyOf } from './why.ts';

/** Judges what an attestation statement proves. @throws Refusal when the realm does not take it */
export type JudgeAttestation = (given: {
  readonly attestationObject: Uint8Array;
  readonly clientDataJSON: Uint8Array;
}) => Promise<SecurityKey['attestation']>;

export interface Registration {
  readonly answer: Answer;
  readonly settings: WebauthnSettings;
  readonly party: RelyingParty;
  /** The one that was minted for this ceremony, base64url. */
  readonly challenge: string;
  readonly role: SecurityKey['role'];
  /** What the person calls it; nothing for a name by what it is. */
  readonly name: string;
  readonly nowMs: number;
}

/**
 * Verifies a registration: challenge, origin, relying party, flags, algorithm, length of the id; then what its attestation proves.
 *
 * @param bare  the attestation object with its statement taken out, which is judged apart
 * @returns the key as it is to be stored
 * @throws Refusal `registrationRefused`, and those of `judge`
 * @see Web Authentication Level 3 §7.1
 */
export async function verifyRegistration(
  { answer, settings, party, challenge, role, name, nowMs }: Registration,
  bare: (attestationObject: Uint8Array) => Uint8Array,
  judge: JudgeAttestation,
): Promise<SecurityKey> {
  const { id, made, clientDataJSON } = answer;
  if (made === undefined) throw refuse(errors.registrationRefused, { why: 'the answer makes no credential' });
  const attestationObject = octets(made.attestationObject);
  const info = await verified(() => bare(attestationObject), answer, {
    challenge,
    party,
    requireUserVerification: settings['webauthn.userVerification'] === 'required',
    supportedAlgorithmIDs: coseNumbers(settings['webauthn.algorithms']),
  });
  const { credential } = info;
  // What the browser calls the credential must be what the authenticator signed: the key is looked up by it later.
  if (credential.id !== id) throw refuse(errors.registrationRefused, { why: 'the credential has another id than the answer' });
  if (octets(id).length > credentialIdOctetsMax)
    throw refuse(errors.registrationRefused, { why: `the credential id is longer than ${credentialIdOctetsMax} octets` });
  const algorithm = await algorithmOf(credential.publicKey);
  const attestation = await judge({ attestationObject, clientDataJSON: octets(clientDataJSON) });
  return {
    id,
    role,
    name,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    algorithm,
    counter: credential.counter,
    aaguid: info.aaguid,
    transports: made.transports,
    ...(answer.attachment === undefined ? {} : { attachment: answer.attachment }),
    ...(answer.discoverable === undefined ? {} : { discoverable: answer.discoverable }),
    backupEligible: info.credentialDeviceType === 'multiDevice',
    backedUp: info.credentialBackedUp,
    attestation,
    addedMs: nowMs,
  };
}

interface Expected {
  readonly challenge: string;
  readonly party: RelyingParty;
  readonly requireUserVerification: boolean;
  readonly supportedAlgorithmIDs: number[];
}

async function verified(attestationObject: () => Uint8Array, { id, clientDataJSON }: Answer, expected: Expected) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject: Buffer.from(attestationObject()).toString('base64url') },
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: [...expected.party.origins],
      expectedRPID: expected.party.id,
      requireUserPresence: true,
      requireUserVerification: expected.requireUserVerification,
      supportedAlgorithmIDs: expected.supportedAlgorithmIDs,
    });
    if (registrationInfo !== undefined) return registrationInfo;
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown;
    throw refuse(errors.registrationRefused, { why: whyOf(thrown) });
  }
  throw refuse(errors.registrationRefused, { why: 'the attestation statement does not hold' });
}

/** COSE labels (RFC 9052 §7.1, RFC 9053 §7.1). */
const keyTypeLabel = 1;
const algorithmLabel = 3;
const curveLabel = -1;

/** The algorithm of a public key, which must be one that its key is made for, and a key that can be used. */
async function algorithmOf(publicKey: Uint8Array<ArrayBuffer>): Promise<number> {
  const { decodeCredentialPublicKey, verifySignature } = await import('@simplewebauthn/server/helpers');
  const key = decodeCredentialPublicKey(publicKey) as unknown as ReadonlyMap<number, unknown>;
  const algorithm = key.get(algorithmLabel);
  if (typeof algorithm !== 'number' || !fitsAlgorithm(algorithm, key.get(keyTypeLabel), key.get(curveLabel)))
    throw refuse(errors.registrationRefused, { why: 'the public key is not of its algorithm' });
  try {
    // What cannot even judge a signature would be a key with which nobody ever signs in.
    await verifySignature({ signature: someSignature, data: new Uint8Array(1), credentialPublicKey: publicKey });
  } catch (thrown) {
    throw refuse(errors.registrationRefused, { why: `the public key cannot be used: ${whyOf(thrown)}` });
  }
  return algorithm;
}

/** DER of an ECDSA signature with both numbers one: well formed for every curve, and octets like any for the other algorithms. */
const someSignature = new Uint8Array([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]);

function octets(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
