import test, { type ExecutionContext } from 'ava';
import { calculateJwkThumbprint, importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import { Refusal } from '#catalogue';
import { ClientRefusal } from '#client';
import { createResealing } from '#directory';
import { createSealer, type Sealer, sealerKeys, signingAlgorithms } from '#keys';
import { openSigningKeys } from '#oauth';
import { admin, person, standingKek, suffix } from '../directory/driver.ts';
import { openWebLayer, type WebLayer } from '../support/web-layer.ts';

const realm = { id: 'default', suffix };
const base = `ou=signingKeys,${suffix}`;
const dayMs = 86_400_000;

async function open(t: ExecutionContext, given: Parameters<typeof openWebLayer>[1] = {}) {
  const layer = await openWebLayer(t, given);
  return { ...layer, keys: openSigningKeys(layer), operator: layer.house.operator() };
}

const kids = ({ keys }: { readonly keys: readonly { readonly kid: string }[] }) => keys.map(({ kid }) => kid);

/** What lies on the disk of all entries that have a secret part. */
function secretsOf({ house }: WebLayer): string {
  const snapshot = house.engine.store.snapshot();
  let all = '';
  for (let id = 1; id <= snapshot.lastId(); id++) all += Buffer.from(snapshot.byId(id)?.secret ?? []).toString('latin1');
  return all;
}

test('keys are made when they are first needed, of every algorithm, and what they sign is checked by what is published', async (t) => {
  const { keys } = await open(t);
  const { privateJwks, publicJwks } = await keys.of(realm, signingAlgorithms);
  t.deepEqual(
    privateJwks.keys.map(({ alg }) => alg),
    [...signingAlgorithms],
  );
  t.is(publicJwks.keys.length, 2 * signingAlgorithms.length, 'the next one is published before it signs');
  for (const [at, jwk] of privateJwks.keys.entries()) {
    const algorithm = signingAlgorithms[at] ?? '';
    const found = publicJwks.keys.find(({ kid }) => kid === jwk.kid) as JWK;
    t.is(await calculateJwkThumbprint(found), jwk.kid, 'RFC 7638');
    const token = await new SignJWT({ ok: true })
      .setProtectedHeader({ alg: algorithm, kid: jwk.kid })
      .sign(await importJWK(jwk as JWK, algorithm));
    t.true((await jwtVerify(token, await importJWK(found, algorithm))).payload['ok'], algorithm);
  }
  t.false(JSON.stringify(publicJwks).match(/"(d|priv|p|q|dp|dq|qi|k)":/) !== null, 'nothing private is published');
});

test('of many who need a key at once one makes it', async (t) => {
  const layer = await open(t);
  const found = await Promise.all(Array.from({ length: 8 }, () => openSigningKeys(layer).of(realm, ['ES256', 'EdDSA'])));
  t.is(new Set(found.map(({ version }) => version)).size, 1);
  t.is((await layer.operator.search(base, '(stsKeyId=*)', { scope: 'one' })).entries.length, 4);
});

test('the private half is sealed, and no door reads it but the web layer’s, which asks for it', async (t) => {
  const layer = await open(t);
  const { privateJwks } = await layer.keys.of(realm, ['ES256']);
  const secret = String(privateJwks.keys[0]?.['d']);
  t.false(secretsOf(layer).includes(secret));
  const { entries } = await layer.operator.search(base, '(stsKeyId=*)', { scope: 'one', attributes: ['*', '+', 'stsPrivateKey'] });
  t.is(entries.length, 2);
  for (const entry of entries) t.false(entry.names.some((name) => /private/i.test(name)));
  t.deepEqual((await layer.operator.search(base, '(stsPrivateKey=*)', { scope: 'one' })).dns, []);
  const value = Uint8Array.from([0x30, 0x02, 0x04, 0x00]);
  const ask = { kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.100', value } as const;
  t.is((await layer.operator.ask(ask)).code, 2, 'nobody else is offered it');
  t.is((await layer.house.connect('ldap').ask(ask)).code, 2);
  t.false(JSON.stringify(layer.audited).includes(secret));
});

test('development mode without a key-encryption key: keys lie open in the store, and work', async (t) => {
  const layer = await open(t, { 'global.mode': 'development', sealer: createSealer(sealerKeys('', '')) });
  const { privateJwks } = await layer.keys.of(realm, ['ES256']);
  t.true(secretsOf(layer).includes(String(privateJwks.keys[0]?.['d'])));
});

test('product mode without a key-encryption key: nothing is made, and the row is STS-OAUTH-9102', async (t) => {
  const layer = await open(t, { sealer: createSealer(sealerKeys('', '')) });
  const refusal = await t.throwsAsync(layer.keys.of(realm, ['ES256']), { instanceOf: Refusal });
  t.is(refusal?.row.code, 'STS-OAUTH-9102');
  t.deepEqual((await layer.operator.search(base, '(stsKeyId=*)', { scope: 'one' })).dns, []);
});

test('rotation: the next key signs, the one that signed is published while what it signed lives, and its private half is gone', async (t) => {
  const layer = await open(t);
  const { keys, client, clock } = layer;
  const first = await keys.of(realm, ['ES256', 'EdDSA']);
  const rotated = await client.as({ dn: admin }).rotateSigningKeys({ suffix, algorithm: 'ES256' });
  const second = await keys.of(realm, ['ES256', 'EdDSA']);
  t.not(second.version, first.version);
  t.deepEqual(rotated, [
    { algorithm: 'ES256', kid: second.privateJwks.keys[0]?.kid ?? '', previous: first.privateJwks.keys[0]?.kid ?? '' },
  ]);
  t.true(kids(first.publicJwks).includes(second.privateJwks.keys[0]?.kid ?? ''), 'who keeps keys knew it before it signed');
  t.is(second.privateJwks.keys[1]?.kid, first.privateJwks.keys[1]?.kid, 'of another algorithm nothing changes');
  t.true(kids(second.publicJwks).includes(first.privateJwks.keys[0]?.kid ?? ''));
  t.false(secretsOf(layer).includes(String(first.privateJwks.keys[0]?.['d'])));
  clock.moveMs(30 * dayMs + 1000);
  t.false(kids((await keys.of(realm, ['ES256', 'EdDSA'])).publicJwks).includes(first.privateJwks.keys[0]?.kid ?? ''));
  t.like(
    layer.audited.find(({ action }) => action === 'keys.rotate'),
    { outcome: 'success' },
  );
});

test('an emergency takes back all that was made, when it is confirmed with the word compromised', async (t) => {
  const { keys, client, audited } = await open(t);
  const first = await keys.of(realm, ['ES256']);
  const acting = client.as({ dn: admin });
  for (const emergency of ['', 'Compromised', 'yes']) {
    const refusal = await t.throwsAsync(acting.rotateSigningKeys({ suffix, emergency }), { instanceOf: ClientRefusal });
    t.is(refusal?.code, 53);
  }
  t.is(audited.at(-1)?.error?.code, 'STS-KEYS-9500');
  t.is((await keys.of(realm, ['ES256'])).version, first.version);
  await acting.rotateSigningKeys({ suffix, emergency: 'compromised' });
  const second = await keys.of(realm, ['ES256']);
  for (const kid of kids(first.publicJwks)) t.false(kids(second.publicJwks).includes(kid));
  t.is(second.publicJwks.keys.length, 2);
});

test('keys are rotated by who manages the realm, of an algorithm and a realm that there are', async (t) => {
  const { client, audited, keys } = await open(t);
  await keys.of(realm, ['ES256']);
  const codeOf = async (dn: string, asked: { suffix: string; algorithm?: string }) =>
    (await t.throwsAsync(client.as({ dn }).rotateSigningKeys(asked), { instanceOf: ClientRefusal }))?.code;
  t.is(await codeOf(person('ada'), { suffix }), 50);
  t.is(await codeOf(admin, { suffix, algorithm: 'none' }), 2);
  t.is(audited.at(-1)?.error?.code, 'STS-LDAP-9501');
  t.is(await codeOf(admin, { suffix: `ou=people,${suffix}` }), 32);
});

test('a key that has signed for keys.signingMaxAgeDays is followed by the next by itself', async (t) => {
  const { keys, clock } = await open(t);
  const first = await keys.of(realm, ['ES256']);
  clock.moveMs(89 * dayMs);
  t.deepEqual(kids((await keys.of(realm, ['ES256'])).privateJwks), kids(first.privateJwks));
  clock.moveMs(dayMs + 3_600_000);
  const second = await keys.of(realm, ['ES256']);
  t.notDeepEqual(kids(second.privateJwks), kids(first.privateJwks));
  t.true(kids(first.publicJwks).includes(kids(second.privateJwks)[0] ?? ''));
});

test('keys sealed under keys.previousKek are sealed anew, and sign as before; under a key that opens nothing there is no signing', async (t) => {
  let now: Sealer = createSealer(sealerKeys(standingKek, ''));
  const sealer: Sealer = {
    get canSeal() {
      return now.canSeal;
    },
    seal: (...given) => now.seal(...given),
    open: (...given) => now.open(...given),
  };
  const layer = await open(t, { sealer });
  const first = await layer.keys.of(realm, ['ES256']);
  now = createSealer(sealerKeys('the key-encryption key that comes after', standingKek));
  t.regex(await createResealing(layer.house.engine)(), /^2 entries were sealed anew/);
  now = createSealer(sealerKeys('the key-encryption key that comes after', ''));
  t.deepEqual((await openSigningKeys(layer).of(realm, ['ES256'])).privateJwks, first.privateJwks);
  now = createSealer(sealerKeys('another one altogether', ''));
  const refusal = await t.throwsAsync(openSigningKeys(layer).of(realm, ['ES256']), { instanceOf: Refusal });
  t.is(refusal?.row.code, 'STS-OAUTH-9102');
});

test('a key that somebody brings is one: nonsense is refused in words, and the private half is sealed', async (t) => {
  const layer = await open(t);
  const { operator } = layer;
  const { privateJwks } = await layer.keys.of(realm, ['ES256']);
  const [jwk] = privateJwks.keys;
  const { d, ...open256 } = jwk as JWK;
  const entry = (more: Record<string, string> = {}) => ({
    objectClass: 'stsSigningKey',
    stsKeyId: 'brought',
    stsKeyAlgorithm: 'ES256',
    stsKeyState: 'current',
    stsPublicKey: JSON.stringify({ ...open256, kid: 'brought' }),
    ...more,
  });
  const dn = `stsKeyId=brought,${base}`;
  const wrong: readonly Record<string, string>[] = [
    { stsKeyAlgorithm: 'HS256' },
    { stsKeyState: 'old' },
    { stsPublicKey: JSON.stringify({ ...jwk, kid: 'brought' }) },
    { stsPublicKey: '{}' },
    { stsPrivateKey: 'secret' },
    { stsPrivateKey: JSON.stringify({ ...jwk, alg: 'EdDSA' }) },
  ];
  for (const more of wrong) t.is((await operator.add(dn, entry(more))).code, 19, JSON.stringify(more));
  t.is((await operator.add(`stsKeyId=brought,ou=people,${suffix}`, entry())).code, 19);
  t.is((await operator.add(dn, entry({ stsPrivateKey: JSON.stringify(jwk) }))).code, 0);
  t.false(secretsOf(layer).includes(String(d)));
});
