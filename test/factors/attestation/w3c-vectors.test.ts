import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import test from 'ava';
import { readCertificate, sha256 } from '#keys';
import { type AttestationPolicy, judgeStatement } from '../../../src/factors/attestation/judge.ts';
import { bareAttestationObject, readAttestationObject } from '../../../src/factors/attestation/object.ts';

interface Vector {
  readonly name: string;
  readonly registration: Readonly<Record<'challenge' | 'aaguid' | 'credential_id' | 'clientDataJSON' | 'attestationObject', string>>;
  readonly authentication: Readonly<Record<'challenge' | 'authenticatorData' | 'clientDataJSON' | 'signature', string>>;
}

const file: { source: string; root: string; vectors: readonly Vector[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'w3c-vectors.json'), 'utf8'),
);
const root = readCertificate(octets(file.root));
const nowMs = Date.parse('2026-11-22');
const policy: AttestationPolicy = {
  statements: 'verify-if-present',
  anchors: root === undefined ? [] : [root],
  models: new Set(),
  level: undefined,
  fips: 0,
  unknownRevocation: 'refused',
};
const offered = [-7, -35, -36, -8, -257, -258, -259, -37, -38, -39, -48, -49, -50];
/** Its credential's algorithm is none of the thirteen, so that no ceremony offers it; its statement is judged all the same. */
const ed448 = 'Packed Attestation with Ed448 Credential';

const expected: Readonly<Record<string, readonly [format: string, proved: string]>> = {
  'ES256 Credential with No Attestation': ['none', 'untrusted'],
  'ES256 Credential with Self Attestation': ['packed', 'untrusted'],
  'ES256 Credential with "crossOrigin": true in clientDataJSON': ['none', 'untrusted'],
  'ES256 Credential with "topOrigin" in clientDataJSON': ['none', 'untrusted'],
  'ES256 Credential with very long credential ID': ['none', 'untrusted'],
  'Packed Attestation with ES256 Credential': ['packed', 'trusted'],
  'Packed Attestation with ES384 Credential': ['packed', 'trusted'],
  'Packed Attestation with ES512 Credential': ['packed', 'trusted'],
  'Packed Attestation with RS256 Credential': ['packed', 'trusted'],
  'Packed Attestation with Ed25519 Credential': ['packed', 'trusted'],
  [ed448]: ['packed', 'trusted'],
  'TPM Attestation with ES256 Credential': ['tpm', 'trusted'],
  'Android Key Attestation with ES256 Credential': ['android-key', 'trusted'],
  'Apple Anonymous Attestation with ES256 Credential': ['apple', 'trusted'],
  'FIDO U2F Attestation with ES256 Credential': ['fido-u2f', 'trusted'],
};

test('every vector of the specification is there', (t) => {
  t.deepEqual(file.vectors.map(({ name }) => name).toSorted(), Object.keys(expected).toSorted());
});

for (const { name, registration, authentication } of file.vectors) {
  test(`W3C test vector, registration: ${name}`, async (t) => {
    const object = readAttestationObject(octets(registration.attestationObject));
    const judged = await judge(registration);
    t.is(judged.kind, 'judged');
    const [format, proved] = expected[name] ?? [];
    t.like(judged, { format, proved });
    const ceremony = register(registration, bareAttestationObject(object));
    if (name === ed448) await t.throwsAsync(ceremony, { message: /Unexpected public key alg/ });
    else t.is((await ceremony).registrationInfo?.credential.id, base64url(registration.credential_id));
  });

  test(`W3C test vector, the statement is about that ceremony alone: ${name}`, async (t) => {
    const [format] = expected[name] ?? [];
    const judged = await judge({ ...registration, clientDataJSON: `${registration.clientDataJSON}20` });
    t.is(judged.kind, format === 'none' ? 'judged' : 'refused');
  });

  test(`W3C test vector, authentication: ${name}`, async (t) => {
    const { data } = readAttestationObject(octets(registration.attestationObject));
    const verified = verifyAuthenticationResponse({
      response: {
        id: base64url(registration.credential_id),
        rawId: base64url(registration.credential_id),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          authenticatorData: base64url(authentication.authenticatorData),
          clientDataJSON: base64url(authentication.clientDataJSON),
          signature: base64url(authentication.signature),
        },
      },
      expectedChallenge: base64url(authentication.challenge),
      expectedOrigin: 'https://example.org',
      expectedRPID: 'example.org',
      // Nothing of ours is shown within another page: only here, where the vector is.
      ...(name.includes('topOrigin') ? { expectedTopOrigin: 'https://example.com' } : {}),
      requireUserVerification: false,
      credential: { id: base64url(registration.credential_id), publicKey: new Uint8Array(data.publicKeyCose), counter: 0 },
    });
    if (name === ed448) await t.throwsAsync(verified);
    else t.true((await verified).verified);
  });
}

function judge(registration: Pick<Vector['registration'], 'attestationObject' | 'clientDataJSON'>) {
  return judgeStatement({
    object: readAttestationObject(octets(registration.attestationObject)),
    clientDataHash: sha256(octets(registration.clientDataJSON)),
    policy,
    metadata: undefined,
    revocationOf: async () => ({ kind: 'good' }),
    nowMs,
  });
}

function register(registration: Vector['registration'], attestationObject: Uint8Array) {
  const id = base64url(registration.credential_id);
  return verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url(registration.clientDataJSON),
        attestationObject: Buffer.from(attestationObject).toString('base64url'),
      },
    },
    expectedChallenge: base64url(registration.challenge),
    expectedOrigin: 'https://example.org',
    expectedRPID: 'example.org',
    requireUserVerification: false,
    supportedAlgorithmIDs: offered,
  });
}

function octets(hexadecimal: string): Uint8Array {
  return new Uint8Array(Buffer.from(hexadecimal, 'hex'));
}

function base64url(hexadecimal: string): string {
  return Buffer.from(hexadecimal, 'hex').toString('base64url');
}
