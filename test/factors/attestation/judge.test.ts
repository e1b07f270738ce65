import test from 'ava';
import { Refusal } from '#catalogue';
import { readCertificate } from '#keys';
import { errors } from '../../../src/factors/attestation/errors.ts';
import { type AttestationPolicy, type JudgeOptions, judgeStatement } from '../../../src/factors/attestation/judge.ts';
import type { MetadataEntry } from '../../../src/factors/attestation/metadata/entry.ts';
import { indexOf } from '../../../src/factors/attestation/metadata/index-of.ts';
import { readAttestationObject } from '../../../src/factors/attestation/object.ts';
import {
  aaguidOf,
  type Credential,
  dayMs,
  der,
  Extension,
  type Made,
  makeCertificate,
  makeCredential,
  makeObject,
  makePacked,
  model,
  nowMs,
  signWith,
} from './make.ts';

const root = await makeCertificate();
const otherRoot = await makeCertificate({ subject: 'CN=Other Root' });
const credential = makeCredential();
const good = await makePacked(credential, root);
const self = makeObject('packed', { alg: -7, sig: signWith(credential.key, credential.signed) }, credential.data);
const none = makeObject('none', {}, credential.data);

const demands: readonly [name: string, demand: Partial<AttestationPolicy>][] = [
  ['require-trusted', { statements: 'require-trusted' }],
  ['an AAGUID allow-list', { models: new Set([model]) }],
  ['a certification level', { level: 'L1' }],
  ['FIPS', { fips: 1 }],
];

test('a chain to an anchor is trusted', async (t) => {
  t.deepEqual(await judge(good.object, { anchors: anchorsOf(root) }), { kind: 'judged', format: 'packed', proved: 'trusted' });
});

test('a statement whose chain leads to no known anchor is claimed', async (t) => {
  t.like(await judge(good.object, {}), { kind: 'judged', proved: 'claimed', why: 'no trust anchor is known for its chain' });
  t.like(await judge(good.object, { anchors: anchorsOf(otherRoot) }), { kind: 'judged', proved: 'claimed' });
});

test('none and self attestation are accepted as untrusted', async (t) => {
  t.like(await judge(none, {}), { kind: 'judged', format: 'none', proved: 'untrusted' });
  t.like(await judge(self, {}), { kind: 'judged', format: 'packed', proved: 'untrusted' });
});

test('with the policy ignore a statement is not looked at: it is claimed', async (t) => {
  const broken = makeObject('packed', { alg: -7, sig: Uint8Array.of(1) }, credential.data);
  t.like(await judge(broken, { statements: 'ignore' }), { kind: 'judged', proved: 'claimed' });
  t.like(await judge(none, { statements: 'ignore' }), { kind: 'judged', proved: 'untrusted' });
});

for (const [name, demand] of demands) {
  for (const statements of ['ignore', 'verify-if-present', 'require-trusted'] as const) {
    test(`${name} demands a trusted statement, with the policy ${statements} too`, async (t) => {
      for (const object of [none, self, good.object]) {
        const judged = await judge(object, { statements, ...demand });
        t.like(judged, { kind: 'refused', row: errors.untrusted });
      }
    });
  }
}

test('a model that is not in the AAGUID allow-list is refused', async (t) => {
  const anchors = anchorsOf(root);
  t.like(await judge(good.object, { anchors, models: new Set([model]) }), { kind: 'judged', proved: 'trusted' });
  const other = new Set(['ffffffff-0506-0708-090a-0b0c0d0e0f10']);
  t.like(await judge(good.object, { anchors, models: other }), { kind: 'refused', row: errors.modelNotAllowed });
});

test('a certificate of another model than the authenticator data is refused', async (t) => {
  for (const [aaguid, kind] of [
    [model, 'judged'],
    ['ffffffff-0506-0708-090a-0b0c0d0e0f10', 'refused'],
  ] as const) {
    const named = new Extension('1.3.6.1.4.1.45724.1.1.4', false, new Uint8Array(der(0x04, aaguidOf(aaguid))));
    const { object } = await makePacked(credential, root, { extensions: [named] });
    t.is((await judge(object, { anchors: anchorsOf(root) })).kind, kind);
  }
});

test('a certification level is that of the metadata, and higher ones fit', async (t) => {
  const cases = [
    ['L1', 'L2', false],
    ['L2', 'L2', true],
    ['L3plus', 'L2', true],
    ['L1plus', 'L1', true],
    [undefined, 'L1', false],
  ] as const;
  for (const [known, wanted, fits] of cases) {
    const judged = await judge(good.object, { level: wanted }, [entry({ roots: [root.der], level: known })]);
    t.is(judged.kind, fits ? 'judged' : 'refused', `${known} for ${wanted}`);
    if (!fits) t.like(judged, { row: errors.levelTooLow });
  }
});

test('a FIPS level is that of the metadata', async (t) => {
  t.like(await judge(good.object, { fips: 2 }, [entry({ roots: [root.der], fips: 1 })]), { kind: 'refused', row: errors.notFips });
  t.is((await judge(good.object, { fips: 2 }, [entry({ roots: [root.der], fips: 3 })])).kind, 'judged');
});

test('a model that the metadata report is refused, whatever vouches for it', async (t) => {
  const reported = [entry({ roots: [root.der], reported: 'REVOKED' })];
  for (const object of [good.object, self, none]) {
    t.like(await judge(object, {}, reported), { kind: 'refused', row: errors.modelReported, detail: { aaguid: model, status: 'REVOKED' } });
  }
});

test('where the metadata know a model, only their roots vouch for it', async (t) => {
  const known = [entry({ roots: [otherRoot.der], description: 'Test Key' })];
  t.like(await judge(good.object, { anchors: anchorsOf(root) }, known), { kind: 'refused', row: errors.statementBad });
  const right = await makePacked(credential, otherRoot);
  t.like(await judge(right.object, {}, known), { kind: 'judged', proved: 'trusted', model: 'Test Key' });
});

test('a certificate that is an anchor itself is trusted', async (t) => {
  t.like(await judge(good.object, { anchors: anchorsOf(good.leaf) }), { kind: 'judged', proved: 'trusted' });
});

test('a chain over an authority in between is trusted, in any order of what comes along', async (t) => {
  const middle = await makeCertificate({ subject: 'CN=Middle', issuer: root, ca: true, pathLength: 0 });
  const { object } = await makePacked(credential, middle, { above: [otherRoot, middle] });
  t.like(await judge(object, { anchors: anchorsOf(root) }), { kind: 'judged', proved: 'trusted' });
});

const badChains: readonly [what: string, make: () => Promise<Uint8Array>][] = [
  ['has expired', async () => (await makePacked(credential, root, { notAfterMs: nowMs - dayMs })).object],
  ['is not valid yet', async () => (await makePacked(credential, root, { notBeforeMs: nowMs + dayMs })).object],
  ['is an authority’s', async () => (await makePacked(credential, root, { ca: true })).object],
  [
    'has a critical extension that nobody knows',
    async () => (await makePacked(credential, root, { extensions: [new Extension('1.2.3.4', true, Uint8Array.of(5, 0))] })).object,
  ],
  ['says nothing of an authenticator', async () => (await makePacked(credential, root, { subject: 'CN=Test, O=Test, C=AA' })).object],
  [
    'was issued by one that is no authority',
    async () => {
      const middle = await makeCertificate({ subject: 'CN=Middle', issuer: root, ca: false });
      return (await makePacked(credential, middle, { above: [middle] })).object;
    },
  ],
  [
    'was issued by one whose key may sign none',
    async () => {
      const middle = await makeCertificate({ subject: 'CN=Middle', issuer: root, ca: true, signs: false });
      return (await makePacked(credential, middle, { above: [middle] })).object;
    },
  ],
  [
    'was issued by one that has expired',
    async () => {
      const middle = await makeCertificate({ subject: 'CN=Middle', issuer: root, ca: true, notAfterMs: nowMs - dayMs });
      return (await makePacked(credential, middle, { above: [middle] })).object;
    },
  ],
  [
    'stands below more authorities than there may be',
    async () => {
      const upper = await makeCertificate({ subject: 'CN=Upper', issuer: root, ca: true, pathLength: 0 });
      const middle = await makeCertificate({ subject: 'CN=Middle', issuer: upper, ca: true });
      return (await makePacked(credential, middle, { above: [middle, upper] })).object;
    },
  ],
];

for (const [what, make] of badChains) {
  test(`a statement is refused when a certificate of it ${what}`, async (t) => {
    t.like(await judge(await make(), { anchors: anchorsOf(root) }), { kind: 'refused', row: errors.statementBad });
  });
}

test('a root that has expired and that nobody trusts does not refuse a key: some devices send it along', async (t) => {
  const old = await makeCertificate({ subject: 'CN=Old', notAfterMs: nowMs - dayMs });
  const { object } = await makePacked(credential, old, { above: [old] });
  t.like(await judge(object, { anchors: anchorsOf(root) }), { kind: 'judged', proved: 'claimed' });
  const { object: expired } = await makePacked(credential, old, { notAfterMs: nowMs - dayMs, above: [old] });
  t.like(await judge(expired, { anchors: anchorsOf(root) }), { kind: 'refused', row: errors.statementBad });
});

test('a certificate that was signed with SHA-1 leads nowhere', async (t) => {
  const { object } = await makePacked(credential, root, { hash: 'SHA-1' });
  t.like(await judge(object, { anchors: anchorsOf(root) }), { kind: 'judged', proved: 'claimed' });
});

test('an anchor out of its validity vouches for nothing', async (t) => {
  const old = await makeCertificate({ notAfterMs: nowMs - dayMs });
  const { object } = await makePacked(credential, old);
  t.like(await judge(object, { anchors: anchorsOf(old) }), { kind: 'judged', proved: 'claimed' });
});

test('self attestation by another algorithm or another key than the credential’s is refused', async (t) => {
  const other = makeCredential();
  const wrong = makeObject('packed', { alg: -7, sig: signWith(other.key, credential.signed) }, credential.data);
  t.like(await judge(wrong, {}), { kind: 'refused', row: errors.statementBad });
  const algorithm = makeObject('packed', { alg: -35, sig: signWith(credential.key, credential.signed, 'sha384') }, credential.data);
  t.like(await judge(algorithm, {}), { kind: 'refused', row: errors.statementBad });
});

test('a format that is none of the eight is refused', async (t) => {
  t.like(await judge(makeObject('constructor', {}, credential.data), {}), { kind: 'refused', row: errors.statementBad });
});

test('a statement of nothing that says something is refused', async (t) => {
  t.like(await judge(makeObject('none', { x: 1 }, credential.data), {}), { kind: 'refused', row: errors.statementBad });
});

test('a revoked certificate refuses the key; one that nobody knows of is told, or refuses it with hard-fail', async (t) => {
  const anchors = anchorsOf(root);
  const asked = { revocationOf: async () => ({ kind: 'revoked' }) as const };
  t.like(await judge(good.object, { anchors }, [], asked), { kind: 'refused', row: errors.certificateRevoked });
  const unknown = { revocationOf: async () => ({ kind: 'unknown', why: 'nobody answers' }) as const };
  t.like(await judge(good.object, { anchors }, [], unknown), {
    kind: 'judged',
    proved: 'trusted',
    why: 'whether it is revoked is not known: nobody answers',
  });
  t.like(await judge(good.object, { anchors, unknownRevocation: 'refused' }, [], unknown), {
    kind: 'refused',
    row: errors.revocationUnknown,
  });
});

test('nobody is asked about a chain that leads nowhere', async (t) => {
  const judged = await judge(good.object, {}, [], { revocationOf: () => Promise.reject(new Error('asked')) });
  t.like(judged, { kind: 'judged', proved: 'claimed' });
});

test('a refusal says in its words nothing but that the key is not accepted', async (t) => {
  const judged = await judge(none, { statements: 'require-trusted' });
  if (judged.kind !== 'refused') return t.fail();
  const refusal = new Refusal(judged.row, judged.detail);
  t.regex(refusal.tells, /its own is untrusted: no attestation/);
  t.notRegex(refusal.says, /untrusted|STS|attest/);
});

function judge(
  object: Uint8Array,
  policy: Partial<AttestationPolicy>,
  entries: readonly MetadataEntry[] = [],
  more: Partial<JudgeOptions> = {},
  of: Credential = credential,
) {
  return judgeStatement({
    object: readAttestationObject(object),
    clientDataHash: of.clientDataHash,
    policy: {
      statements: 'verify-if-present',
      anchors: [],
      models: new Set(),
      level: undefined,
      fips: 0,
      unknownRevocation: 'accepted',
      ...policy,
    },
    metadata: entries.length === 0 ? undefined : indexOf({ number: 1, nextUpdate: '2027-01-01', entries }),
    revocationOf: async () => ({ kind: 'good' }),
    nowMs,
    ...more,
  });
}

function entry(given: Partial<MetadataEntry>): MetadataEntry {
  return { aaguid: model, keyIdentifiers: [], description: undefined, reported: undefined, level: undefined, fips: 0, roots: [], ...given };
}

function anchorsOf(...made: readonly Made[]) {
  return made.flatMap(({ der: octets }) => readCertificate(octets) ?? []);
}
