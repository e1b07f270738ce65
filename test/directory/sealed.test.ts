import test from 'ava';
import { equalBytes, text, utf8 } from '#base';
import { importLive } from '#directory';
import { createSealer, isSealed, sealerKeys } from '#keys';
import { encodeBer, type LdifContent, parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import { createApp } from '../support/app.ts';
import { ada, attributesOf, furnishedHouse, type House, person, schema, standingKek, suffix } from './driver.ts';

const key = 'ststotpcredential';

/** What lies on the entry, whatever door shows. */
function stored({ engine }: House, dn: string): Uint8Array | undefined {
  const parsed = parseDn(dn);
  const dnKey = parsed && normalizeDn(schema, parsed);
  const entry = dnKey && engine.store.snapshot().byDnKey(dnKey);
  if (entry === undefined) return undefined;
  const mark = utf8('stsTotpCredential');
  const at = Buffer.from(entry.secret).indexOf(mark);
  if (at < 0) return undefined;
  return Buffer.from(
    Buffer.from(entry.secret)
      .toString('latin1')
      .match(/\{SEALED-1\}[A-Za-z0-9+/=]+|\{"secret".*?\}/)?.[0] ?? '',
    'latin1',
  );
}

function uuidOf({ engine }: House, dn: string): string {
  const parsed = parseDn(dn);
  const dnKey = parsed && normalizeDn(schema, parsed);
  return (dnKey && engine.store.snapshot().byDnKey(dnKey)?.uuid) ?? '';
}

const sealer = createSealer(sealerKeys(standingKek, ''));
const opens = (house: House, dn: string, value: string) => {
  const kept = stored(house, dn);
  const open = kept && sealer.open(uuidOf(house, dn), key, kept);
  return open !== undefined && open.under === 'current' && equalBytes(open.value, utf8(value));
};

test('product mode: an authenticator secret is sealed under the key-encryption key whichever door it comes through, bound to its entry', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const app = createApp();
  const held = { stsTotpCredential: app.credential };
  t.is((await operator.modify(person('ada'), ['add', 'stsTotpCredential', app.credential])).code, 0);
  t.is((await operator.modify(person('alan'), ['replace', 'stsTotpCredential', app.credential])).code, 0);
  t.is((await operator.add(person('eve'), { ...ada, uid: 'eve', ...held })).code, 0);
  const record: LdifContent = { kind: 'content', line: 1, dn: person('max'), attributes: attributesOf({ ...ada, uid: 'max', ...held }) };
  await importLive(house.engine, [record]);
  for (const uid of ['ada', 'alan', 'eve', 'max']) t.true(opens(house, person(uid), app.credential), uid);
  const forms = ['ada', 'alan', 'eve', 'max'].map((uid) => text(stored(house, person(uid)) ?? utf8('')));
  t.is(new Set(forms).size, 4, 'of the same secret each is sealed for its own entry');
  t.is(sealer.open(uuidOf(house, person('alan')), key, stored(house, person('ada')) ?? utf8('')), undefined);
});

test('in a transaction, too: of an entry that it makes and changes, and of one that was there', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const [app, other] = [createApp(), createApp()];
  const begun = (await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' })).last;
  const identifier = begun.kind === 'extendedResponse' ? (begun.value ?? utf8('')) : utf8('');
  const part = [{ oid: '1.3.6.1.1.21.2', critical: true, value: identifier }];
  const replace = (object: string, value: string) =>
    ({
      kind: 'modifyRequest',
      object,
      changes: [{ operation: 'replace', attribute: { description: 'stsTotpCredential', values: [utf8(value)] } }],
    }) as const;
  const made = attributesOf({ ...ada, uid: 'eve', stsTotpCredential: app.credential });
  for (const op of [
    { kind: 'addRequest', entry: person('eve'), attributes: made },
    replace(person('eve'), other.credential),
    replace(person('ada'), app.credential),
  ] as const)
    t.is((await client.ask(op, part)).code, 0);
  const value = encodeBer((ber) => ber.sequence(() => ber.octets(identifier)));
  t.is((await client.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.3', value })).code, 0);
  t.true(opens(house, person('eve'), other.credential));
  t.true(opens(house, person('ada'), app.credential));
});

test('development mode: an authenticator secret is kept as it is', async (t) => {
  const house = await furnishedHouse(t, { 'global.mode': 'development' });
  const app = createApp();
  await house.operator().modify(person('ada'), ['add', 'stsTotpCredential', app.credential]);
  await house.operator().add(person('eve'), { ...ada, uid: 'eve', stsTotpCredential: app.credential });
  for (const uid of ['ada', 'eve']) t.is(text(stored(house, person(uid)) ?? utf8('')), app.credential, uid);
});

test('a sealed value is changed by its open form: added once, deleted by who knows it, and never given as something sealed', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const app = createApp();
  const change = (operation: 'add' | 'delete' | 'replace', ...values: string[]) =>
    operator.modify(person('ada'), [operation, 'stsTotpCredential', ...values]);
  t.is((await change('add', app.credential)).code, 0);
  t.is((await change('add', app.credential)).code, 20);
  t.is((await change('delete', createApp().credential)).code, 16);
  const kept = text(stored(house, person('ada')) ?? utf8('')) ?? '';
  t.regex(kept, /^\{SEALED-1\}/);
  t.is((await change('delete', kept)).code, 19, 'not by its sealed form');
  for (const dn of [person('ada'), person('alan')]) t.is((await operator.modify(dn, ['replace', 'stsTotpCredential', kept])).code, 19);
  t.is((await change('replace', app.credential)).code, 0);
  t.is((await change('delete', app.credential)).code, 0);
  t.is(stored(house, person('ada')), undefined);
});

test('without a key-encryption key nothing is kept that should be sealed', async (t) => {
  const house = await furnishedHouse(t, { sealer: createSealer(sealerKeys('', '')) });
  const operator = house.operator();
  const { credential } = createApp();
  t.is((await operator.modify(person('ada'), ['add', 'stsTotpCredential', credential])).code, 53);
  t.is((await operator.add(person('eve'), { ...ada, uid: 'eve', stsTotpCredential: credential })).code, 53);
  t.is(stored(house, person('ada')), undefined);
});

test('no door reads an authenticator secret or a recovery code, nor finds anybody by one, nor tells whether a guess is right', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const app = createApp();
  await operator.modify(person('ada'), ['add', 'stsTotpCredential', app.credential], ['add', 'stsRecoveryCode', 'ABCDEFGHJK']);
  for (const name of ['stsTotpCredential', 'stsRecoveryCode']) {
    for (const attributes of [['*', '+'], [name], [`${name};x-raw`]]) {
      const { entries } = await operator.search(person('ada'), '(objectClass=*)', { attributes });
      t.false(JSON.stringify(entries).includes(name), attributes.join());
    }
    t.deepEqual((await operator.search(suffix, `(${name}=*)`)).dns, []);
    const compared = await operator.ask({ kind: 'compareRequest', entry: person('ada'), description: name, value: utf8(app.credential) });
    t.not(compared.code, 6);
  }
});

test('the parameters of an app and how many recovery codes are left are read by their person and by administrators, and by nobody else', async (t) => {
  const house = await furnishedHouse(t, { 'authn.passwordAloneDoors': ['ldap'] });
  const app = createApp();
  const operator = house.operator();
  await operator.modify(person('ada'), ['add', 'stsTotpCredential', app.credential], ['add', 'stsRecoveryCode', 'ABCDEFGHJK']);
  await operator.modify(person('alan'), ['replace', 'userPassword', 'enigma']);
  const names = ['stsAuthenticatorApp', 'stsRecoveryCodesLeft'];
  const seenBy = async (uid: string, password: string) => {
    const client = house.connect('ldaps');
    t.is((await client.bind(person(uid), password)).code, 0);
    const { entries } = await client.search(person('ada'), '(objectClass=*)', { attributes: names });
    const found = await client.search(suffix, '(stsAuthenticatorApp=*)', { attributes: ['1.1'] });
    return [entries[0]?.names ?? [], found.dns];
  };
  t.deepEqual(await seenBy('ada', 'lovelace'), [names, [person('ada')]]);
  t.deepEqual(await seenBy('admin', 'administrator’s own'), [names, [person('ada')]]);
  t.deepEqual(await seenBy('alan', 'enigma'), [[], []]);
  t.is((await operator.modify(person('ada'), ['replace', 'stsAuthenticatorApp', 'algorithm=SHA1 digits=6 period=30 added=0'])).code, 19);
  t.is((await operator.modify(person('ada'), ['replace', 'stsTotpLastStep', '0'])).code, 19);
});

test('the parts of the built-in set: who is bound with a password alone writes neither app nor recovery codes, who has just authenticated both', async (t) => {
  const house = await furnishedHouse(t, { webSecret: new Uint8Array(32).fill(1) });
  const app = createApp();
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  const changes = [
    ['add', 'stsTotpCredential', app.credential],
    ['add', 'stsRecoveryCode', 'ABCDEFGHJK'],
  ] as const;
  for (const change of changes) t.is((await client.modify(person('ada'), [...change])).code, 50, change[1]);
  const { nowMs } = house.clock;
  const fresh = house.connect('web', {
    identity: {
      dn: person('ada'),
      uuid: uuidOf(house, person('ada')),
      strength: 'onBehalf',
      session: { factors: 1, authenticatedMs: nowMs() },
    },
    trusted: true,
  });
  for (const change of changes) t.is((await fresh.modify(person('ada'), [...change])).code, 0, change[1]);
  t.is((await fresh.modify(person('alan'), ['add', 'stsTotpCredential', app.credential])).code, 50);
});

test('another secret begins with no last step, the same one keeps it', async (t) => {
  const furnished = await furnishedHouse(t);
  const app = createApp();
  const operator = furnished.operator();
  const record = attributesOf({ ...ada, uid: 'max', stsTotpCredential: app.credential, stsTotpLastStep: '7' });
  await importLive(furnished.engine, [{ kind: 'content', line: 1, dn: person('max'), attributes: record }]);
  const last = async () =>
    (await operator.search(person('max'), '(objectClass=*)', { attributes: ['stsTotpLastStep'] })).entries[0]?.all('stsTotpLastStep');
  t.deepEqual(await last(), ['7']);
  await operator.modify(person('max'), ['replace', 'stsTotpCredential', app.credential], ['replace', 'title', 'Dr']);
  t.deepEqual(await last(), ['7']);
  await operator.modify(person('max'), ['replace', 'stsTotpCredential', createApp().credential]);
  t.deepEqual(await last(), []);
  t.true(isSealed(stored(furnished, person('max')) ?? utf8('')));
});

test('what may be known of a sealed app is found out once for each sealing of it, and its secret is not kept', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const sealerOfHouse = house.engine.sealer as { open: typeof house.engine.sealer.open };
  const { open } = sealerOfHouse;
  let opened = 0;
  sealerOfHouse.open = (...given) => {
    opened++;
    return open(...given);
  };
  const shown = async (uid: string) => {
    opened = 0;
    const { entries } = await operator.search(person(uid), '(objectClass=*)', { attributes: ['stsAuthenticatorApp'] });
    return [entries[0]?.all('stsAuthenticatorApp')[0], opened] as const;
  };
  const holding = (digits: number) => createApp({ digits }).credential;
  for (const uid of ['ada', 'alan']) t.is((await operator.modify(person(uid), ['replace', 'stsTotpCredential', holding(6)])).code, 0);
  t.regex((await shown('ada'))[0] ?? '', /^algorithm=SHA1 digits=6 /);
  t.is((await shown('ada'))[1], 0);
  t.is((await shown('alan'))[1], 1, 'of another entry');
  t.is((await operator.modify(person('ada'), ['replace', 'stsTotpCredential', holding(8)])).code, 0);
  t.regex((await shown('ada'))[0] ?? '', /^algorithm=SHA1 digits=8 /);
  t.is((await operator.modify(person('ada'), ['delete', 'stsTotpCredential'])).code, 0);
  t.is((await shown('ada'))[0], undefined);
});
