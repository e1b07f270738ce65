import test from 'ava';
import { equalBytes, utf8 } from '#base';
import { createJudge, createResealing } from '#directory';
import { createSealer, type Sealer, sealerKeys } from '#keys';
import { createApp } from '../support/app.ts';
import { admin, furnishedHouse, type House, person, schema, standingKek, suffix } from './driver.ts';

const key = 'ststotpcredential';
const freshKek = 'the key-encryption key that comes after';
const sealerOf = (kek: string, previous = '') => createSealer(sealerKeys(kek, previous));

/** One whose keys change, as they do between two starts. */
function changing(first: Sealer) {
  let now = first;
  const sealer: Sealer = {
    get canSeal() {
      return now.canSeal;
    },
    seal: (...given) => now.seal(...given),
    open: (...given) => now.open(...given),
  };
  return {
    sealer,
    to: (next: Sealer) => {
      now = next;
    },
  };
}

const entryOf = ({ engine }: House, dn: string) => {
  const snapshot = engine.store.snapshot();
  for (let id = 1; id <= snapshot.lastId(); id++) if (snapshot.byId(id)?.dn === dn) return snapshot.byId(id);
  return undefined;
};

/** What the value of an entry lies under by some keys. */
function underOf(house: House, dn: string, sealer: Sealer, value: string): string {
  const entry = entryOf(house, dn);
  const stored = Buffer.from(entry?.secret ?? [])
    .toString('latin1')
    .match(/\{SEALED-1\}[A-Za-z0-9+/=]+|\{"secret".*?\}/)?.[0];
  if (entry === undefined || stored === undefined) return 'absent';
  const open = sealer.open(entry.uuid, key, utf8(stored));
  return open === undefined ? 'closed' : equalBytes(open.value, utf8(value)) ? open.under : 'another';
}

test('what lies under keys.previousKek is sealed anew under keys.kek; nothing else of the entry changes', async (t) => {
  const { sealer, to } = changing(sealerOf(standingKek));
  const house = await furnishedHouse(t, { sealer });
  const operator = house.operator();
  const app = createApp();
  for (const uid of ['ada', 'alan']) await operator.modify(person(uid), ['add', 'stsTotpCredential', app.credential]);
  const read = async () =>
    (await operator.search(person('ada'), '(objectClass=*)', { attributes: ['*', 'modifyTimestamp', 'modifiersName'] })).entries[0]
      ?.attributes;
  const before = await read();
  to(sealerOf(freshKek, standingKek));
  house.clock.moveMs(86_400_000);
  const reseal = createResealing(house.engine);
  t.regex(await reseal(), /^2 entries were sealed anew; values of 0 entries/);
  for (const uid of ['ada', 'alan']) t.is(underOf(house, person(uid), sealerOf(freshKek), app.credential), 'current', uid);
  t.deepEqual(await read(), before);
  t.like(house.audited.at(-1), { action: 'directory.reseal', outcome: 'success' });
  t.false(JSON.stringify(house.audited).includes(app.secret));
  t.is(await reseal(), 'all is sealed as it should be');
});

test('a realm that goes from development to product mode has its secrets sealed; one that goes back keeps them sealed, and they open', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const realm = `o=acme`;
  const entry = `cn=acme,ou=realms,${suffix}`;
  const made = await operator.add(`ou=realms,${suffix}`, { objectClass: 'organizationalUnit', ou: 'realms' });
  t.true([0, 68].includes(made.code));
  const added = await operator.add(entry, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme', stsRealmMode: 'development' });
  t.is(added.code, 0, added.result.diagnostic);
  const app = createApp();
  const dn = `uid=eve,ou=people,${realm}`;
  const person = { objectClass: 'inetOrgPerson', uid: 'eve', cn: 'e', sn: 'e', stsTotpCredential: app.credential };
  t.is((await operator.add(dn, person)).code, 0);
  const sealer = sealerOf(standingKek);
  t.is(underOf(house, dn, sealer, app.credential), 'nothing');
  const reseal = createResealing(house.engine);
  t.regex(await reseal(), /^0 entries/);
  t.is((await operator.modify(entry, ['replace', 'stsRealmMode', 'product'])).code, 0);
  t.regex(await reseal(), /^1 entries/);
  t.is(underOf(house, dn, sealer, app.credential), 'current');
  t.is((await operator.modify(entry, ['replace', 'stsRealmMode', 'development'])).code, 0);
  t.regex(await reseal(), /^0 entries/);
  t.is(underOf(house, dn, sealer, app.credential), 'current');
});

test('values that no key opens are left as they are and told each time; without a key nothing is touched', async (t) => {
  const { sealer, to } = changing(sealerOf(standingKek));
  const house = await furnishedHouse(t, { sealer });
  const app = createApp();
  await house.operator().modify(admin, ['add', 'stsTotpCredential', app.credential]);
  to(sealerOf(freshKek));
  const reseal = createResealing(house.engine);
  for (let run = 0; run < 2; run++) t.regex(await reseal(), /^0 entries were sealed anew; values of 1 entries do not open/);
  t.like(house.audited.at(-1), { action: 'directory.reseal', outcome: 'failed' });
  to(sealerOf(''));
  t.regex(await reseal(), /no key-encryption key/);
  t.is(underOf(house, admin, sealerOf(standingKek), app.credential), 'current');
});

test('doctor tells of values that no key opens, and of those that lie open in a realm that is in product mode', async (t) => {
  const house = await furnishedHouse(t, { 'global.mode': 'development' });
  const app = createApp();
  await house.operator().modify(person('ada'), ['add', 'stsTotpCredential', app.credential]);
  const { engine } = house;
  const found = (realms = engine.realms.in(engine.store.snapshot()), sealer = engine.sealer) => {
    const entry = entryOf(house, person('ada'));
    return entry === undefined ? [] : createJudge(schema, realms, sealer)(entry, 'absent', []).filter(({ kind }) => kind === 'sealed');
  };
  t.deepEqual(found(), []);
  const { default: standing } = engine.realms;
  const product = { ...engine.realms.in(engine.store.snapshot()), owning: () => ({ ...standing, mode: 'product' as const }) };
  t.regex(found(product)[0]?.what ?? '', /stsTotpCredential: it lies open in a realm that is in product mode/);

  const other = await furnishedHouse(t);
  await other.operator().modify(person('ada'), ['add', 'stsTotpCredential', app.credential]);
  const entry = entryOf(other, person('ada'));
  const judged = (sealer: Sealer) =>
    entry === undefined
      ? []
      : createJudge(schema, other.engine.realms.in(other.engine.store.snapshot()), sealer)(entry, 'absent', []).filter(
          ({ kind }) => kind === 'sealed',
        );
  t.deepEqual(judged(sealerOf(freshKek, standingKek)), []);
  for (const kek of ['', freshKek]) t.regex(judged(sealerOf(kek))[0]?.what ?? '', /does not open under the keys given here/);
  t.false(JSON.stringify(judged(sealerOf(''))).includes('SEALED'));
});

test('a write that comes while entries are sealed anew is kept, and sealed by the new key', async (t) => {
  const { sealer, to } = changing(sealerOf(standingKek));
  const house = await furnishedHouse(t, { sealer });
  const operator = house.operator();
  const [app, other] = [createApp(), createApp()];
  await operator.modify(person('ada'), ['add', 'stsTotpCredential', app.credential]);
  to(sealerOf(freshKek, standingKek));
  const [report, ...answers] = await Promise.all([
    createResealing(house.engine)(),
    operator.modify(person('ada'), ['replace', 'stsTotpCredential', other.credential]),
    operator.modify(person('ada'), ['replace', 'title', 'Dr']),
  ]);
  t.regex(report, /entries were sealed anew/);
  t.deepEqual(
    answers.map(({ code }) => code),
    [0, 0],
  );
  t.is(underOf(house, person('ada'), sealerOf(freshKek), other.credential), 'current');
});
