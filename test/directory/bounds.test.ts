import test from 'ava';
import { utf8 } from '#base';
import { createDirectory, type Reply } from '#directory';
import { type Control, encodeBer, type Request } from '#ldap';
import { dereferenced, dereferencesOf, matching, sortedBy } from './control-values.ts';
import { type Client, furnishedHouse, type House, person, replySink, searchOf, suffix } from './driver.ts';

const groups = `ou=groups,${suffix}`;
const people = `ou=people,${suffix}`;
const everything = '(objectClass=*)';
const syncOid = '1.3.6.1.4.1.4203.1.9.1.1';

async function ada(house: House): Promise<Client> {
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  return client;
}

async function addPeople(house: House, count: number, more: Readonly<Record<string, string>> = {}) {
  const operator = house.operator();
  const names = Array.from({ length: count }, (_, at) => `m${at}`);
  await Promise.all(names.map((uid) => operator.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more })));
  return names.map(person);
}

const addGroup = (house: House, cn: string, member: readonly string[], below = groups) =>
  house.operator().add(`cn=${cn},${below}`, { objectClass: 'groupOfNames', cn, member });

test('matched values: what each value must be held against has a bound, and equalities that are looked up count for nothing', async (t) => {
  const house = await furnishedHouse(t);
  const names = Array.from({ length: 1100 }, (_, at) => person(`x${at}`));
  t.is((await addGroup(house, 'many', names)).code, 0);
  const client = await ada(house);
  const ask = (...items: string[]) => client.search(`cn=many,${groups}`, everything, { scope: 'base' }, [matching(...items)]);
  const sixty = Array.from({ length: 60 }, (_, at) => person(`x${at}`));
  const refused = await ask(...sixty.map((dn) => `(member:distinguishedNameMatch:=${dn})`));
  t.deepEqual(
    [refused.code, refused.result.diagnostic, refused.entries.length],
    [11, 'more than 65536 values would have to be matched', 0],
  );
  t.is((await ask(...sixty.map((dn) => `(member=${dn})`))).entries[0]?.all('member').length, 60);
  t.is((await ask(`(member:distinguishedNameMatch:=${person('x7')})`)).entries[0]?.all('member').length, 1);
});

test('dereference: what goes with an entry comes to no more octets than an entry may have', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.entryOctetsMax': 6000 });
  const names = await addPeople(house, 10, { description: 'd'.repeat(1000), title: 't'.repeat(1000) });
  t.is((await addGroup(house, 'wordy', names)).code, 0);
  const client = await ada(house);
  const ask = (critical: boolean, ...wanted: string[]) =>
    client.search(`cn=wordy,${groups}`, everything, { scope: 'base' }, [dereferenced({ member: wanted }, critical)]);
  const refused = await ask(true, 'title');
  t.deepEqual([refused.code, refused.result.diagnostic], [11, 'the entries that an entry names come to more than 6000 octets']);
  const without = await ask(false, 'title');
  t.deepEqual([without.code, without.entries.length, without.entries[0]?.controls], [0, 1, []]);
  t.is(dereferencesOf((await ask(true, 'uid')).entries[0])?.length, 10);
});

/** Rows that a request has had read by the time that it gives others their turn. */
async function firstTurn(house: House, client: Client, op: Request, controls: readonly Control[] = []) {
  const { store } = house.engine;
  const take = store.snapshot.bind(store);
  const taken: ReturnType<typeof take>[] = [];
  Object.assign(store, {
    snapshot: () => {
      const snapshot = take();
      taken.push(snapshot);
      return snapshot;
    },
  });
  const sink = replySink();
  const going = createDirectory(house.engine).perform(client.connection, { messageId: 1, op, controls }, sink.reply);
  const rows = taken.reduce((sum, { visited }) => sum + visited, 0);
  Object.assign(store, { snapshot: take });
  await going;
  return { rows, answers: sink.answers() };
}

test('memberOf: of however many groups a filter names members, one turn looks at a bounded number', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.searchSizeLimit': 5000 });
  const names = await addPeople(house, 1200);
  for (let at = 0; at < 30; at++) t.is((await addGroup(house, `g${at}`, names)).code, 0);
  const client = await ada(house);
  const named = (at: number) => `(memberOf=cn=g${at},${groups})`;
  const each = Array.from({ length: 30 }, (_, at) => named(at)).join('');
  for (const filter of [`(|${each})`, `(|${named(1).repeat(30)})`]) {
    const { rows, answers } = await firstTurn(house, client, searchOf(people, filter));
    t.true(rows > 0 && rows < 12_000, `${rows} rows in one turn`);
    t.is(answers.entries.length, 1200);
  }
});

test('sorting: what a filter asks of groups counts for a turn, too', async (t) => {
  const house = await furnishedHouse(t);
  const names = await addPeople(house, 600);
  for (let at = 0; at < 40; at++) t.is((await addGroup(house, `g${at}`, names)).code, 0);
  const op = searchOf(people, `(!(memberOf=cn=nothing,${groups}))`);
  const { rows, answers } = await firstTurn(house, await ada(house), op, [sortedBy('cn:caseIgnoreOrderingMatch')]);
  t.true(rows > 0 && rows < 8000, `${rows} rows in one turn`);
  t.is(answers.entries.length, 603);
});

test('memberOf tells nobody of members that they may not read: of a group that stands where members are not public', async (t) => {
  const house = await furnishedHouse(t);
  t.is((await addGroup(house, 'secret', [person('ada')], people)).code, 0);
  const ofAda = async (client: Client) =>
    (await client.search(person('ada'), everything, { scope: 'base', attributes: ['memberOf'] })).entries[0]?.all('memberOf');
  t.deepEqual(await ofAda(await ada(house)), [`cn=pioneers,${groups}`]);
  t.is((await ofAda(house.operator()))?.length, 2);
  const client = await ada(house);
  const secret = `cn=secret,${people}`;
  t.deepEqual((await client.search(people, `(memberOf=${secret})`)).dns, []);
  t.deepEqual((await client.search(people, `(memberOf:1.2.840.113556.1.4.1941:=${secret})`)).dns, []);
  t.deepEqual((await client.search(people, `(&(uid=ada)(!(memberOf=${secret})))`)).dns, [person('ada')]);
});

const syncing = (cookie: string): Control => ({
  oid: syncOid,
  critical: true,
  value: encodeBer((ber) =>
    ber.sequence(() => {
      ber.enumerated(1);
      ber.octets(utf8(cookie));
    }),
  ),
});

test('controls: a value larger than any has to be is malformed, and so is a cookie', async (t) => {
  const house = await furnishedHouse(t);
  const client = await ada(house);
  const keys = sortedBy(Array.from({ length: 300_000 }, () => 'cn').join('/'));
  t.is((await client.search(people, everything, {}, [keys])).code, 2);
  t.is((await client.search(people, everything, {}, [syncing(`rid=001,${'a=b,'.repeat(5000)}c=d`)])).code, 2);
  t.is((await client.search(people, everything, {}, [syncing('rid=001,a=b')])).code, 0);
});

test('RFC 4533: to look through the log for what changed since a cookie gives others their turn', async (t) => {
  const house = await furnishedHouse(t);
  const client = await ada(house);
  const operator = house.operator();
  const { csn } = house.engine.store.snapshot();
  for (let at = 0; at < 3000; at++) t.is((await operator.modify(person('alan'), ['replace', 'title', String(at)])).code, 0);
  let turns = 0;
  let going = true;
  const count = () => {
    turns++;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  const { code, entries } = await client.search(person('alan'), everything, { scope: 'base' }, [syncing(`rid=001,csn=${csn}`)]);
  going = false;
  t.deepEqual([code, entries.length], [0, 1]);
  // Three lookups of a thousand marks each, and two dozen of what the changes were.
  t.true(turns >= 26, `${turns} turns`);
});

test('persistent search: a change wakes all who follow the directory, and they look at it some in each turn', async (t) => {
  const house = await furnishedHouse(t);
  const directory = createDirectory(house.engine);
  const control: Control = {
    oid: '2.16.840.1.113730.3.4.3',
    critical: true,
    value: encodeBer((ber) =>
      ber.sequence(() => {
        ber.number(15);
        ber.boolean(true);
        ber.boolean(false);
      }),
    ),
  };
  const op = searchOf(people, `(|(uid=alan)${Array.from({ length: 100 }, (_, at) => `(cn=x${at})`).join('')})`);
  let turn = 0;
  const seen: number[] = [];
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let lasting = 0;
  for (let at = 0; at < 40; at++) {
    const client = await ada(house);
    const reply: Reply = {
      ...replySink().reply,
      lasts: () => {
        if (++lasting === 40) begun.resolve();
      },
      entry: () => {
        if (seen.push(turn) === 40) ended.resolve();
      },
      ended: false,
      signal: new AbortController().signal,
    };
    void directory.perform(client.connection, { messageId: 1, op, controls: [control] }, reply);
  }
  await begun.promise;
  t.is((await house.operator().modify(person('alan'), ['replace', 'title', 'Reader'])).code, 0);
  const count = () => {
    turn++;
    if (seen.length < 40) setImmediate(count);
  };
  setImmediate(count);
  await ended.promise;
  const most = Math.max(...seen.map((each) => seen.filter((other) => other === each).length));
  t.true(most <= 10, `${most} of 40 in one turn`);
});
