import test from 'ava';
import { type Attributes, type Client, furnishedHouse, houseWithVault, person, suffix, vault } from './driver.ts';

type House = Awaited<ReturnType<typeof furnishedHouse>>;

const people = `ou=people,${suffix}`;
const group = (cn: string) => `cn=${cn},ou=groups,${suffix}`;
const someone = (uid: string, more: Attributes = {}): Attributes => ({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more });
const byUrl = (cn: string, ...memberURL: string[]): Attributes => ({ objectClass: 'groupOfURLs', cn, memberURL });

async function added(house: House, ...entries: readonly (readonly [string, Attributes])[]) {
  for (const [dn, attributes] of entries) {
    const { code, result } = await house.operator().add(dn, attributes);
    if (code !== 0) throw new Error(`${dn}: ${code} ${result.diagnostic}`);
  }
}

async function read(client: Client, dn: string, name: string, attributes: readonly string[] = [name]) {
  const { entries } = await client.search(dn, '(objectClass=*)', { scope: 'base', attributes });
  return [...(entries[0]?.all(name) ?? [])].sort();
}

async function asAda(house: House) {
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  return client;
}

const staff = `ldap:///${people}??sub?(employeeType=staff)`;
const withStaff = async (house: House) =>
  await added(
    house,
    [person('s'), someone('s', { employeeType: 'staff' })],
    [person('t'), someone('t', { employeeType: 'staff' })],
    [group('staff'), byUrl('staff', staff)],
  );

test('the members of a groupOfURLs are found when they are asked for by name or with all, as slapo-dynlist finds them', async (t) => {
  const house = await furnishedHouse(t);
  await withStaff(house);
  const both = [person('s'), person('t')];
  const operator = house.operator();
  for (const attributes of [[], ['*'], ['member'], ['MEMBER', 'cn'], ['*', '+']])
    t.deepEqual(await read(operator, group('staff'), 'member', attributes), both, attributes.join());
  for (const attributes of [['cn'], ['+'], ['1.1']]) t.deepEqual(await read(operator, group('staff'), 'member', attributes), []);
  const { entries } = await operator.search(group('staff'), '(objectClass=*)', { scope: 'base', typesOnly: true, attributes: ['member'] });
  t.deepEqual(entries[0]?.names, ['member']);
  await operator.modify(person('s'), ['delete', 'employeeType']);
  t.deepEqual(await read(operator, group('staff'), 'member'), [person('t')]);
});

test('scope, filter and several URLs count; one of another host, one for attributes and one that leads nowhere name nobody', async (t) => {
  const house = await furnishedHouse(t);
  await withStaff(house);
  const operator = house.operator();
  const cases: readonly [urls: readonly string[], members: readonly string[]][] = [
    [[`ldap:///${people}??one?(uid=s)`], [person('s')]],
    [[`ldap:///${suffix}??one?(uid=s)`], []],
    [[`ldap:///${person('ada')}`], [person('ada')]],
    [
      [`ldap:///${people}??sub?(uid=s)`, `ldap:///${people}??sub?(employeeType=staff)`],
      [person('s'), person('t')],
    ],
    [[`ldap://elsewhere/${people}??sub?(uid=s)`], []],
    [[`ldap:///${people}?mail?sub?(uid=s)`], []],
    [[`ldap:///ou=nowhere,${suffix}??sub?(uid=s)`], []],
    [['ldap:///x??sub'], []],
    [['no URL at all'], []],
  ];
  for (const [urls, members] of cases) {
    await operator.modify(group('staff'), ['replace', 'memberURL', ...urls]);
    t.deepEqual(await read(operator, group('staff'), 'member'), members, urls.join());
  }
});

test('compare asks such a group for a member', async (t) => {
  const house = await furnishedHouse(t);
  await withStaff(house);
  const compare = async (dn: string) =>
    (await house.operator().ask({ kind: 'compareRequest', entry: group('staff'), description: 'member', value: Buffer.from(dn) })).code;
  t.is(await compare(person('s')), 6);
  t.is(await compare(person('ada')), 5);
  t.is(await compare(person('nobody')), 5);
});

test('memberOf counts such groups, in what is read, in filters and in comparisons', async (t) => {
  const house = await furnishedHouse(t);
  await withStaff(house);
  await added(house, [group('all'), { objectClass: 'groupOfNames', cn: 'all', member: [group('staff'), person('alan')] }]);
  const operator = house.operator();
  t.deepEqual(await read(operator, person('s'), 'memberOf'), [group('all'), group('staff')]);
  t.deepEqual(await read(operator, person('ada'), 'memberOf'), [group('pioneers')]);
  const found = async (filter: string) => [...(await operator.search(suffix, filter)).dns].sort();
  t.deepEqual(await found(`(memberOf=${group('staff')})`), [person('s'), person('t')]);
  t.deepEqual(await found(`(memberOf=${group('all')})`), [group('staff'), person('alan'), person('s'), person('t')]);
  t.deepEqual(await found(`(&(objectClass=person)(!(memberOf=${group('staff')})))`), [
    person('ada'),
    `uid=admin,${people}`,
    person('alan'),
  ]);
  const value = Buffer.from(group('all'));
  t.is((await operator.ask({ kind: 'compareRequest', entry: person('t'), description: 'memberOf', value })).code, 6);
});

test('groups whose URLs ask for the members of each other come to an end', async (t) => {
  const house = await furnishedHouse(t);
  await added(
    house,
    [group('a'), byUrl('a', `ldap:///${people}??sub?(memberOf=${group('b')})`)],
    [group('b'), byUrl('b', `ldap:///${people}??sub?(|(memberOf=${group('a')})(memberOf=${group('pioneers')}))`)],
  );
  t.deepEqual(await read(house.operator(), group('b'), 'member'), [person('ada'), person('alan')]);
  t.deepEqual(await read(house.operator(), group('a'), 'member'), []);
});

test('who asks finds members only among what they may see, by what they may read', async (t) => {
  const house = await houseWithVault(t);
  await added(
    house,
    [`uid=h,${vault}`, someone('h', { employeeType: 'staff' })],
    [group('everywhere'), byUrl('everywhere', `ldap:///${suffix}??sub?(employeeType=staff)`)],
    [group('secret'), byUrl('secret', `ldap:///${people}??sub?(employeeNumber=1815)`)],
    [`cn=hidden,${vault}`, byUrl('hidden', `ldap:///${people}??sub?(uid=alan)`)],
    [person('s'), someone('s', { employeeType: 'staff', employeeNumber: '1815' })],
  );
  await house.operator().modify(person('s'), ['replace', 'employeeType', 'staff']);
  const ada = await asAda(house);
  t.deepEqual(await read(house.operator(), group('everywhere'), 'member'), [`uid=h,${vault}`, person('s')]);
  t.deepEqual(await read(ada, group('everywhere'), 'member'), [person('s')]);
  // Not employeeNumber of others.
  t.deepEqual(await read(ada, group('secret'), 'member'), [person('ada')]);
  t.deepEqual(await read(ada, person('alan'), 'memberOf'), [group('pioneers')]);
});

test('a group whose members are to be found among more entries than may be looked at is refused', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.dynamicEntriesMax': 2 });
  await added(house, [group('all'), byUrl('all', `ldap:///${people}??sub`)]);
  const { code, result } = await house.operator().search(group('all'), '(objectClass=*)', { scope: 'base' });
  t.deepEqual([code, result.diagnostic], [11, 'the members of a group are to be found among more than 2 entries']);
  t.is((await house.operator().search(group('all'), '(objectClass=*)', { scope: 'base', attributes: ['cn'] })).code, 0);
});

test('with ManageDsaIT such a group is what is kept of it, as with slapo-dynlist', async (t) => {
  const house = await furnishedHouse(t);
  await withStaff(house);
  const managed = [{ oid: '2.16.840.1.113730.3.4.2', critical: true }];
  const asked = await house.operator().search(group('staff'), '(objectClass=*)', { scope: 'base', attributes: ['*'] }, managed);
  t.deepEqual([asked.entries[0]?.all('member'), asked.entries[0]?.all('memberURL')], [[], [staff]]);
});
