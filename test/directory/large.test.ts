import test, { type ExecutionContext } from 'ava';
import { exportEntries } from '#directory';
import { type Client, furnishedHouse, type House, person, suffix } from './driver.ts';

const staff = `cn=staff,ou=groups,${suffix}`;
const members = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => person(`p${from + at}`));

interface Group {
  readonly house: House;
  readonly operator: Client;
  /** The members as a search shows them. */
  shown(): Promise<readonly string[]>;
  /** How many values lie outside of the entry. */
  listed(): number | undefined;
}

/** A house with a group of so many members. */
async function group(t: ExecutionContext, count: number, dn = staff): Promise<Group> {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const { code, result } = await operator.add(dn, { objectClass: 'groupOfNames', cn: 'staff', member: members(0, count) });
  t.is(code, 0, result.diagnostic);
  return {
    house,
    operator,
    shown: async () => (await operator.search(dn, '(objectClass=*)', { scope: 'base' })).entries[0]?.all('member') ?? [],
    listed: () => {
      const { store, prepared } = house.engine;
      return store.snapshot().byDnKey(prepared.base(dn).name.key)?.large[0]?.count;
    },
  };
}

const sorted = (values: Iterable<string>) => [...values].sort();

test('a group of more than 256 members keeps them outside of its entry and shows them as any other does', async (t) => {
  const { operator, shown, listed } = await group(t, 257);
  t.is(listed(), 257);
  t.deepEqual(sorted(await shown()), sorted(members(0, 257)));
  const ask = async (filter: string, attributes: string[] = [], typesOnly = false) =>
    (await operator.search(`ou=groups,${suffix}`, filter, { attributes, typesOnly })).entries.map(({ dn, names }) => [
      dn,
      ...sorted(names),
    ]);
  t.deepEqual(await ask('(cn=staff)', ['cn']), [[staff, 'cn']]);
  t.deepEqual(await ask('(cn=staff)', ['1.1']), [[staff]]);
  t.deepEqual(await ask('(cn=staff)', ['member']), [[staff, 'member']]);
  t.deepEqual(await ask('(cn=staff)', [], true), [[staff, 'cn', 'member', 'objectClass']]);
  t.deepEqual(await ask('(cn=staff)', ['distinguishedName']), [[staff, 'member']], 'by its supertype');
  t.deepEqual(await ask('(&(cn=staff)(member=UID=p7, ou=people,dc=example,dc=com))', ['cn']), [[staff, 'cn']]);
  t.deepEqual(await ask(`(&(cn=staff)(!(member=${person('p7')})))`), []);
  t.deepEqual(await ask(`(&(cn=staff)(!(member=${person('q')})))`, ['cn']), [[staff, 'cn']]);
  t.deepEqual(await ask('(&(cn=staff)(member=*))', ['cn']), [[staff, 'cn']]);
  t.deepEqual(await ask('(distinguishedName:distinguishedNameMatch:=uid=p8,ou=people,dc=example,dc=com)', ['cn']), [[staff, 'cn']]);
});

test('values are added to a large attribute and removed from it one by one, and refused as RFC 4511 §4.6 wants it', async (t) => {
  const { operator, shown, listed } = await group(t, 300);
  const code = async (...changes: Parameters<Client['modify']>[1][]) => (await operator.modify(staff, ...changes)).code;
  t.is(await code(['add', 'member', person('x'), person('y')]), 0);
  t.is(await code(['add', 'member', 'UID=P5,ou=People,dc=example,dc=com']), 20, 'there is one that is equal');
  t.is(await code(['add', 'member', person('z'), person('Z')]), 20);
  t.is(await code(['delete', 'member', person('z')]), 16);
  t.is(await code(['add', 'member', 'no name']), 21);
  t.is(await code(['delete', 'member', person('p0')], ['add', 'member', person('P0')], ['delete', 'member', person('x')]), 0);
  t.is(await code(['add', 'member', person('z')], ['delete', 'member', person('q')]), 16, 'all or nothing');
  t.is(await code(['add', 'member', person('z')], ['delete', 'member', person('z')]), 0);
  t.is(await code(['increment', 'member', person('y')]), 19);
  t.deepEqual(sorted(await shown()), sorted([...members(1, 300), person('y'), person('P0')]));
  t.is(listed(), 301);
  t.is(await code(['add', 'member'], ['replace', 'description', 'x']), 2);
  t.is(await code(['delete', 'member']), 65, 'a group has members');
  t.is(await code(['replace', 'member', person('only')]), 0);
  t.deepEqual([await shown(), listed()], [[person('only')], undefined]);
  t.is(await code(['replace', 'member', ...members(0, 400)]), 0);
  t.is(listed(), 400);
  t.is(await code(['delete', 'member'], ['add', 'member', ...members(0, 2)]), 0);
  t.deepEqual(sorted(await shown()), sorted(members(0, 2)));
});

test('an attribute that shrinks comes back into its entry below a quarter of the bound, and leaves it again above', async (t) => {
  const { operator, shown, listed } = await group(t, 257);
  t.is((await operator.modify(staff, ['delete', 'member', ...members(0, 193)])).code, 0);
  t.is(listed(), 64);
  t.is((await operator.modify(staff, ['delete', 'member', person('p193')], ['add', 'member', person('x')])).code, 0);
  t.is((await operator.modify(staff, ['delete', 'member', person('p194')])).code, 0);
  t.is(listed(), undefined);
  t.deepEqual(sorted(await shown()), sorted([...members(195, 257), person('x')]));
  t.is((await operator.modify(staff, ['add', 'member', ...members(300, 493)])).code, 0);
  t.is(listed(), undefined);
  t.is((await operator.modify(staff, ['add', 'member', person('one more')])).code, 0);
  t.is(listed(), 257);
  t.is((await shown()).length, 257);
});

test('a group with a large attribute is renamed, compared and deleted, and nothing of it stays', async (t) => {
  const { house, operator } = await group(t, 300);
  const compare = async (entry: string, value: string) =>
    (await operator.ask({ kind: 'compareRequest', entry, description: 'member', value: Buffer.from(value) })).code;
  t.is(await compare(staff, person('P7')), 6);
  t.is(await compare(staff, person('q')), 5);
  const renamed = `cn=everybody,ou=people,${suffix}`;
  const op = {
    kind: 'modifyDNRequest',
    entry: staff,
    newRdn: 'cn=everybody',
    deleteOldRdn: true,
    newSuperior: `ou=people,${suffix}`,
  } as const;
  t.is((await operator.ask(op)).code, 0);
  t.is(await compare(renamed, person('p299')), 6);
  const memberOf = async () =>
    (await operator.search(person('ada'), '(uid=ada)', { attributes: ['memberOf'] })).entries[0]?.all('memberOf') ?? [];
  t.is((await operator.modify(renamed, ['add', 'member', person('ada')])).code, 0);
  t.deepEqual(sorted(await memberOf()), sorted([`cn=pioneers,ou=groups,${suffix}`, renamed]));
  t.is((await operator.ask({ kind: 'delRequest', entry: renamed })).code, 0);
  t.deepEqual(await memberOf(), [`cn=pioneers,ou=groups,${suffix}`]);
  const snapshot = house.engine.store.snapshot();
  t.is(snapshot.idsPrefix('member', new Uint8Array(0), 9)?.length, 1);
});

test('the same value under an option, and values that are alike for a thousand octets, are values of their own', async (t) => {
  const { operator, shown, listed } = await group(t, 260);
  const long = (end: string) => `uid=${'x'.repeat(1100)}${end},ou=people,${suffix}`;
  const code = async (...changes: Parameters<Client['modify']>[1][]) => (await operator.modify(staff, ...changes)).code;
  const found = async (value: string) => (await operator.search(suffix, `(member=${value})`)).dns;
  t.is(await code(['add', 'member', long('a')]), 0);
  t.is(await code(['add', 'member', long('b')]), 0);
  t.is(await code(['add', 'member', long('a')]), 20);
  t.deepEqual([await found(long('b')), await found(long('c'))], [[staff], []]);
  t.is(await code(['delete', 'member', long('a')]), 0);
  t.deepEqual([await found(long('b')), await found(long('a'))], [[staff], []]);
  t.is(await code(['add', 'member;x-foo', person('p3'), person('only here')]), 0);
  t.is(await code(['delete', 'member', person('p3')]), 0);
  t.deepEqual(await found(person('p3')), [staff], 'by the option');
  t.is(await code(['add', 'member', person('p3')]), 0);
  t.is(await code(['delete', 'member;x-foo']), 0);
  t.deepEqual([await found(person('p3')), await found(person('only here'))], [[staff], []]);
  t.is((await shown()).length, 261);
  t.is(listed(), 261);
});

test('an entry stays within ldap.entryOctetsMax whatever of it lies outside', async (t) => {
  const { house, operator } = await group(t, 300);
  Object.assign(house.engine.settings, { 'ldap.entryOctetsMax': 15_000 });
  t.is((await operator.modify(staff, ['add', 'member', ...members(300, 310)])).code, 0);
  t.is((await operator.modify(staff, ['add', 'member', ...members(310, 400)])).code, 11);
});

test('an export has all values of a large attribute', async (t) => {
  const { house } = await group(t, 300);
  const [entry] = [...exportEntries(house.engine)].filter(({ dn }) => dn === staff);
  t.is(entry?.attributes.find(({ description }) => description === 'member')?.values.length, 300);
});
