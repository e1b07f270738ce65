import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { Refusal } from '#catalogue';
import { readCertificate, readDer, readRevocationList } from '#keys';
import { readCbor } from '../../../src/factors/attestation/cbor.ts';
import { errors } from '../../../src/factors/attestation/errors.ts';
import { judgeStatement } from '../../../src/factors/attestation/judge.ts';
import { readBlob } from '../../../src/factors/attestation/metadata/blob.ts';
import { bareAttestationObject, readAttestationObject } from '../../../src/factors/attestation/object.ts';
import { holds, holdsInTime } from '../../support/holds.ts';
import { cbor, joined, makeCertificate, makeCredential, makeObject, makePacked, nowMs, signWith } from './make.ts';

const limits = { octets: 4096, depth: 4, items: 16 };
const root = await makeCertificate();
const credential = makeCredential();
const { object, statement } = await makePacked(credential, root);
const runs = { numRuns: 2000 };

test('CBOR is read within bounds of size, depth and number of items', (t) => {
  const nested = (depth: number) => joined([new Uint8Array(depth).fill(0x81), Uint8Array.of(0)]);
  t.truthy(readCbor(nested(3), limits));
  t.is(readCbor(nested(4), limits), undefined);
  t.is(readCbor(nested(1_000_000), { ...limits, octets: 2_000_000 }), undefined);
  t.truthy(readCbor(cbor(Array.from({ length: 15 }, () => 0)), limits));
  t.is(readCbor(cbor(Array.from({ length: 16 }, () => 0)), limits), undefined);
  t.truthy(readCbor(cbor(new Uint8Array(4093)), limits));
  t.is(readCbor(cbor(new Uint8Array(4094)), limits), undefined);
});

const notOurs: readonly [what: string, hexadecimal: string][] = [
  ['a list that says it has four thousand million items', '9affffffff'],
  ['octets that say they are four thousand million', '5affffffff'],
  ['a map of 2⁶³ members', 'bb8000000000000000'],
  ['a list without an end', '9f00ff'],
  ['octets in parts', '5f4100ff'],
  ['a tag', 'c000'],
  ['a half-precision number', 'f97e00'],
  ['undefined', 'f7'],
  ['a number in more octets than it needs', '1805'],
  ['a length in more octets than it needs', '580100'],
  ['a number beyond 2⁵³', '1b0020000000000000'],
  ['a key that is given twice', 'a201000100'],
  ['a key that is a list', 'a18000'],
  ['text that is no UTF-8', '61ff'],
  ['nothing', ''],
];

for (const [what, hexadecimal] of notOurs) {
  test(`CBOR refuses ${what}`, (t) => {
    t.is(readCbor(new Uint8Array(Buffer.from(hexadecimal, 'hex')), limits), undefined);
  });
}

test('CBOR is read as it was written', (t) => {
  const item: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    leaf: fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.string({ unit: 'binary' }), fc.uint8Array()),
    node: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      fc.array(tie('node'), { maxLength: 4 }),
      fc
        .uniqueArray(fc.tuple(fc.integer({ min: -9, max: 9 }), tie('node')), { selector: ([key]) => key, maxLength: 4 })
        .map((pairs) => new Map(pairs)),
    ),
  })).node;
  holds(
    t,
    fc.property(item, (given) => {
      const octets = cbor(given);
      const read = readCbor(octets, { octets: 1_000_000, depth: 50, items: 100_000 });
      t.is(read?.octets, octets.length);
      t.deepEqual(cbor(read?.item), octets);
    }),
  );
});

test('an attestation object of any octets is read or refused as malformed, and nothing else', (t) => {
  holds(
    t,
    fc.property(fc.uint8Array({ maxLength: 500 }), (octets) => expectRefusal(() => readAttestationObject(octets))),
    runs,
  );
});

test('an attestation object in which any octets were changed is judged or refused, and nothing else', async (t) => {
  const change = fc.record({
    at: fc.nat(object.length - 1),
    to: fc.nat(255),
    cut: fc.nat(object.length),
    grow: fc.uint8Array({ maxLength: 3 }),
  });
  await holdsInTime(
    t,
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), async (changes, cuts) => {
      let octets = Uint8Array.from(object);
      for (const { at, to } of changes) octets[at] = to;
      const [first] = changes;
      if (cuts && first !== undefined)
        octets = joined([octets.subarray(0, first.cut), first.grow, octets.subarray(first.cut)]) as Uint8Array<ArrayBuffer>;
      await judgeOrRefuse(octets);
    }),
    runs,
  );
});

test('a statement with members of any kind is judged or refused, and nothing else', async (t) => {
  const any = fc.oneof(
    fc.integer({ min: -70_000, max: 70_000 }),
    fc.string(),
    fc.uint8Array({ maxLength: 40 }),
    fc.constant([]),
    fc.constant(statement.x5c),
    fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 9 }),
    fc.constant(new Map()),
    fc.constant(signWith(credential.key, credential.signed)),
  );
  const members = fc.dictionary(fc.constantFrom('alg', 'sig', 'x5c', 'ver', 'certInfo', 'pubArea', 'response', 'ecdaaKeyId'), any);
  const format = fc.constantFrom('packed', 'tpm', 'android-key', 'android-safetynet', 'fido-u2f', 'none', 'apple', '__proto__');
  await holdsInTime(
    t,
    fc.asyncProperty(format, members, (name, given) => judgeOrRefuse(makeObject(name, given, credential.data))),
    runs,
  );
  await holdsInTime(
    t,
    fc.asyncProperty(fc.array(fc.record({ fmt: format, attStmt: members }), { maxLength: 9 }), (given) =>
      judgeOrRefuse(makeObject('compound', given, credential.data)),
    ),
    runs,
  );
});

test('authenticator data of any kind are read or refused as malformed', (t) => {
  const { data } = credential;
  const cut = fc.nat(data.length);
  holds(
    t,
    fc.property(cut, fc.uint8Array({ maxLength: 80 }), fc.nat(255), (at, rest, flags) => {
      const octets = joined([data.subarray(0, at), rest]);
      if (octets.length > 32) octets[32] = flags;
      expectRefusal(() => readAttestationObject(makeObject('none', {}, octets)));
    }),
    runs,
  );
});

test('what the library is given is the same authenticator data without a statement', (t) => {
  for (const id of [1, 200, 1023]) {
    const made = makeCredential({ id: new Uint8Array(id) });
    const bare = readAttestationObject(
      bareAttestationObject(readAttestationObject(makeObject('packed', { alg: -7, sig: Uint8Array.of(1) }, made.data))),
    );
    t.is(bare.format, 'none');
    t.is(bare.statement.size, 0);
    t.deepEqual(Buffer.from(bare.data.octets), Buffer.from(made.data));
  }
});

test('a key on another curve than its algorithm’s is refused', (t) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coseOf = (algorithm: number) =>
    cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, algorithm],
        [-1, 2],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    );
  const dataWith = (algorithm: number) => joined([credential.data.subarray(0, 55 + credential.id.length), coseOf(algorithm)]);
  t.is(readAttestationObject(makeObject('none', {}, dataWith(-35))).data.algorithm, -35);
  const error = t.throws(() => readAttestationObject(makeObject('none', {}, dataWith(-7))), { instanceOf: Refusal });
  t.regex(error?.tells ?? '', /of no known kind/);
});

test('a credential id of 1024 octets is refused', (t) => {
  const made = makeCredential({ id: new Uint8Array(1024) });
  const error = t.throws(() => readAttestationObject(makeObject('none', {}, made.data)), { instanceOf: Refusal });
  t.is(error?.row, errors.malformed);
});

test('certificates and lists of any octets are read or not, and nothing is thrown', async (t) => {
  const issuer = readCertificate(root.der);
  if (issuer === undefined) return t.fail();
  holds(
    t,
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(root.der.length - 1), fc.nat(255), (octets, at, to) => {
      readDer(octets);
      readCertificate(octets);
      readRevocationList(octets, issuer, nowMs);
      const changed = Uint8Array.from(root.der);
      changed[at] = to;
      readCertificate(changed);
    }),
    runs,
  );
});

test('a metadata blob of any octets is bad, and nothing is thrown', (t) => {
  const part = fc.oneof(
    fc.string(),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  );
  holds(
    t,
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const blob = readBlob({ octets: Buffer.from(parts.join('.')), roots: root.pem, host: undefined, nowMs });
      if (blob.kind !== 'bad') throw new Error('it was taken');
    }),
    runs,
  );
});

function expectRefusal(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Refusal) || error.row !== errors.malformed) throw error;
  }
}

async function judgeOrRefuse(octets: Uint8Array): Promise<void> {
  let read: ReturnType<typeof readAttestationObject>;
  try {
    read = readAttestationObject(octets);
  } catch (error) {
    if (error instanceof Refusal) return;
    throw error;
  }
  const anchors = [readCertificate(root.der)].flatMap((each) => each ?? []);
  const judged = await judgeStatement({
    object: read,
    clientDataHash: credential.clientDataHash,
    policy: { statements: 'verify-if-present', anchors, models: new Set(), level: undefined, fips: 0, unknownRevocation: 'refused' },
    metadata: undefined,
    revocationOf: async () => ({ kind: 'good' }),
    nowMs,
  });
  // Nobody but the root's certificate makes anything trusted: whatever was changed, it was not what was signed.
  if (judged.kind === 'judged' && judged.proved === 'trusted' && !Buffer.from(read.data.octets).equals(credential.data))
    throw new Error('a changed credential is trusted');
}
