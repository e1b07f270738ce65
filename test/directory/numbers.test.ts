import test from 'ava';
import { type Attributes, type Client, furnishedHouse, person, suffix } from './driver.ts';

const account = (uid: string, more: Attributes = {}): Attributes => ({
  objectClass: ['inetOrgPerson', 'posixAccount'],
  uid,
  cn: uid,
  sn: uid,
  homeDirectory: `/home/${uid}`,
  ...more,
});
const group = (cn: string) => `cn=${cn},ou=groups,${suffix}`;
const posixGroup = (cn: string, more: Attributes = {}): Attributes => ({
  objectClass: ['groupOfNames', 'posixGroup'],
  cn,
  member: person('ada'),
  ...more,
});

async function numbersOf(client: Client, dn: string): Promise<string[]> {
  const { entries } = await client.search(dn, '(objectClass=*)', { scope: 'base' });
  return ['uidNumber', 'gidNumber'].map((name) => entries[0]?.all(name).join() ?? '');
}

test('a posixAccount that is added without numbers is given the next free ones, a posixGroup its gidNumber', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  t.is((await operator.add(person('a'), account('a'))).code, 0);
  t.is((await operator.add(group('g'), posixGroup('g'))).code, 0);
  t.is((await operator.add(person('b'), account('b', { gidNumber: '100' }))).code, 0);
  t.deepEqual(await numbersOf(operator, person('a')), ['10000', '10000']);
  t.deepEqual(await numbersOf(operator, group('g')), ['', '10001']);
  t.deepEqual(await numbersOf(operator, person('b')), ['10001', '100']);
});

test('numbers that somebody has are passed over, however many in a row', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.uidNumberFloor': 500 });
  const operator = house.operator();
  for (let at = 0; at < 40; at++) await operator.add(person(`t${at}`), account(`t${at}`, { uidNumber: String(500 + at), gidNumber: '1' }));
  await operator.add(person('a'), account('a'));
  t.deepEqual(await numbersOf(operator, person('a')), ['540', '10000']);
});

test('a number is not given out again when its entry is gone', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.add(person('a'), account('a'));
  await operator.ask({ kind: 'delRequest', entry: person('a') });
  await operator.add(person('b'), account('b'));
  t.deepEqual(await numbersOf(operator, person('b')), ['10001', '10001']);
  const next = await operator.search(suffix, '(objectClass=*)', { scope: 'base', attributes: ['stsNextUidNumber', 'stsNextGidNumber'] });
  t.deepEqual(next.entries[0]?.all('stsNextUidNumber'), ['10002']);
  t.is((await operator.modify(suffix, ['replace', 'stsNextUidNumber', '20000'])).code, 0);
  await operator.add(person('c'), account('c'));
  t.deepEqual(await numbersOf(operator, person('c')), ['20000', '10002']);
});

test('of many that are added at the same time none gets the number of another, nor one that is claimed meanwhile', async (t) => {
  const house = await furnishedHouse(t);
  const uids = Array.from({ length: 60 }, (_, at) => `n${at}`);
  const answers = await Promise.all(
    uids.map((uid, at) => house.operator().add(person(uid), account(uid, at % 6 === 5 ? { uidNumber: String(10_000 + at) } : {}))),
  );
  t.true(answers.every(({ code }) => code === 0));
  const { entries } = await house.operator().search(suffix, '(uid=n*)');
  t.is(new Set(entries.map((entry) => entry.all('uidNumber')[0])).size, uids.length);
});

test('an entry that becomes an account by a modify is given numbers; one that was and loses its number is refused', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const become = await operator.modify(person('ada'), ['add', 'objectClass', 'posixAccount'], ['add', 'homeDirectory', '/home/ada']);
  t.is(become.code, 0);
  t.deepEqual(await numbersOf(operator, person('ada')), ['10000', '10000']);
  t.is((await operator.modify(person('ada'), ['delete', 'uidNumber'])).code, 65);
  const both = await operator.modify(person('ada'), ['delete', 'uidNumber'], ['add', 'objectClass', 'shadowAccount']);
  t.is(both.code, 65);
});

test('nothing is given out for an entry that is refused, and an account without a home is', async (t) => {
  const house = await furnishedHouse(t);
  const { homeDirectory: _none, ...homeless } = account('a');
  t.is((await house.operator().add(person('a'), homeless)).code, 65);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.add(person('a'), account('a'))).code, 50);
  await house.operator().add(person('a'), account('a'));
  t.deepEqual(await numbersOf(house.operator(), person('a')), ['10000', '10000']);
});

test('when the last number was given out an add without one is refused', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.modify(suffix, ['add', 'stsNextUidNumber', '2147483647']);
  t.is((await operator.add(person('a'), account('a'))).code, 0);
  const { code, result } = await operator.add(person('b'), account('b'));
  t.deepEqual([code, result.diagnostic], [53, 'there is no uidNumber left to give out']);
  t.is((await operator.add(person('b'), account('b', { uidNumber: '5', gidNumber: '5' }))).code, 0);
});

test('RFC 2307 and rfc2307bis: what sssd and nslcd ask for accounts and groups is answered from indexes', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.add(person('a'), account('a', { loginShell: '/bin/bash' }));
  await operator.add(group('bis'), posixGroup('bis', { member: person('a') }));
  await operator.add(group('old'), { objectClass: ['namedObject', 'posixGroup'], cn: 'old', memberUid: ['a', 'b'] });
  const [uidNumber, gidNumber] = await numbersOf(operator, person('a'));
  const asked: readonly [filter: string, dns: readonly string[]][] = [
    [`(&(uid=a)(objectclass=posixAccount)(&(uidNumber=*)(!(uidNumber=0))))`, [person('a')]],
    [`(&(uidNumber=${uidNumber})(objectclass=posixAccount)(uid=*))`, [person('a')]],
    [`(&(objectClass=posixAccount)(uid=a))`, [person('a')]],
    [`(&(objectClass=posixAccount)(uidNumber=${uidNumber}))`, [person('a')]],
    [`(&(cn=bis)(objectClass=posixGroup)(cn=*)(&(gidNumber=*)(!(gidNumber=0))))`, [group('bis')]],
    [`(&(gidNumber=${gidNumber})(objectClass=posixAccount))`, [person('a')]],
    [`(&(member=${person('a')})(objectClass=posixGroup)(cn=*)(&(gidNumber=*)(!(gidNumber=0))))`, [group('bis')]],
    [`(&(memberuid=a)(objectClass=posixGroup)(cn=*)(&(gidNumber=*)(!(gidNumber=0))))`, [group('old')]],
    [`(&(objectClass=posixGroup)(|(memberUid=a)(member=${person('a')})))`, [group('bis'), group('old')]],
    [`(&(objectClass=shadowAccount)(uid=a))`, []],
  ];
  for (const [filter, dns] of asked) t.deepEqual([...(await operator.search(suffix, filter)).dns].sort(), dns, filter);
});
