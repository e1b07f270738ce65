import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readCertificate } from '#keys';
import { readBlob } from '../../../src/factors/attestation/metadata/blob.ts';
import { indexOf } from '../../../src/factors/attestation/metadata/index-of.ts';
import { createMetadataStore, type MetadataSource } from '../../../src/factors/attestation/metadata/metadata.ts';
import { mdsSource } from '../../../src/factors/attestation/metadata/source.ts';
import type { Revocation } from '../../../src/factors/attestation/revocation.ts';
import { makeBlob, makeEntry, makeSigner } from './blobs.ts';
import { aaguidOf, dayMs, makeCertificate, model, nowMs, sha256 } from './make.ts';

const root = await makeCertificate({ subject: 'CN=Metadata Root' });
const signer = await makeSigner(root);
const asked = { roots: root.pem, host: undefined, nowMs };

test('a blob is verified to its root, and says what it knows of a model', (t) => {
  const entries = [makeEntry(model.toUpperCase(), ['FIDO_CERTIFIED', 'FIDO_CERTIFIED_L2'], [root])];
  const read = readBlob({ ...asked, octets: makeBlob(signer, { entries }) });
  if (read.kind === 'bad') return t.fail(read.why);
  t.like(read, { number: 7, nextUpdate: '2026-12-24' });
  t.like(indexOf(read).ofModel(aaguidOf(model)), { aaguid: model, description: 'Test Key', level: 'L2', fips: 0, reported: undefined });
  t.deepEqual(Buffer.from(indexOf(read).ofModel(aaguidOf(model))?.roots[0] ?? []), Buffer.from(root.der));
});

for (const status of [
  'REVOKED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
  'KEY_COMPROMISE',
]) {
  test(`a model that was ever reported ${status} is reported`, (t) => {
    for (const statuses of [[status], ['FIDO_CERTIFIED', status, 'UPDATE_AVAILABLE', 'FIDO_CERTIFIED_L2']]) {
      t.is(entryFrom(makeEntry(model, statuses))?.reported, status);
    }
  });
}

test('a status that is no compromise reports nothing', (t) => {
  t.is(entryFrom(makeEntry(model, ['NOT_FIDO_CERTIFIED', 'SELF_ASSERTION_SUBMITTED', 'UPDATE_AVAILABLE']))?.reported, undefined);
});

test('a certification level is the highest one since the model was last said to have none', (t) => {
  const cases: readonly [statuses: Parameters<typeof makeEntry>[1], level: string | undefined][] = [
    [['FIDO_CERTIFIED'], 'L1'],
    [['FIDO_CERTIFIED_L3plus', 'FIDO_CERTIFIED_L1'], 'L3plus'],
    [['FIDO_CERTIFIED_L2', 'NOT_FIDO_CERTIFIED'], undefined],
    [['NOT_FIDO_CERTIFIED', 'FIDO_CERTIFIED_L1plus'], 'L1plus'],
    [['FIDO_CERTIFIED_L1', ['FIDO_CERTIFIED_L3', '2026-11-23']], 'L1'],
    [['FIDO_CERTIFIED_L9'], undefined],
    [[], undefined],
  ];
  for (const [statuses, level] of cases) t.is(entryFrom(makeEntry(model, statuses))?.level, level as never, JSON.stringify(statuses));
});

test('a FIPS level is that of a report, or what the authenticator says of itself', (t) => {
  t.is(entryFrom(makeEntry(model, ['FIPS140_CERTIFIED_L2']))?.fips, 2);
  t.is(entryFrom(makeEntry(model, [], [], { authenticatorGetInfo: { certifications: { 'FIPS-CMVP-3': 3 } } }))?.fips, 3);
});

test('a U2F key is found by its certificate’s key', async (t) => {
  const leaf = readCertificate((await makeCertificate()).der);
  const other = readCertificate(root.der);
  if (leaf === undefined || other === undefined) return t.fail();
  const { createHash } = await import('node:crypto');
  // RFC 5280 §4.2.1.2: the octets of the bit string; a P-256 point is the last 65 of the key's DER.
  const point = leaf.publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
  const attestationCertificateKeyIdentifiers = [createHash('sha1').update(point).digest('hex').toUpperCase()];
  const read = readBlob({
    ...asked,
    octets: makeBlob(signer, { entries: [{ ...makeEntry(undefined, ['REVOKED']), attestationCertificateKeyIdentifiers }] }),
  });
  if (read.kind === 'bad') return t.fail(read.why);
  t.is(indexOf(read).ofCertificate(leaf)?.reported, 'REVOKED');
  t.is(indexOf(read).ofCertificate(other), undefined);
});

const bad: readonly [what: string, make: () => Promise<{ octets: Uint8Array; roots?: string; host?: string }>, why: RegExp][] = [
  [
    'of another root',
    async () => ({ octets: makeBlob(signer), roots: (await makeCertificate({ subject: 'CN=Metadata Root' })).pem }),
    /none of the roots/,
  ],
  ['under no roots', async () => ({ octets: makeBlob(signer), roots: '' }), /none of the roots/],
  ['whose signer has expired', async () => ({ octets: makeBlob(await makeSigner(root, { notAfterMs: nowMs - dayMs })) }), /expired/],
  [
    'under a root that has expired',
    async () => {
      const old = await makeCertificate({ subject: 'CN=Old', notAfterMs: nowMs - dayMs });
      return { octets: makeBlob(await makeSigner(old)), roots: old.pem };
    },
    /none of the roots/,
  ],
  [
    'that somebody else of the same root signed',
    async () => ({ octets: makeBlob(await makeSigner(root, { host: 'mds.example.com' })), host: 'mds.fidoalliance.org' }),
    /signer is not/,
  ],
  ['that is cut short', async () => ({ octets: makeBlob(signer).subarray(0, -20) }), /signature/],
  [
    'whose middle is cut short',
    async () => {
      const [head = '', body = '', signature = ''] = makeBlob(signer).toString().split('.');
      return { octets: Buffer.from([head, body.slice(0, -9), signature].join('.')) };
    },
    /signature/,
  ],
  [
    'that was changed',
    async () => {
      const [head = '', , signature = ''] = makeBlob(signer, { entries: [makeEntry(model, ['REVOKED'])] })
        .toString()
        .split('.');
      const [, body = ''] = makeBlob(signer).toString().split('.');
      return { octets: Buffer.from([head, body, signature].join('.')) };
    },
    /signature/,
  ],
  ['that is not signed', async () => ({ octets: makeBlob(signer, { alg: 'none' }) }), /signature/],
  [
    'signed by its own key alone',
    async () => {
      const own = await makeCertificate({ subject: 'CN=Own' });
      return { octets: makeBlob(own) };
    },
    /none of the roots/,
  ],
  ['without a signer', async () => ({ octets: makeBlob(signer, { x5c: [] }) }), /does not say who/],
  [
    'with too many signers',
    async () => ({ octets: makeBlob(signer, { x5c: Array.from({ length: 9 }, () => Buffer.from(signer.der).toString('base64')) }) }),
    /does not say who/,
  ],
  ['without a number', async () => ({ octets: makeBlob(signer, { number: '7' }) }), /no number/],
  ['without a date', async () => ({ octets: makeBlob(signer, { nextUpdate: 'soon' }) }), /does not say when/],
  ['with entries that are no list', async () => ({ octets: makeBlob(signer, { entries: {} }) }), /no list/],
  [
    'with more entries than there are models',
    async () => ({ octets: makeBlob(signer, { entries: Array.from({ length: 20_001 }, () => 0) }) }),
    /too many/,
  ],
];

for (const [what, make, why] of bad) {
  test(`a blob ${what} is not taken`, async (t) => {
    const read = readBlob({ ...asked, ...(await make()) });
    t.regex(read.kind === 'bad' ? read.why : 'taken', why);
  });
}

test('a blob under the roots of the FIDO Alliance’s service must have been signed by that name', async (t) => {
  const named = await makeSigner(root, { host: 'mds.fidoalliance.org' });
  t.is(readBlob({ ...asked, octets: makeBlob(named), host: 'mds.fidoalliance.org' }).kind, 'good');
  const source = await mdsSource({ 'risk.mdsFile': '', 'risk.mdsRootFile': '', 'risk.mdsOctetsMax': 1 });
  t.like(source, { host: 'mds.fidoalliance.org' });
  t.true(typeof source === 'object' && source.roots.includes('BEGIN CERTIFICATE'));
});

test('entries that are nonsense say nothing, and do no harm', (t) => {
  const entries = [
    null,
    7,
    [],
    'x',
    { aaguid: 5, statusReports: 'x', metadataStatement: [] },
    {
      aaguid: '__proto__',
      metadataStatement: { attestationRootCertificates: [5, 'AA'], authenticatorGetInfo: { certifications: { 'FIPS-CMVP-3': 'x' } } },
      statusReports: [null, { status: 5 }],
    },
  ];
  const read = readBlob({ ...asked, octets: makeBlob(signer, { entries }) });
  t.like(read, { kind: 'good' });
  t.is(read.kind === 'good' ? read.entries.length : 0, 6);
});

test('a blob is read from a file, again when the file has changed, and by all who ask at once only once', async (t) => {
  const { store, source, put, faults } = await opened(t);
  await put(makeBlob(signer, { number: 7 }));
  const [one, two] = await Promise.all([1, 2].map(() => store.of(source, nowMs, faults.add)));
  t.is(one?.number, 7);
  t.is(one, two);
  t.is(await store.of(source, nowMs, faults.add), one);
  await put(makeBlob(signer, { number: 8 }));
  t.is((await store.of(source, nowMs, faults.add))?.number, 8);
  t.deepEqual(faults.told, []);
});

test('neither the number nor the date of the metadata goes back, nor does one number stand for two blobs; also after a restart', async (t) => {
  const { folder, source, put, faults } = await opened(t);
  await put(makeBlob(signer, { number: 7, nextUpdate: '2026-12-24' }));
  t.is((await storeIn(folder).of(source, nowMs, faults.add))?.number, 7);
  const others = [
    [{ number: 6 }, /number is 6, and 7 was accepted/],
    [{ number: 8, nextUpdate: '2026-12-23' }, /2026-12-24 was accepted/],
    [{ number: 7, entries: [makeEntry(model, [])] }, /number 7 is that of another/],
  ] as const;
  for (const [wish, why] of others) {
    await put(makeBlob(signer, wish));
    t.is(await storeIn(folder).of(source, nowMs, faults.add), undefined);
    t.regex(faults.told.at(-1) ?? '', why);
  }
  await put(makeBlob(signer, { number: 9 }));
  t.is((await storeIn(folder).of(source, nowMs, faults.add))?.number, 9);
});

test('a blob that cannot be used leaves the one before in use, and is told of once', async (t) => {
  const { store, source, put, faults } = await opened(t);
  await put(makeBlob(signer, { number: 7 }));
  await store.of(source, nowMs, faults.add);
  await put(Buffer.from('nothing of the kind'));
  for (const _ of [1, 2]) t.is((await store.of(source, nowMs, faults.add))?.number, 7);
  t.is(faults.told.length, 1);
  await rm(source.file);
  for (const _ of [1, 2]) t.is((await store.of(source, nowMs, faults.add))?.number, 7);
  t.is(faults.told.length, 2);
});

test('a file that is larger than allowed is not read', async (t) => {
  const { store, source, put, faults } = await opened(t);
  await put(makeBlob(signer, { entries: [makeEntry(model, [], [], { icon: 'x'.repeat(200_000) })] }));
  t.is(await store.of({ ...source, octetsMax: 100_000 }, nowMs, faults.add), undefined);
  t.regex(faults.told[0] ?? '', /100000 are allowed/);
});

test('a folder in place of the file is told of', async (t) => {
  const { store, source, folder, faults } = await opened(t);
  t.is(await store.of({ ...source, file: folder }, nowMs, faults.add), undefined);
  t.regex(faults.told[0] ?? '', /no file|EISDIR/);
});

test('a blob whose signer is revoked is not taken; one about which nobody answers is', async (t) => {
  const answers: readonly [Revocation, number | undefined][] = [
    [{ kind: 'revoked' }, undefined],
    [{ kind: 'unknown', why: 'nobody answers' }, 7],
  ];
  for (const [answer, number] of answers) {
    const { folder, source, put, faults } = await opened(t);
    await put(makeBlob(signer));
    const store = createMetadataStore({ folder, revocationOf: async () => answer, bounds: { timeoutMs: 1, octetsMax: 1 } });
    t.is((await store.of(source, nowMs, faults.add))?.number, number);
  }
});

test('what one realm’s metadata say is nothing to a realm with others', async (t) => {
  const { store, source, put, folder, faults } = await opened(t);
  await put(makeBlob(signer, { number: 7 }));
  const otherRoot = await makeCertificate({ subject: 'CN=Other Root' });
  const file = join(folder, 'other.jwt');
  await writeFile(file, makeBlob(await makeSigner(otherRoot), { number: 3 }));
  t.is((await store.of(source, nowMs, faults.add))?.number, 7);
  t.is((await store.of({ ...source, file, roots: otherRoot.pem }, nowMs, faults.add))?.number, 3);
  t.is(await store.of({ ...source, file }, nowMs, faults.add), undefined);
});

test('a blob as large as the real one is read beside the loop', async (t) => {
  const { store, source, put, faults } = await opened(t);
  const entries = Array.from({ length: 400 }, (_, at) =>
    makeEntry(`00000000-0000-0000-0000-${String(at).padStart(12, '0')}`, ['FIDO_CERTIFIED_L1'], [root], {
      icon: Buffer.from(sha256(Uint8Array.of(at & 0xff)))
        .toString('hex')
        .repeat(250),
    }),
  );
  const blob = makeBlob(signer, { entries });
  t.true(blob.length > 8_000_000);
  await put(blob);
  let turns = 0;
  let reading = true;
  const count = () => {
    turns++;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  const index = await store.of(source, nowMs, faults.add);
  reading = false;
  t.is(index?.entries.length, 400);
  // The loop went on turning while the thread read: a parse on the loop would leave a handful of turns.
  t.true(turns > 100, `${turns} turns`);
});

function entryFrom(entry: object) {
  const read = readBlob({ ...asked, octets: makeBlob(signer, { entries: [entry] }) });
  return read.kind === 'good' ? read.entries[0] : undefined;
}

function storeIn(folder: string) {
  return createMetadataStore({ folder: join(folder, 'kept'), revocationOf: undefined, bounds: { timeoutMs: 1, octetsMax: 1 } });
}

async function opened(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-metadata-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const source: MetadataSource = { file: join(folder, 'blob.jwt'), roots: root.pem, host: undefined, octetsMax: 33_554_432 };
  const told: string[] = [];
  let puts = 0;
  const put = async (octets: Uint8Array) => {
    // Another file each time: two writes within one tick of the disk's clock would look the same.
    await rm(source.file, { force: true });
    await writeFile(join(folder, `${puts++}.new`), octets);
    const { rename } = await import('node:fs/promises');
    await rename(join(folder, `${puts - 1}.new`), source.file);
    await readdir(folder);
  };
  return { folder, store: storeIn(folder), source, put, faults: { told, add: (why: string) => void told.push(why) } };
}
