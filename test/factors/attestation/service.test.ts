import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { addPerson, asAdministrator } from '../../flows/people.ts';
import { ask, hiddenOf, openScreen } from '../../flows/raw.ts';
import { addPersonTo, addRealm, replaceValues, type TestRealm } from '../../flows/realms.ts';
import { startTestAtrium, type TestAtrium } from '../../support/atrium.ts';
import { makeBlob, makeEntry, makeSigner } from './blobs.ts';
import {
  type Credential,
  type Made,
  makeCertificate,
  makeCredential,
  makeObject,
  makePacked,
  makeRevocationList,
  model,
  nowMs,
  signWith,
} from './make.ts';

const clock = { nowMs: () => nowMs };
const root = await makeCertificate();
/** On one line, as a setting may have it. */
const anchor = root.pem.replaceAll('\n', ' ');
const text = (octets: Uint8Array) => Buffer.from(octets).toString('base64url');
let people = 0;

/** What a key answers to a ceremony of a service. */
type Answer = (credential: Credential) => Promise<Uint8Array> | Uint8Array;

const none: Answer = ({ data }) => makeObject('none', {}, data);
const self: Answer = ({ key, signed, data }) => makeObject('packed', { alg: -7, sig: signWith(key, signed) }, data);
const broken: Answer = ({ data }) => makeObject('packed', { alg: -7, sig: Uint8Array.of(1, 2, 3) }, data);
const trusted: Answer = async (credential) => (await makePacked(credential, root)).object;

async function started(t: ExecutionContext, settings: Record<string, string> = {}): Promise<TestAtrium> {
  const atrium = await startTestAtrium({ clock, settings });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  return atrium;
}

/** A person who signs in with a password and the box ticked enrols a key: what the page answers, and what is kept of the key. */
async function enrol(atrium: TestAtrium, answer: Answer, realm?: TestRealm) {
  const uid = `key${people++}`;
  const person =
    realm === undefined
      ? await addPerson(atrium, uid, 'Key Holder')
      : await addPersonTo(atrium, realm, uid, 'Key Holder', 'Analytical-Engine-1843');
  const base = (atrium.addresses.http ?? '').replace('127.0.0.1', 'localhost');
  const screen = await openScreen(base, realm === undefined ? '/portal' : `/realm/${realm.id}/portal`);
  const cookies = { sts_signin: screen.browser };
  const form = { csrf: screen.csrf, username: person.uid, password: person.password, 'second-factor': 'on' };
  const { location } = await ask(base, screen.target, { method: 'POST', cookies, form });
  const page = await ask(base, location, { cookies });
  const challenge = /challenge&quot;:&quot;([\w-]+)/.exec(page.body)?.[1] ?? '';
  const clientData = JSON.stringify({ type: 'webauthn.create', challenge, origin: base.replace(/\/$/, ''), crossOrigin: false });
  const credential = makeCredential({ id: crypto.getRandomValues(new Uint8Array(16)), clientData });
  const posted = JSON.stringify({
    id: text(credential.id),
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: text(credential.clientDataJSON), attestationObject: text(await answer(credential)), transports: ['usb'] },
  });
  const answered = await ask(base, location, { method: 'POST', cookies, form: { csrf: hiddenOf(page, 'csrf'), answer: posted } });
  const { searchEntries } = await asAdministrator(atrium, (client) =>
    client.search(person.dn, { scope: 'base', attributes: ['stsWebauthnCredential'] }),
  );
  const [kept] = [searchEntries[0]?.['stsWebauthnCredential'] ?? []].flat().map(String);
  return {
    status: answered.status,
    body: answered.body,
    location: answered.location,
    kept: kept === undefined || kept === '' ? undefined : JSON.parse(kept),
    code: atrium.audit.at(-1)?.errorCode,
  };
}

const lastRefusal = (atrium: TestAtrium) => atrium.audit.findLast(({ outcome }) => outcome === 'refused');

test('what the statement of a key proved is kept with the key: trusted, untrusted or claimed', async (t) => {
  const atrium = await started(t, { STS_WEBAUTHN_ATTESTATION_TRUST_ANCHORS: anchor });
  const other = await makeCertificate({ subject: 'CN=Nobody knows' });
  const cases: readonly [Answer, object][] = [
    [trusted, { format: 'packed', proved: 'trusted' }],
    [none, { format: 'none', proved: 'untrusted', why: 'no attestation' }],
    [self, { format: 'packed', proved: 'untrusted', why: 'attested by its own key alone' }],
    [
      async (credential) => (await makePacked(credential, other)).object,
      { format: 'packed', proved: 'claimed', why: 'no trust anchor is known for its chain' },
    ],
  ];
  for (const [answer, attestation] of cases) {
    const { status, kept } = await enrol(atrium, answer);
    t.is(status, 303);
    t.deepEqual(kept?.attestation, attestation);
  }
});

test('in product mode a statement that does not hold refuses the key, and the page says so in words', async (t) => {
  const atrium = await started(t);
  const { status, body, kept } = await enrol(atrium, broken);
  t.is(status, 403);
  t.regex(body, /This security key cannot be used here/);
  t.notRegex(body, /STS-|signature/);
  t.is(kept, undefined);
  t.like(lastRefusal(atrium), { errorCode: 'STS-AUTHN-9371' });
});

test('in development mode statements are looked at only when the realm asks', async (t) => {
  const asked = await started(t, { STS_GLOBAL_MODE: 'development', STS_WEBAUTHN_ATTESTATION_POLICY: 'verify-if-present' });
  t.is((await enrol(asked, broken)).status, 403);
  const atrium = await started(t, { STS_GLOBAL_MODE: 'development' });
  t.like((await enrol(atrium, broken)).kept?.attestation, { proved: 'claimed' });
});

test('an attestation object that cannot be read is refused before anything looks at it', async (t) => {
  const atrium = await started(t);
  const { status, kept } = await enrol(atrium, () => new Uint8Array(1000).fill(0x81));
  t.is(status, 400);
  t.is(kept, undefined);
  t.like(lastRefusal(atrium), { errorCode: 'STS-AUTHN-9370' });
});

const demands: readonly [what: string, settings: Record<string, string>, answer: Answer, code: string][] = [
  ['require-trusted', { STS_WEBAUTHN_ATTESTATION_POLICY: 'require-trusted' }, none, 'STS-AUTHN-9372'],
  ['an AAGUID allow-list and no trusted statement', { STS_WEBAUTHN_ATTESTATION_MODELS: model }, self, 'STS-AUTHN-9372'],
  ['an AAGUID allow-list', { STS_WEBAUTHN_ATTESTATION_MODELS: 'ffffffff-0506-0708-090a-0b0c0d0e0f10' }, trusted, 'STS-AUTHN-9373'],
  ['a certification level', { STS_WEBAUTHN_ATTESTATION_LEVEL: 'L2' }, trusted, 'STS-AUTHN-9374'],
  ['FIPS', { STS_WEBAUTHN_ATTESTATION_FIPS: '1' }, trusted, 'STS-AUTHN-9375'],
];

for (const [what, settings, answer, code] of demands) {
  test(`a realm that demands ${what} refuses the key of ${code}`, async (t) => {
    const atrium = await started(t, { STS_WEBAUTHN_ATTESTATION_TRUST_ANCHORS: anchor, ...settings });
    const { status, kept } = await enrol(atrium, answer);
    t.is(status, 403);
    t.is(kept, undefined);
    t.like(lastRefusal(atrium), { errorCode: code });
  });
}

test('a model that the metadata report as REVOKED is refused, from the enrolment after the file came', async (t) => {
  const roots = await makeCertificate({ subject: 'CN=Metadata Root' });
  const signer = await makeSigner(roots);
  const atrium = await started(t, { STS_RISK_MDS_ROOT_FILE: 'roots.pem' }).catch(() => undefined);
  if (atrium === undefined) return t.fail();
  const file = join(atrium.dataDir, 'blob.jwt');
  const rootFile = join(atrium.dataDir, 'roots.pem');
  writeFileSync(rootFile, roots.pem);
  await atrium.stop();
  const again = await started(t, { STS_RISK_MDS_FILE: file, STS_RISK_MDS_ROOT_FILE: rootFile });
  writeFileSync(file, makeBlob(signer, { number: 1, entries: [makeEntry(model, ['FIDO_CERTIFIED_L1'], [root])] }));
  t.like((await enrol(again, trusted)).kept?.attestation, { proved: 'trusted', model: 'Test Key' });
  writeFileSync(file, makeBlob(signer, { number: 2, entries: [makeEntry(model, ['FIDO_CERTIFIED_L1', 'REVOKED'], [root])] }));
  t.is((await enrol(again, trusted)).status, 403);
  t.like(lastRefusal(again), { errorCode: 'STS-AUTHN-9376' });
  writeFileSync(file, 'nothing of the kind');
  t.is((await enrol(again, trusted)).status, 403);
  t.regex(again.log(), /\[STS-AUTHN-9379\]/);
});

test('a revoked attestation certificate refuses the key; with hard-fail so does a list that nobody has', async (t) => {
  let there = true;
  let leaf: Made | undefined;
  const lists = createServer(async (_, reply) => {
    reply.statusCode = there ? 200 : 404;
    reply.end(await makeRevocationList(root, leaf === undefined ? [] : [leaf]));
  }).listen(0, '127.0.0.1');
  await once(lists, 'listening');
  t.teardown(() => void lists.close());
  const revocationList = `http://127.0.0.1:${(lists.address() as AddressInfo).port}/`;
  const made = async (credential: Credential) => await makePacked(credential, root, { revocationList });
  const anchors = { STS_WEBAUTHN_ATTESTATION_TRUST_ANCHORS: anchor };
  const revoked: Answer = async (credential) => {
    const packed = await made(credential);
    leaf = packed.leaf;
    return packed.object;
  };
  const atrium = await started(t, anchors);
  t.is((await enrol(atrium, revoked)).status, 403);
  t.like(lastRefusal(atrium), { errorCode: 'STS-AUTHN-9377' });
  there = false;
  const soft = await started(t, anchors);
  t.regex((await enrol(soft, revoked)).kept?.attestation.why ?? '', /whether it is revoked is not known/);
  const hard = await started(t, { ...anchors, STS_WEBAUTHN_ATTESTATION_REVOCATION: 'hard-fail' });
  t.is((await enrol(hard, revoked)).status, 403);
  t.like(lastRefusal(hard), { errorCode: 'STS-AUTHN-9378' });
});

test('trust anchors that lead to no certificates are told in the log, and vouch for nothing', async (t) => {
  const atrium = await started(t, { STS_WEBAUTHN_ATTESTATION_TRUST_ANCHORS: '/no/such/file.pem' });
  t.like((await enrol(atrium, trusted)).kept?.attestation, { proved: 'claimed' });
  t.regex(atrium.log(), /\[STS-AUTHN-9380\]/);
});

test('what a realm keeps below ou=trustAnchors vouches for keys there, from the next enrolment on, and in no other realm', async (t) => {
  const atrium = await started(t);
  const realm = await addRealm(atrium, 'acme');
  t.like((await enrol(atrium, trusted, realm)).kept?.attestation, { proved: 'claimed' });
  const subject = `cn=Maker,ou=trustAnchors,${realm.suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(subject, {
      objectClass: ['organizationalRole', 'pkiCA'],
      cn: 'Maker',
      'cACertificate;binary': [Buffer.from(root.der)] as unknown as string[],
    }),
  );
  t.like((await enrol(atrium, trusted, realm)).kept?.attestation, { proved: 'trusted' });
  t.like((await enrol(atrium, trusted)).kept?.attestation, { proved: 'claimed' });
  await asAdministrator(atrium, (client) => client.del(subject));
  t.like((await enrol(atrium, trusted, realm)).kept?.attestation, { proved: 'claimed' });
});

test('a realm’s demand is its own, and counts from the next enrolment on', async (t) => {
  const atrium = await started(t, { STS_WEBAUTHN_ATTESTATION_TRUST_ANCHORS: anchor });
  const realm = await addRealm(atrium, 'acme');
  t.is((await enrol(atrium, none, realm)).status, 303);
  await replaceValues(atrium, realm.dn, 'stsSetting', ['webauthn.attestationPolicy=require-trusted']);
  t.is((await enrol(atrium, none, realm)).status, 403);
  t.like(lastRefusal(atrium), { errorCode: 'STS-AUTHN-9372', realm: 'acme' });
  t.like((await enrol(atrium, trusted, realm)).kept?.attestation, { proved: 'trusted' });
  t.is((await enrol(atrium, none)).status, 303);
  const elsewhere = await makeCertificate({ subject: 'CN=Nobody knows' });
  await replaceValues(atrium, realm.dn, 'stsSetting', [`webauthn.attestationTrustAnchors=${elsewhere.pem.replaceAll('\n', ' ')}`]);
  t.like((await enrol(atrium, trusted, realm)).kept?.attestation, { proved: 'claimed' });
  t.like((await enrol(atrium, trusted)).kept?.attestation, { proved: 'trusted' });
});
