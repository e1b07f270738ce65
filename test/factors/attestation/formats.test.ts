import { generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import test from 'ava';
import { hex } from '#base';
import { keyIdentifierOf, readCertificate } from '#keys';
import { errors } from '../../../src/factors/attestation/errors.ts';
import { type AttestationPolicy, judgeStatement } from '../../../src/factors/attestation/judge.ts';
import type { MetadataEntry, MetadataIndex } from '../../../src/factors/attestation/metadata/entry.ts';
import { indexOf } from '../../../src/factors/attestation/metadata/index-of.ts';
import { readAttestationObject } from '../../../src/factors/attestation/object.ts';
import {
  attestationSubject,
  type CertificateWish,
  type Credential,
  dayMs,
  der,
  Extension,
  joined,
  type Made,
  makeCertificate,
  makeCredential,
  makeObject,
  makePacked,
  model,
  nowMs,
  sha256,
  signWith,
} from './make.ts';

const root = await makeCertificate();
const anchors = [root.der].flatMap((octets) => readCertificate(octets) ?? []);
const credential = makeCredential();

/** A statement of a format, and the ways to break it: each of them must be refused. */
interface Format {
  readonly name: string;
  readonly good: () => Promise<Uint8Array>;
  readonly bad: readonly [what: string, make: () => Promise<Uint8Array>][];
}

test('compound: it is trusted when one of its statements is', async (t) => {
  const statement = [{ fmt: 'packed', attStmt: selfStatement() }, await packedPart(await makeCertificate({ subject: 'CN=Nobody knows' }))];
  t.like(await judge(makeObject('compound', statement, credential.data)), { kind: 'judged', proved: 'claimed' });
  t.like(await judge(makeObject('compound', [...statement, await packedPart(root)], credential.data)), {
    kind: 'judged',
    proved: 'trusted',
  });
  const selves = [0, 1].map(() => ({ fmt: 'packed', attStmt: selfStatement() }));
  t.like(await judge(makeObject('compound', selves, credential.data)), { kind: 'judged', proved: 'untrusted' });
});

test('compound: of two statements that are trusted the one that vouches for the model counts', async (t) => {
  const u2fPart = { fmt: 'fido-u2f', attStmt: (await u2fObject()).statement };
  const judged = await judge(makeObject('compound', [u2fPart, await packedPart(root)], credential.data), { models: new Set([model]) });
  t.like(judged, { kind: 'judged', proved: 'trusted' });
});

test('fido-u2f: an AAGUID that stands beside its statement is vouched for by nothing, and satisfies no allow-list', async (t) => {
  const { object } = await u2fObject();
  const judged = await judge(object, { models: new Set([model]) });
  t.like(judged, { kind: 'refused', row: errors.modelNotAllowed });
});

test('fido-u2f: its model is known by the key of its certificate, and by nothing else', async (t) => {
  const { leaf, object } = await u2fObject();
  const certificate = readCertificate(leaf.der);
  if (certificate === undefined) return t.fail();
  const entry = {
    aaguid: undefined,
    keyIdentifiers: [],
    description: undefined,
    reported: undefined,
    level: undefined,
    fips: 0,
    roots: [],
  };
  const own = { ...entry, keyIdentifiers: [hex(keyIdentifierOf(certificate))], description: 'U2F Key', roots: [root.der] };
  const metadata = (entries: readonly MetadataEntry[]) => indexOf({ number: 1, nextUpdate: '2027-01-01', entries });
  const claimed = { ...entry, aaguid: model, level: 'L3plus', roots: [root.der] } as const;
  t.like(await judge(object, {}, credential, metadata([own, claimed])), { kind: 'judged', proved: 'trusted', model: 'U2F Key' });
  t.like(await judge(object, { level: 'L1' }, credential, metadata([own, claimed])), { kind: 'refused', row: errors.levelTooLow });
  t.like(await judge(object, {}, credential, metadata([{ ...own, reported: 'REVOKED' }])), { kind: 'refused', row: errors.modelReported });
});

test('android-key: an AAGUID that only the anchor’s owner could know satisfies no allow-list by the statement alone', async (t) => {
  const judged = await judge(await androidKeyObject(), { models: new Set([model]) });
  t.like(judged, { kind: 'refused', row: errors.modelNotAllowed });
});

function judge(object: Uint8Array, policy: Partial<AttestationPolicy> = {}, of: Credential = credential, metadata?: MetadataIndex) {
  return judgeStatement({
    object: readAttestationObject(object),
    clientDataHash: of.clientDataHash,
    policy: {
      statements: 'verify-if-present',
      anchors,
      models: new Set(),
      level: undefined,
      fips: 0,
      unknownRevocation: 'refused',
      ...policy,
    },
    metadata,
    revocationOf: async () => ({ kind: 'good' }),
    nowMs,
  });
}

// --- tpm

interface TpmWish extends CertificateWish {
  readonly ver?: string;
  readonly magic?: number;
  readonly extraData?: Uint8Array;
  readonly name?: Uint8Array;
  readonly area?: (octets: Uint8Array) => Uint8Array;
  readonly info?: (octets: Uint8Array) => Uint8Array;
  readonly module?: readonly string[];
  readonly usage?: string;
}

function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const parts = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) parts.unshift((left & 0x7f) | 0x80);
    return parts;
  });
  return der(0x06, Uint8Array.from(octets));
}

const sized = (octets: Uint8Array) => joined([Uint8Array.of(octets.length >> 8, octets.length & 0xff), octets]);

async function tpmObject(wish: TpmWish = {}): Promise<Uint8Array> {
  const { module = ['2.23.133.2.1', '2.23.133.2.2', '2.23.133.2.3'], usage = '2.23.133.8.3' } = wish;
  const names = module.map((each) => der(0x31, der(0x30, oid(each), der(0x0c, Buffer.from('id:A7A7A7A7')))));
  const alternative = new Extension('2.5.29.17', true, new Uint8Array(der(0x30, der(0xa4, der(0x30, ...names)))));
  const usages = new Extension('2.5.29.37', false, new Uint8Array(der(0x30, oid(usage))));
  const leaf = await makeCertificate({ subject: '', issuer: root, ...wish, extensions: [alternative, usages] });
  // TPMT_PUBLIC of a P-256 key: type, hash of the name, attributes, no policy, no symmetric algorithm, ECDSA with SHA-256, curve, no derivation.
  const made = joined([
    Uint8Array.of(0, 0x23, 0, 0x0b, 0, 6, 4, 0x72, 0, 0, 0, 0x10, 0, 0x18, 0, 0x0b, 0, 3, 0, 0x10),
    sized(credential.x),
    sized(credential.y),
  ]);
  const pubArea = wish.area?.(made) ?? made;
  const name = wish.name ?? joined([Uint8Array.of(0, 0x0b), sha256(pubArea)]);
  const magic = wish.magic ?? 0xff544347;
  const start = Uint8Array.of(magic >>> 24, (magic >> 16) & 0xff, (magic >> 8) & 0xff, magic & 0xff, 0x80, 0x17, 0, 0);
  const info = joined([
    start,
    sized(wish.extraData ?? sha256(credential.signed)),
    new Uint8Array(25),
    sized(name),
    sized(new Uint8Array(0)),
  ]);
  const certInfo = wish.info?.(info) ?? info;
  const statement = { ver: wish.ver ?? '2.0', alg: -7, x5c: [leaf.der], sig: signWith(leaf, certInfo), certInfo, pubArea };
  return makeObject('tpm', statement, credential.data);
}

function tpm(): Format {
  const with_ = (wish: TpmWish) => () => tpmObject(wish);
  const other = makeCredential();
  return {
    name: 'tpm',
    good: tpmObject,
    bad: [
      ['its version is not 2.0', with_({ ver: '1.2' })],
      ['no module made it', with_({ magic: 0x01020304 })],
      ['it was made for another ceremony', with_({ extraData: sha256(Uint8Array.of(1)) })],
      ['it is about another key', with_({ name: joined([Uint8Array.of(0, 0x0b), sha256(Uint8Array.of(1))]) })],
      ['its public area is of another key', with_({ area: (octets) => joined([octets.subarray(0, -68), sized(other.x), sized(other.y)]) })],
      ['its public area is of a key on no curve', with_({ area: (octets) => joined([octets.subarray(0, -1), Uint8Array.of(0x5a)]) })],
      ['its public area is cut short', with_({ area: (octets) => octets.subarray(0, 40) })],
      ['its public area is too long', with_({ area: (octets) => joined([octets, Uint8Array.of(0)]) })],
      ['its information is cut short', with_({ info: (octets) => octets.subarray(0, 30) })],
      ['its certificate names no module', with_({ module: ['2.23.133.2.1', '2.23.133.2.3'] })],
      ['its certificate is not for attestation', with_({ usage: '1.3.6.1.5.5.7.3.1' })],
      ['its certificate has a subject', with_({ subject: 'CN=Somebody' })],
      ['its certificate is an authority’s', with_({ ca: true })],
      ['its certificate has expired', with_({ notAfterMs: nowMs - dayMs })],
    ],
  };
}

// --- android-key

interface AndroidWish {
  readonly challenge?: Uint8Array;
  readonly software?: readonly Uint8Array[];
  readonly hardware?: readonly Uint8Array[];
  readonly other?: boolean;
  readonly without?: boolean;
}

const integer = (value: number) => der(0x02, Uint8Array.of(value));
const purpose = (value: number) => der(0xa1, der(0x31, integer(value)));
const origin = (value: number) => der([0xbf, 0x85, 0x3e], integer(value));
const allApplications = der([0xbf, 0x84, 0x58], der(0x05));

async function androidKeyObject({
  challenge = credential.clientDataHash,
  software = [],
  hardware = [purpose(2), origin(0)],
  ...wish
}: AndroidWish = {}) {
  const level = der(0x0a, Uint8Array.of(1));
  const lists = [der(0x30, ...software), der(0x30, ...hardware)];
  const description = der(0x30, integer(3), level, integer(4), level, der(0x04, challenge), der(0x04), ...lists);
  const extension = new Extension('1.3.6.1.4.1.11129.2.1.17', false, new Uint8Array(description));
  const named = wish.without ? [] : [extension];
  const leaf = await makeCertificate({
    subject: 'CN=Android Keystore Key',
    issuer: root,
    extensions: named,
    publicKey: await webPublic(credential.publicKey),
  });
  const of = wish.other ? makeCredential({ clientData: Buffer.from(credential.clientDataJSON).toString() }) : credential;
  const statement = { alg: -7, sig: signWith(credential.key, joined([of.data, credential.clientDataHash])), x5c: [leaf.der] };
  return makeObject('android-key', statement, of.data);
}

async function webPublic(key: KeyObject) {
  return await crypto.subtle.importKey('spki', key.export({ type: 'spki', format: 'der' }), { name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'verify',
  ]);
}

function androidKey(): Format {
  const with_ = (wish: AndroidWish) => () => androidKeyObject(wish);
  return {
    name: 'android-key',
    good: androidKeyObject,
    bad: [
      ['its certificate was made for another ceremony', with_({ challenge: sha256(Uint8Array.of(1)) })],
      ['its certificate is of another key', with_({ other: true })],
      ['its certificate does not describe the key', with_({ without: true })],
      ['the key is for every application, as the hardware says', with_({ hardware: [purpose(2), allApplications] })],
      ['the key is for every application, as the software says', with_({ software: [allApplications] })],
      ['the key was imported', with_({ hardware: [purpose(2), origin(2)] })],
      ['the key is not for signing', with_({ hardware: [purpose(0), origin(0)] })],
    ],
  };
}

// --- android-safetynet

interface SafetyNetWish {
  readonly host?: string;
  readonly payload?: Record<string, unknown>;
  readonly response?: (jws: string) => string;
  readonly alg?: string;
}

async function safetyNetObject({ host = 'attest.android.com', payload = {}, response = (jws) => jws, alg = 'ES256' }: SafetyNetWish = {}) {
  const leaf = await makeCertificate({ subject: `CN=${host}`, issuer: root });
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg, x5c: [Buffer.from(leaf.der).toString('base64')] });
  const nonce = Buffer.from(sha256(credential.signed)).toString('base64');
  const body = part({ nonce, ctsProfileMatch: true, timestampMs: nowMs - 1000, ...payload });
  const key = KeyObject.from(leaf.keys.privateKey);
  const signature = sign('sha256', Buffer.from(`${header}.${body}`), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  const text = response(`${header}.${body}.${signature}`);
  return makeObject('android-safetynet', { ver: '14366018', response: new Uint8Array(Buffer.from(text)) }, credential.data);
}

function safetyNet(): Format {
  const with_ = (wish: SafetyNetWish) => () => safetyNetObject(wish);
  return {
    name: 'android-safetynet',
    good: safetyNetObject,
    bad: [
      ['somebody else signed it', with_({ host: 'attest.example.com' })],
      ['it was made for another ceremony', with_({ payload: { nonce: 'AAAA' } })],
      ['the device does not pass', with_({ payload: { ctsProfileMatch: false } })],
      ['it is old', with_({ payload: { timestampMs: nowMs - 300_001 } })],
      ['it is from the future', with_({ payload: { timestampMs: nowMs + 60_001 } })],
      ['its time is a text', with_({ payload: { timestampMs: String(nowMs) } })],
      ['it is no JWS', with_({ response: () => 'x.y.z' })],
      ['it is cut short', with_({ response: (jws) => jws.slice(0, -10) })],
      ['it is not signed', with_({ alg: 'none' })],
    ],
  };
}

// --- fido-u2f

async function u2fObject(wish: { signed?: Uint8Array; above?: readonly Made[] } = {}) {
  const leaf = await makeCertificate({ subject: 'CN=U2F', issuer: root });
  const parts = [
    Uint8Array.of(0),
    credential.data.subarray(0, 32),
    credential.clientDataHash,
    credential.id,
    Uint8Array.of(4),
    credential.x,
    credential.y,
  ];
  const x5c = [leaf, ...(wish.above ?? [])].map((each) => each.der);
  const statement = { sig: signWith(leaf, wish.signed ?? joined(parts)), x5c };
  return { leaf, statement, object: makeObject('fido-u2f', statement, credential.data) };
}

function u2f(): Format {
  return {
    name: 'fido-u2f',
    good: async () => (await u2fObject()).object,
    bad: [
      ['its signature is over something else', async () => (await u2fObject({ signed: credential.signed })).object],
      ['it brings more than one certificate', async () => (await u2fObject({ above: [root] })).object],
    ],
  };
}

// --- apple

async function appleObject({ nonce = sha256(credential.signed), own = true, without = false } = {}) {
  const extension = new Extension('1.2.840.113635.100.8.2', false, new Uint8Array(der(0x30, der(0xa1, der(0x04, nonce)))));
  const publicKey = own ? { publicKey: await webPublic(credential.publicKey) } : {};
  const leaf = await makeCertificate({ subject: 'CN=Apple', issuer: root, extensions: without ? [] : [extension], ...publicKey });
  return makeObject('apple', { x5c: [leaf.der] }, credential.data);
}

function apple(): Format {
  return {
    name: 'apple',
    good: appleObject,
    bad: [
      ['its certificate was made for another ceremony', () => appleObject({ nonce: sha256(Uint8Array.of(1)) })],
      ['its certificate is of another key', () => appleObject({ own: false })],
      ['its certificate has no nonce', () => appleObject({ without: true })],
    ],
  };
}

// --- compound

function selfStatement() {
  return { alg: -7, sig: signWith(credential.key, credential.signed) };
}

async function packedPart(issuer: Made) {
  return { fmt: 'packed', attStmt: (await makePacked(credential, issuer, { subject: attestationSubject })).statement };
}

function compound(): Format {
  const of = (make: () => Promise<readonly unknown[]>) => async () => makeObject('compound', await make(), credential.data);
  const self = { fmt: 'packed', attStmt: selfStatement() };
  const wrong = { fmt: 'packed', attStmt: { alg: -7, sig: signWith(makeCredential().key, credential.signed) } };
  return {
    name: 'compound',
    good: of(async () => [await packedPart(root), self]),
    bad: [
      ['one of its statements does not hold', of(async () => [await packedPart(root), wrong])],
      ['it is one statement alone', of(async () => [await packedPart(root)])],
      ['it is empty', of(async () => [])],
      ['it has more statements than anybody needs', of(async () => Array.from({ length: 9 }, () => self))],
      ['it holds a compound', of(async () => [self, { fmt: 'compound', attStmt: self }])],
      ['it holds a format that nobody knows', of(async () => [self, { fmt: 'toString', attStmt: {} }])],
    ],
  };
}

test('packed: RSA with SHA-1 proves nothing', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const spki = await crypto.subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), rsa, true, ['verify']);
  const leaf = await makeCertificate({ subject: attestationSubject, issuer: root, publicKey: spki });
  const by = (alg: number, hash: string) =>
    judge(makeObject('packed', { alg, sig: signWith(privateKey, credential.signed, hash), x5c: [leaf.der] }, credential.data));
  t.like(await by(-257, 'sha256'), { kind: 'judged', proved: 'trusted' });
  t.like(await by(-65_535, 'sha1'), { kind: 'refused', row: errors.statementBad });
});

test('packed: a certificate’s key may be on any curve that its algorithm fits', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const spki = await crypto.subtle.importKey(
    'spki',
    publicKey.export({ type: 'spki', format: 'der' }),
    { name: 'ECDSA', namedCurve: 'P-521' },
    true,
    ['verify'],
  );
  const leaf = await makeCertificate({ subject: attestationSubject, issuer: root, publicKey: spki });
  const statement = { alg: -36, sig: signWith(privateKey, credential.signed, 'sha512'), x5c: [leaf.der] };
  t.like(await judge(makeObject('packed', statement, credential.data)), { kind: 'judged', proved: 'trusted' });
});

const formats: readonly Format[] = [tpm(), androidKey(), safetyNet(), u2f(), apple(), compound()];

for (const { name, good, bad } of formats) {
  test(`${name}: a statement that holds and leads to an anchor is trusted`, async (t) => {
    t.like(await judge(await good()), { kind: 'judged', format: name, proved: 'trusted' });
  });
  for (const [what, make] of bad) {
    test(`${name}: refused, because ${what}`, async (t) => {
      t.like(await judge(await make()), { kind: 'refused', row: errors.statementBad });
    });
  }
}
