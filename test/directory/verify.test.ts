import test from 'ava';
import { refuse } from '#catalogue';
import { ClientRefusal, type Verification } from '#client';
import { createSealer, sealerKeys } from '#keys';
import { storeErrors } from '#store';
import { createApp } from '../support/app.ts';
import { openWebLayer, type WebLayer } from '../support/web-layer.ts';
import { admin, hasher, person, standingKek, suffix } from './driver.ts';

type Secret = Verification['secret'];

const where = { door: 'signin', address: '192.0.2.9', isProtected: true };
const by = (layer: WebLayer, dn: string, secret: Secret, more: Partial<Verification> = {}) =>
  layer.client.verify({ dn, secret, ...where, ...more });
const totp = (code: string, window = 1): Secret => ({ kind: 'totp', code, window });
const recovery = (code: string): Secret => ({ kind: 'recovery', code });
const wrong = { kind: 'refused', why: 'wrong' } as const;
const replay = { kind: 'refused', why: 'replay' } as const;

async function give(layer: WebLayer, dn: string, attribute: string, ...values: string[]): Promise<void> {
  const { code, result } = await layer.house.operator().modify(dn, ['replace', attribute, ...values]);
  if (code !== 0) throw new Error(result.diagnostic);
}

async function shown(layer: WebLayer, dn: string, name: string): Promise<string | undefined> {
  const { entries } = await layer.house.operator().search(dn, '(objectClass=*)', { scope: 'base', attributes: [name] });
  return entries[0]?.all(name)[0];
}

test('RFC 6238 §5.2: a code is accepted once, and a replay is refused as a replay, not as a wrong code', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp();
  const now = layer.clock.nowMs();
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  t.deepEqual(await by(layer, person('ada'), totp(app.wrong(now))), wrong);
  t.deepEqual(await by(layer, person('ada'), totp(app.code(now))), { kind: 'accepted' });
  t.deepEqual(await by(layer, person('ada'), totp(app.code(now))), replay);
  t.deepEqual(await by(layer, person('ada'), totp(app.code(now, -1))), replay, 'one of an earlier step, too');
  t.deepEqual(await by(layer, person('ada'), totp(app.wrong(now))), wrong);
  layer.clock.moveMs(30_000);
  t.deepEqual(await by(layer, person('ada'), totp(app.code(layer.clock.nowMs()))), { kind: 'accepted' });
});

test('codes are verified for real in both modes, with so many steps of skew either side', async (t) => {
  for (const mode of ['product', 'development'] as const) {
    const layer = await openWebLayer(t, { 'global.mode': mode });
    const app = createApp();
    const now = layer.clock.nowMs();
    await give(layer, person('ada'), 'stsTotpCredential', app.credential);
    t.deepEqual(await by(layer, person('ada'), totp(app.code(now, -2))), wrong, mode);
    t.deepEqual(await by(layer, person('ada'), totp(app.code(now, -1), 0)), wrong, mode);
    t.deepEqual(await by(layer, person('ada'), totp(app.wrong(now))), wrong, mode);
    t.deepEqual(await by(layer, person('ada'), totp(app.code(now, -1))), { kind: 'accepted' }, mode);
    t.deepEqual(await by(layer, person('ada'), totp(app.code(now, 3), 3)), { kind: 'accepted' }, mode);
  }
});

test('digest, digits and period are those of the app, whatever new ones would have', async (t) => {
  const layer = await openWebLayer(t);
  for (const [algorithm, digits, period] of [
    ['SHA256', 8, 60],
    ['SHA512', 7, 15],
  ] as const) {
    const app = createApp({ algorithm, digits, period });
    await give(layer, person('ada'), 'stsTotpCredential', app.credential);
    t.is(
      await shown(layer, person('ada'), 'stsAuthenticatorApp'),
      `algorithm=${algorithm} digits=${digits} period=${period} added=1795000000000`,
    );
    t.deepEqual(
      await by(layer, person('ada'), totp(app.code(layer.clock.nowMs()))),
      { kind: 'accepted' },
      'the last step of the app before is forgotten',
    );
  }
});

test('who has failed too often is refused before anything is judged, with a right code too, and codes count together with passwords', async (t) => {
  const layer = await openWebLayer(t, { countsAttempts: true });
  const app = createApp();
  const now = layer.clock.nowMs();
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  t.is((await layer.client.judge({ dn: person('ada'), password: 'wrong', ...where })).kind, 'refused');
  t.deepEqual(await by(layer, person('ada'), recovery('ABCDEFGHJK')), { kind: 'refused', why: 'absent' });
  for (let tries = 0; tries < 3; tries++) t.deepEqual(await by(layer, person('ada'), totp(app.wrong(now))), wrong);
  const limited = await by(layer, person('ada'), totp(app.code(now)));
  t.like(limited, { kind: 'limited', of: 'identity' });
  t.true(limited.kind === 'limited' && limited.waitS > 0 && limited.waitS <= 60);
  layer.clock.moveMs(60_000);
  t.deepEqual(await by(layer, person('ada'), totp(app.code(layer.clock.nowMs()))), { kind: 'accepted' });
  for (let tries = 0; tries < 8; tries++) {
    layer.clock.moveMs(30_000);
    t.deepEqual(await by(layer, person('ada'), totp(app.code(layer.clock.nowMs()))), { kind: 'accepted' }, 'right ones count as nothing');
  }
});

test('a disabled account is refused, as with a wrong code, and so is who has no app, has no entry, or may not sign in from there', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp();
  const code = app.code(layer.clock.nowMs());
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  await give(layer, person('ada'), 'pwdAccountLockedTime', '000001010000Z');
  t.deepEqual(await by(layer, person('ada'), totp(code)), wrong);
  t.is(layer.audited.at(-1)?.error?.code, 'STS-AUTHN-9314');
  t.deepEqual(await by(layer, person('nobody'), totp(code)), wrong);
  t.deepEqual(await by(layer, person('alan'), totp(code)), { kind: 'refused', why: 'absent' });
  await give(layer, person('ada'), 'pwdAccountLockedTime');
  const rule = {
    objectClass: 'stsAccessRule',
    cn: 'home',
    stsRuleOrder: '1',
    stsRuleEffect: 'deny',
    stsRuleWho: 'anyone',
    stsRuleFrom: '192.0.2.0/24',
    stsRuleRight: 'auth',
  };
  await layer.house.operator().add(`ou=accessRules,${suffix}`, { objectClass: 'organizationalUnit', ou: 'accessRules' });
  t.is((await layer.house.operator().add(`cn=home,ou=accessRules,${suffix}`, rule)).code, 0);
  t.deepEqual(await by(layer, person('ada'), totp(code)), wrong);
  t.deepEqual(await by(layer, person('ada'), totp(code), { address: '198.51.100.1' }), { kind: 'accepted' });
});

test('nothing is accepted that could not be written: not a code, not a recovery code, not an app', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp();
  const code = app.code(layer.clock.nowMs());
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  await give(layer, person('ada'), 'stsRecoveryCode', 'ABCDE-FGHJK', 'LMNPQ-RSTUV');
  const { store } = layer.house.engine;
  const { commit } = store;
  const full: typeof commit = () => Promise.reject(refuse(storeErrors.commitFailed, { why: 'the disk is full' }));
  Object.assign(store, { commit: full });
  for (const secret of [totp(code), recovery('ABCDE-FGHJK')]) {
    const error = await t.throwsAsync(by(layer, person('ada'), secret), { instanceOf: ClientRefusal });
    t.is(error.code, 52);
  }
  const session = { factors: 1, authenticatedMs: layer.clock.nowMs(), address: '192.0.2.9', isProtected: true };
  await t.throwsAsync(by(layer, person('alan'), { kind: 'enrolTotp', credential: app.credential, code, window: 1 }, { session }), {
    instanceOf: ClientRefusal,
  });
  Object.assign(store, { commit });
  t.deepEqual(await by(layer, person('ada'), totp(code)), { kind: 'accepted' }, 'it was not spent either');
  t.deepEqual(await by(layer, person('ada'), recovery('ABCDE-FGHJK')), { kind: 'accepted', left: 1 });
  t.is(await shown(layer, person('alan'), 'stsAuthenticatorApp'), undefined);
});

test('of many who show the same code at once exactly one is let in', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp();
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  const many = (secret: Secret) => Promise.all(Array.from({ length: 20 }, () => by(layer, person('ada'), secret)));
  for (let round = 0; round < 5; round++) {
    layer.clock.moveMs(60_000);
    const answers = await many(totp(app.code(layer.clock.nowMs())));
    t.is(answers.filter(({ kind }) => kind === 'accepted').length, 1);
    t.is(answers.filter((each) => each.kind === 'refused' && each.why === 'replay').length, 19);
  }
  await give(layer, person('ada'), 'stsRecoveryCode', 'ABCDE-FGHJK', 'LMNPQ-RSTUV');
  const spent = await many(recovery('LMNPQRSTUV'));
  t.is(spent.filter(({ kind }) => kind === 'accepted').length, 1);
  t.is(await shown(layer, person('ada'), 'stsRecoveryCodesLeft'), '1');
});

test('recovery codes are spent by the try that they let in; dashes, spaces and case are ignored; a used-up set is told from none', async (t) => {
  const layer = await openWebLayer(t);
  t.deepEqual(await by(layer, person('ada'), recovery('ABCDE-FGHJK')), { kind: 'refused', why: 'absent' });
  t.is(await shown(layer, person('ada'), 'stsRecoveryCodesLeft'), undefined);
  await give(layer, person('ada'), 'stsRecoveryCode', 'ABCDE-FGHJK', 'lmnpq-rstuv');
  t.is(await shown(layer, person('ada'), 'stsRecoveryCodesLeft'), '2');
  for (const typed of ['', 'ABCDE-FGHJL', '\0', 'A'.repeat(100_000), 'ABCDE FGHJ', '{SPENT}'])
    t.deepEqual(await by(layer, person('ada'), recovery(typed)), wrong, typed.slice(0, 20));
  t.deepEqual(await by(layer, person('ada'), recovery(' abcde — fghjk\t')), { kind: 'accepted', left: 1 });
  t.deepEqual(await by(layer, person('ada'), recovery('ABCDE-FGHJK')), wrong, 'it is spent');
  t.deepEqual(await by(layer, person('ada'), recovery('LMN-PQR-STUV')), { kind: 'accepted', left: 0 });
  t.is(await shown(layer, person('ada'), 'stsRecoveryCodesLeft'), '0');
  t.deepEqual(await by(layer, person('ada'), recovery('LMNPQRSTUV')), wrong);
  await give(layer, person('ada'), 'stsRecoveryCode');
  t.is(await shown(layer, person('ada'), 'stsRecoveryCodesLeft'), undefined);
});

test('a try of a recovery code is one hash, whatever the person holds, and one for whoever holds none', async (t) => {
  let tries = 0;
  const findInSet: typeof hasher.findInSet = (...given) => {
    tries++;
    return hasher.findInSet(...given);
  };
  const layer = await openWebLayer(t, { hasher: { ...hasher, findInSet } });
  const codes = Array.from({ length: 10 }, (_, at) => `ABCDEFGH${at}A`);
  await give(layer, person('ada'), 'stsRecoveryCode', ...codes);
  for (const [dn, code] of [
    [person('ada'), codes[9] ?? ''],
    [person('ada'), 'WRONGCODES'],
    [person('ada'), 'short'],
    [person('alan'), 'WRONGCODES'],
    [person('nobody'), 'WRONGCODES'],
  ] as const) {
    tries = 0;
    await by(layer, dn, recovery(code));
    t.is(tries, 1, dn);
  }
});

test('a set of recovery codes has one salt and is replaced as a whole; hashes are brought by administrators alone; no code is kept in clear', async (t) => {
  const layer = await openWebLayer(t);
  const operator = layer.house.operator();
  const asked = (...change: Parameters<typeof operator.modify>[1]) => operator.modify(person('ada'), change);
  await give(layer, person('ada'), 'stsRecoveryCode', 'ABCDE-FGHJK', 'LMNPQ-RSTUV');
  t.is((await asked('add', 'stsRecoveryCode', 'AAAAA-BBBBB')).code, 19);
  for (const values of [
    ['short'],
    ['ABCDEFGHJK', 'abcde-fghjk'],
    ['{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='],
    Array.from({ length: 101 }, (_, at) => `ABCDEFGH${at}`),
  ])
    t.is((await asked('replace', 'stsRecoveryCode', ...values)).code, 19, values[0]);
  const kept = Buffer.from(layer.house.engine.store.snapshot().byDnKey(keyOf(layer, person('ada')))?.secret ?? []).toString('latin1');
  t.regex(kept, /\{SCRYPT\}/);
  t.notRegex(kept, /FGHJK/);
  const hashes = [...kept.matchAll(/\{SCRYPT\}ln=\d+,r=1,p=1\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{43}/g)]
    .map(([hash]) => hash)
    .filter((hash) => !hash.includes('x'.repeat(9)));
  t.is(new Set(hashes.slice(-2).map((hash) => hash.split('$')[1])).size, 1);
  t.is((await operator.modify(person('alan'), ['add', 'stsRecoveryCode', ...hashes.slice(-2)])).code, 0);
  t.deepEqual(await by(layer, person('alan'), recovery('ABCDEFGHJK')), { kind: 'accepted', left: 1 });
});

function keyOf({ house }: WebLayer, dn: string): Uint8Array {
  const { store } = house.engine;
  const [id] = store
    .snapshot()
    .subtree(new Uint8Array(0), undefined, 1000)
    .filter((each) => store.snapshot().byId(each)?.dn === dn);
  return store.snapshot().byId(id ?? 0)?.dnKey ?? new Uint8Array(0);
}

test('an app is enrolled by the code that proves it, once more by none, in the name of a person who has just authenticated; that code cannot sign in', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp({ digits: 8 });
  const now = layer.clock.nowMs();
  const session = { factors: 1, authenticatedMs: now, address: '192.0.2.9', isProtected: true };
  const enrol = (code: string, more: Partial<Verification> = { session }, credential = app.credential) =>
    by(layer, person('ada'), { kind: 'enrolTotp', credential, code, window: 1 }, more);
  t.deepEqual(await enrol(app.wrong(now)), wrong);
  t.is(await shown(layer, person('ada'), 'stsAuthenticatorApp'), undefined, 'nothing is written before a code proves it');
  for (const [more, code] of [
    [{}, 50],
    [{ session: { ...session, authenticatedMs: now - 301_000 } }, 50],
  ] as const) {
    const error = await t.throwsAsync(enrol(app.code(now), more), { instanceOf: ClientRefusal });
    t.is(error.code, code);
  }
  for (const credential of [
    '',
    'JBSWY3DPEHPK3PXP',
    '{"secret":"JBSWY3DP","algorithm":"SHA1","digits":6,"period":30,"addedMs":0}',
    app.credential.replace('30', '0'),
  ]) {
    const error = await t.throwsAsync(enrol(app.code(now), { session }, credential), { instanceOf: ClientRefusal });
    t.is(error.code, 19, credential);
  }
  t.deepEqual(await enrol(app.code(now)), { kind: 'accepted' });
  t.is(await shown(layer, person('ada'), 'modifiersName'), person('ada'));
  t.is(
    await shown(layer, person('ada'), 'stsAuthenticatorApp'),
    `algorithm=SHA1 digits=8 period=30 added=1795000000000 lastStep=${Math.floor(now / 30_000)}`,
  );
  t.deepEqual(await by(layer, person('ada'), totp(app.code(now))), replay);
  t.deepEqual(await by(layer, person('ada'), totp(app.code(now, 1))), { kind: 'accepted' });
});

test('an app whose secret no key opens is still one: a code of it is neither right nor wrong, and a code that another key sealed is opened', async (t) => {
  const old = createSealer(sealerKeys(standingKek, ''));
  let current = old;
  const sealer = {
    canSeal: true,
    seal: (...given: Parameters<typeof old.seal>) => current.seal(...given),
    open: (...given: Parameters<typeof old.open>) => current.open(...given),
  };
  const layer = await openWebLayer(t, { sealer });
  const app = createApp({ algorithm: 'SHA512' });
  const now = layer.clock.nowMs();
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  current = createSealer(sealerKeys('another key-encryption key, as long', ''));
  const error = await t.throwsAsync(by(layer, person('ada'), totp(app.code(now))), { instanceOf: ClientRefusal });
  t.is(error.code, 52);
  t.is(await shown(layer, person('ada'), 'stsAuthenticatorApp'), 'algorithm=SHA1 digits=6 period=30 added=0');
  current = createSealer(sealerKeys('another key-encryption key, as long', standingKek));
  t.regex((await shown(layer, person('ada'), 'stsAuthenticatorApp')) ?? '', /^algorithm=SHA512/);
  t.deepEqual(await by(layer, person('ada'), totp(app.code(now))), { kind: 'accepted' });
});

test('the operation is the web layer’s alone, and what cannot be read is refused', async (t) => {
  const layer = await openWebLayer(t);
  const ask = { kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.60', value: Uint8Array.of(0x30, 0) } as const;
  for (const client of [layer.house.connect('ldaps'), layer.house.operator(), layer.house.connect('web')])
    t.not((await client.ask(ask)).code, 0);
  t.is((await layer.house.operator().ask(ask)).code, 2);
  const trusted = layer.house.connect('web', { trusted: true, identity: { dn: undefined, uuid: undefined, strength: 'webLayer' } });
  t.is((await trusted.ask(ask)).code, 2);
  t.regex((await trusted.ask(ask)).result.diagnostic, /cannot be read/);
  await t.throwsAsync(by(layer, person('ada'), totp('123456', 11)), { instanceOf: ClientRefusal });
  await t.throwsAsync(by(layer, 'nonsense', totp('123456')), { instanceOf: ClientRefusal });
  t.deepEqual(await by(layer, `cn=Subschema`, totp('123456')), wrong);
  t.deepEqual(await by(layer, admin, totp('1'.repeat(100_000))), { kind: 'refused', why: 'absent' });
});

test('audit rows say who, by which door and how it ended, and no secret', async (t) => {
  const layer = await openWebLayer(t);
  const app = createApp();
  const now = layer.clock.nowMs();
  await give(layer, person('ada'), 'stsTotpCredential', app.credential);
  await give(layer, person('ada'), 'stsRecoveryCode', 'ABCDE-FGHJK');
  await by(layer, person('ada'), totp(app.wrong(now)));
  await by(layer, person('ada'), totp(app.code(now)));
  await by(layer, person('ada'), totp(app.code(now)));
  await by(layer, person('ada'), recovery('ABCDE-FGHJK'));
  const rows = layer.audited.filter(({ action }) => action === 'ldap.verify');
  t.deepEqual(
    rows.map(({ outcome, error }) => error?.code ?? outcome),
    ['STS-AUTHN-9310', 'success', 'STS-AUTHN-9311', 'success'],
  );
  for (const row of rows) t.like(row, { subject: person('ada'), door: 'signin', address: '192.0.2.9', realm: 'default' });
  const all = JSON.stringify(layer.audited);
  for (const secret of [app.secret, app.code(now), app.wrong(now), 'FGHJK']) t.false(all.includes(secret));
});
