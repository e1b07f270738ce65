import test from 'ava';
import { type Attributes, furnishedHouse, person, suffix } from './driver.ts';

type House = Awaited<ReturnType<typeof furnishedHouse>>;

const group = (cn: string) => `cn=${cn},ou=groups,${suffix}`;
const ou = (name: string) => `ou=${name},${suffix}`;

async function added(house: House, ...entries: readonly (readonly [string, Attributes])[]) {
  for (const [dn, attributes] of entries) {
    const { code, result } = await house.operator().add(dn, attributes);
    if (code !== 0) throw new Error(`${dn}: ${code} ${result.diagnostic}`);
  }
}

async function read(house: House, dn: string) {
  return (await house.operator().search(dn, '(objectClass=*)', { scope: 'base', attributes: ['*', '+'] })).entries[0];
}

const remove = (house: House, entry: string) => house.operator().ask({ kind: 'delRequest', entry });
const rename = (house: House, entry: string, newRdn: string, newSuperior?: string) =>
  house
    .operator()
    .ask({ kind: 'modifyDNRequest', entry, newRdn, deleteOldRdn: true, ...(newSuperior === undefined ? {} : { newSuperior }) });

const named: readonly [attribute: string, dn: string, entry: Attributes][] = [
  ['member', group('a'), { objectClass: 'groupOfNames', cn: 'a', member: [person('alan'), person('ada')] }],
  ['uniqueMember', group('b'), { objectClass: 'groupOfUniqueNames', cn: 'b', uniqueMember: [person('alan'), person('ada')] }],
  ['owner', group('c'), { objectClass: 'groupOfNames', cn: 'c', member: group('c'), owner: person('ada') }],
  ['manager', person('m'), { objectClass: 'inetOrgPerson', uid: 'm', cn: 'm', sn: 'm', manager: person('ada') }],
  ['secretary', person('s'), { objectClass: 'inetOrgPerson', uid: 's', cn: 's', sn: 's', secretary: person('ada') }],
  ['seeAlso', person('l'), { objectClass: 'inetOrgPerson', uid: 'l', cn: 'l', sn: 'l', seeAlso: person('ada') }],
  ['roleOccupant', `cn=r,${suffix}`, { objectClass: 'organizationalRole', cn: 'r', roleOccupant: person('ada') }],
];

for (const [attribute, dn, entry] of named) {
  test(`who is deleted is named in ${attribute} no more`, async (t) => {
    const house = await furnishedHouse(t);
    await added(house, [dn, entry]);
    const before = await read(house, dn);
    house.clock.moveMs(1000);
    t.is((await remove(house, person('ada'))).code, 0);
    const after = await read(house, dn);
    const left = [entry[attribute] ?? []].flat().filter((value) => value !== person('ada'));
    t.deepEqual(after?.all(attribute), left);
    t.not(after?.all('entryCSN')[0], before?.all('entryCSN')[0]);
    t.deepEqual(after?.all('modifyTimestamp'), ['20261121120001Z']);
  });

  test(`who is renamed is named in ${attribute} as before, by the new name`, async (t) => {
    const house = await furnishedHouse(t);
    await added(house, [dn, entry]);
    t.is((await rename(house, person('ada'), 'uid=countess', ou('applications'))).code, 0);
    const countess = `uid=countess,${ou('applications')}`;
    const now = [entry[attribute] ?? []].flat().map((value) => (value === person('ada') ? countess : value));
    t.deepEqual((await read(house, dn))?.all(attribute), now);
  });
}

test('a delete and the names that go with it are one commit', async (t) => {
  const house = await furnishedHouse(t);
  await added(house, ...named.map(([, dn, entry]) => [dn, entry] as const));
  const { number } = house.engine.store.snapshot();
  await remove(house, person('ada'));
  t.is(house.engine.store.snapshot().number, number + 1);
  t.is(house.engine.store.changes(number, 100).length, 1 + named.length + 1);
});

test('a name is found however it was written', async (t) => {
  const house = await furnishedHouse(t);
  await added(house, [
    group('x'),
    { objectClass: 'groupOfNames', cn: 'x', member: ['UID=ADA, OU=People,DC=example, DC=com', person('alan')] },
  ]);
  await remove(house, person('ada'));
  t.deepEqual((await read(house, group('x')))?.all('member'), [person('alan')]);
});

test('a name with an identifier behind it follows, and keeps the identifier', async (t) => {
  const house = await furnishedHouse(t);
  const uniqueMember = [`${person('ada')}#'0101'B`, person('alan')];
  await added(house, [group('u'), { objectClass: 'groupOfUniqueNames', cn: 'u', uniqueMember }]);
  await rename(house, person('ada'), 'uid=augusta');
  t.deepEqual((await read(house, group('u')))?.all('uniqueMember'), [`${person('augusta')}#'0101'B`, person('alan')]);
  await remove(house, person('augusta'));
  t.deepEqual((await read(house, group('u')))?.all('uniqueMember'), [person('alan')]);
});

test('a required attribute whose last name goes keeps one that names nobody', async (t) => {
  const house = await furnishedHouse(t);
  await added(house, [group('x'), { objectClass: 'groupOfNames', cn: 'x', member: person('ada') }]);
  t.is((await remove(house, person('ada'))).code, 0);
  t.deepEqual((await read(house, group('x')))?.all('member'), ['']);
  const other = await furnishedHouse(t, { 'ldap.referencesNothing': 'cn=nobody' });
  await added(other, [group('x'), { objectClass: 'groupOfNames', cn: 'x', member: person('ada') }]);
  t.is((await remove(other, person('ada'))).code, 0);
  t.deepEqual((await read(other, group('x')))?.all('member'), ['cn=nobody']);
});

test('who gets a name that a group has already is there once', async (t) => {
  const house = await furnishedHouse(t);
  await added(house, [group('x'), { objectClass: 'groupOfNames', cn: 'x', member: [person('ada'), person('eve')] }]);
  await rename(house, person('ada'), 'uid=eve');
  t.deepEqual((await read(house, group('x')))?.all('member'), [person('eve')]);
});

test('an entry that names itself follows its own rename', async (t) => {
  const house = await furnishedHouse(t);
  await added(house, [group('x'), { objectClass: 'groupOfNames', cn: 'x', member: [group('x'), person('ada')], owner: group('x') }]);
  t.is((await rename(house, group('x'), 'cn=y')).code, 0);
  const now = await read(house, group('y'));
  t.deepEqual(now?.all('member'), [group('y'), person('ada')]);
  t.deepEqual(now?.all('owner'), [group('y')]);
  t.is((await remove(house, group('y'))).code, 0);
});

for (const attribute of ['member', 'uniqueMember']) {
  test(`a group of very many: one ${attribute} follows and the others are left alone`, async (t) => {
    const house = await furnishedHouse(t);
    const many = Array.from({ length: 2000 }, (_, at) => person(`p${at}`));
    const objectClass = attribute === 'member' ? 'groupOfNames' : 'groupOfUniqueNames';
    await added(house, [group('big'), { objectClass, cn: 'big', [attribute]: [...many, person('ada'), `${person('alan')}`] }]);
    const { number } = house.engine.store.snapshot();
    await rename(house, person('ada'), 'uid=augusta');
    t.deepEqual(
      [...((await read(house, group('big')))?.all(attribute) ?? [])].sort(),
      [[...many, person('augusta'), person('alan')]].flat().sort(),
    );
    await remove(house, person('augusta'));
    t.deepEqual([...((await read(house, group('big')))?.all(attribute) ?? [])].sort(), [[...many, person('alan')]].flat().sort());
    const kinds = house.engine.store.changes(number, 100).map(({ change }) => change.kind);
    t.deepEqual(kinds.filter((kind) => kind === 'amend').length, 2);
  });
}

test('a large group that is renamed and names itself follows', async (t) => {
  const house = await furnishedHouse(t);
  const many = Array.from({ length: 500 }, (_, at) => person(`p${at}`));
  await added(house, [group('big'), { objectClass: 'groupOfNames', cn: 'big', member: [...many, group('big')] }]);
  t.is((await rename(house, group('big'), 'cn=huge')).code, 0);
  t.deepEqual([...((await read(house, group('huge')))?.all('member') ?? [])].sort(), [[...many, group('huge')]].flat().sort());
});

test('what more entries name than may be changed at once is not deleted, and nothing of it is', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.referencesMax': 2 });
  await added(house, [group('a'), { objectClass: 'groupOfNames', cn: 'a', member: person('ada') }]);
  t.is((await house.operator().modify(group('a'), ['add', 'owner', person('ada')])).code, 0);
  await added(house, [group('b'), { objectClass: 'groupOfNames', cn: 'b', member: person('ada') }]);
  const { code, result } = await remove(house, person('ada'));
  t.is(code, 11);
  t.is(result.diagnostic, 'more than 2 entries name what is deleted or renamed');
  t.deepEqual((await read(house, group('a')))?.all('member'), [person('ada')]);
  await remove(house, group('b'));
  t.is((await remove(house, person('ada'))).code, 0);
});

test('who may rename what groups name need not be allowed to write these groups; who may not delete changes nothing', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  t.is((await client.ask({ kind: 'delRequest', entry: person('alan') })).code, 50);
  t.deepEqual((await read(house, group('pioneers')))?.all('member'), [person('ada'), person('alan')]);
});

test('a group that is changed by others at the same time loses neither their change nor the name that goes', async (t) => {
  const house = await furnishedHouse(t);
  const others = Array.from({ length: 20 }, (_, at) => house.operator().modify(group('pioneers'), ['add', 'member', person(`x${at}`)]));
  const [{ code }] = await Promise.all([remove(house, person('ada')), ...others]);
  t.is(code, 0);
  t.deepEqual(
    [...((await read(house, group('pioneers')))?.all('member') ?? [])].sort(),
    [person('alan'), ...Array.from({ length: 20 }, (_, at) => person(`x${at}`))].sort(),
  );
});

test('while very many names follow others have the event loop, and what they write meanwhile follows too', async (t) => {
  const house = await furnishedHouse(t);
  const many = Array.from({ length: 400 }, (_, at): [string, Attributes] => [
    group(`g${at}`),
    { objectClass: 'groupOfNames', cn: `g${at}`, member: [person('ada'), person('alan')] },
  ]);
  await Promise.all(many.map((each) => added(house, each)));
  let turns = 0;
  let isOver = false;
  const watch = () => {
    turns++;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  const { number } = house.engine.store.snapshot();
  const [renamed] = await Promise.all([
    rename(house, person('ada'), 'uid=countess').finally(() => {
      isOver = true;
    }),
    added(house, [group('late'), { objectClass: 'groupOfNames', cn: 'late', member: person('ada') }]),
    house.operator().modify(group('g7'), ['add', 'description', 'changed meanwhile']),
  ]);
  t.is(renamed.code, 0);
  t.true(turns > 20, `${turns} turns`);
  t.is(house.engine.store.snapshot().number, number + 3, 'one commit');
  const countess = person('countess');
  t.deepEqual((await read(house, group('late')))?.all('member'), [countess]);
  const seventh = await read(house, group('g7'));
  t.deepEqual([seventh?.all('member'), seventh?.all('description')], [[countess, person('alan')], ['changed meanwhile']]);
  for (const [filter, count] of [
    [`(member=${person('ada')})`, 0],
    [`(member=${countess})`, 402],
  ] as const) {
    t.is((await house.operator().search(suffix, filter, { attributes: ['1.1'], sizeLimit: 0 })).entries.length, count);
  }
  const csns = house.engine.store.changes(number, 1000).map(({ csn }) => csn);
  t.deepEqual(csns, csns.toSorted(), 'CSNs ascend as the commits do');
  t.is((await remove(house, countess)).code, 0);
  t.deepEqual((await read(house, group('g7')))?.all('member'), [person('alan')]);
});

test('a name that is written in another case follows all the same, beside one that is as it was given', async (t) => {
  const house = await furnishedHouse(t);
  const member = [person('ada').toUpperCase(), person('alan')];
  await added(
    house,
    [group('a'), { objectClass: 'groupOfNames', cn: 'a', member }],
    [group('b'), { objectClass: 'groupOfNames', cn: 'b', member: [person('eve'), person('ada')] }],
  );
  t.is((await rename(house, person('ada'), 'uid=eve')).code, 0);
  t.deepEqual((await read(house, group('a')))?.all('member'), [person('eve'), person('alan')]);
  t.deepEqual((await read(house, group('b')))?.all('member'), [person('eve')], 'once, where it was named before');
});

test('who comes to name an entry while its rename is decided follows, though nobody else has changed', async (t) => {
  const house = await furnishedHouse(t);
  for (let at = 0; at < 60; at++) {
    await added(house, [group(`g${at}`), { objectClass: 'groupOfNames', cn: `g${at}`, member: [person('ada')] }]);
  }
  const late = added(house, [group('late'), { objectClass: 'groupOfNames', cn: 'late', member: person('ada') }]);
  const [renamed] = await Promise.all([rename(house, person('ada'), 'uid=countess'), late]);
  t.is(renamed.code, 0);
  t.deepEqual((await read(house, group('late')))?.all('member'), [person('countess')]);
});
