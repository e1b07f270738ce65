import test from 'ava';
import { utf8 } from '#base';
import { ClientRefusal } from '#client';
import { openWebLayer } from '../support/web-layer.ts';
import { type Attributes, type Client, furnishedHouse, houseWithVault, person, suffix, vault } from './driver.ts';

type House = Awaited<ReturnType<typeof furnishedHouse>>;

const policies = `ou=policies,${suffix}`;
const said = (attribute: string) => `${attribute}: another entry has this value (some attributes not unique)`;

async function withPolicy(house: House, more: Attributes = { stsUniqueAttribute: ['mail', 'uid'] }, cn = 'unique') {
  const operator = house.operator();
  await operator.add(policies, { objectClass: 'organizationalUnit', ou: 'policies' });
  return await operator.add(`cn=${cn},${policies}`, { objectClass: 'stsUniquenessPolicy', cn, ...more });
}

const someone = (uid: string, more: Attributes = {}): Attributes => ({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more });
const rename = (client: Client, entry: string, newRdn: string, more: { newSuperior?: string } = {}) =>
  client.ask({ kind: 'modifyDNRequest', entry, newRdn, deleteOldRdn: false, ...more });

test('a value that another entry has is refused as slapd refuses it, from the moment a policy says so, until it says so no more', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const twin = (uid: string) => operator.add(person(uid), someone(uid, { mail: 'ADA@example.com' }));
  t.is((await twin('one')).code, 0);
  t.is((await withPolicy(house)).code, 0);
  t.like(await twin('two'), { code: 19, result: { diagnostic: said('mail') } });
  t.like(await operator.modify(person('alan'), ['replace', 'mail', 'ada@EXAMPLE.com']), { code: 19, result: { diagnostic: said('mail') } });
  t.is((await operator.modify(`cn=unique,${policies}`, ['delete', 'stsUniqueAttribute', 'mail'])).code, 0);
  t.is((await twin('two')).code, 0);
  t.is((await operator.modify(`cn=unique,${policies}`, ['add', 'stsUniqueAttribute', '0.9.2342.19200300.100.1.3'])).code, 0);
  t.is((await twin('three')).code, 19);
  await operator.ask({ kind: 'delRequest', entry: `cn=unique,${policies}` });
  t.is((await twin('three')).code, 0);
});

test('an entry keeps what it has, be it unique or not, and may be changed otherwise', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.add(person('twin'), someone('twin', { mail: 'ada@example.com' }));
  await withPolicy(house);
  t.is((await operator.modify(person('twin'), ['replace', 'title', 'Dr'])).code, 0);
  t.is((await operator.modify(person('twin'), ['add', 'mail', 'twin@example.com'])).code, 0);
  t.is((await operator.modify(person('twin'), ['replace', 'mail', 'ada@example.com', 'other@example.com'])).code, 0);
  t.is((await operator.modify(person('twin'), ['replace', 'mail', 'alan@example.com'])).code, 19);
  t.is((await operator.modify(person('twin'), ['delete', 'mail'])).code, 0);
  t.is((await operator.modify(person('twin'), ['add', 'mail', 'ada@example.com'])).code, 19);
});

test('a value that was given up is free', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await withPolicy(house);
  await operator.modify(person('ada'), ['delete', 'mail']);
  t.is((await operator.modify(person('alan'), ['replace', 'mail', 'ada@example.com'])).code, 0);
  await operator.ask({ kind: 'delRequest', entry: person('alan') });
  t.is((await operator.modify(person('ada'), ['replace', 'mail', 'ada@example.com'])).code, 0);
});

test('a rename brings values too, and so does a move to where a policy holds', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await withPolicy(house, { stsUniqueAttribute: 'uid', stsUniqueBase: `ou=people,${suffix}` });
  await operator.add(`ou=staff,ou=people,${suffix}`, { objectClass: 'organizationalUnit', ou: 'staff' });
  t.is((await operator.add(`cn=x,ou=staff,ou=people,${suffix}`, { ...someone('ada'), cn: 'x' })).code, 19);
  t.is((await operator.add(`cn=alan,ou=staff,ou=people,${suffix}`, { ...someone('y'), cn: 'alan' })).code, 0);
  t.like(await rename(operator, `cn=alan,ou=staff,ou=people,${suffix}`, 'uid=alan'), { code: 19, result: { diagnostic: said('uid') } });
  t.is((await operator.add(`uid=ada,ou=applications,${suffix}`, someone('ada'))).code, 0);
  t.like(await rename(operator, `uid=ada,ou=applications,${suffix}`, 'uid=ada', { newSuperior: `ou=staff,ou=people,${suffix}` }), {
    code: 19,
    result: { diagnostic: 'some attributes not unique' },
  });
  t.is((await rename(operator, person('ada'), 'uid=ada', { newSuperior: `ou=staff,ou=people,${suffix}` })).code, 0);
});

test('a policy with a filter holds of the entries that fit it, and of one from when it fits', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await withPolicy(house, { stsUniqueAttribute: 'employeeNumber', stsUniqueFilter: '(employeeType=permanent)' });
  t.is((await operator.add(person('a'), someone('a', { employeeNumber: '7', employeeType: 'permanent' }))).code, 0);
  t.is((await operator.add(person('b'), someone('b', { employeeNumber: '7' }))).code, 0);
  t.is((await operator.add(person('c'), someone('c', { employeeNumber: '7', employeeType: 'permanent' }))).code, 19);
  // Whoever may write the one might not see the other, which the entry had before.
  const unseen = await operator.modify(person('b'), ['add', 'employeeType', 'permanent']);
  t.like(unseen, { code: 19, result: { diagnostic: 'some attributes not unique' } });
  await operator.modify(person('a'), ['delete', 'employeeType']);
  t.is((await operator.modify(person('b'), ['add', 'employeeType', 'permanent'])).code, 0);
});

test('of many who bring one value at the same time one wins, be it by add, modify or rename', async (t) => {
  const house = await furnishedHouse(t);
  await withPolicy(house);
  const operator = house.operator();
  for (const uid of ['m0', 'm1', 'm2', 'm3']) await operator.add(person(uid), someone(uid));
  const answers = await Promise.all([
    ...['a0', 'a1', 'a2', 'a3'].map((uid) => house.operator().add(person(uid), someone(uid, { mail: 'one@example.com' }))),
    ...['m0', 'm1', 'm2', 'm3'].map((uid) => house.operator().modify(person(uid), ['add', 'mail', 'one@example.com'])),
  ]);
  t.is(answers.filter(({ code }) => code === 0).length, 1);
  t.is(answers.filter(({ code }) => code === 19).length, 7);
  t.is((await operator.search(suffix, '(mail=one@example.com)')).entries.length, 1);
});

test('an add that was decided before a policy came is decided again behind it', async (t) => {
  const house = await furnishedHouse(t);
  await house.operator().add(policies, { objectClass: 'organizationalUnit', ou: 'policies' });
  await withPolicy(house, { stsUniqueAttribute: 'employeeNumber' }, 'other');
  const policy = { objectClass: 'stsUniquenessPolicy', cn: 'unique', stsUniqueAttribute: 'mail' };
  const [made, twin] = await Promise.all([
    house.operator().add(`cn=unique,${policies}`, policy),
    house.operator().add(person('twin'), someone('twin', { mail: 'ada@example.com', employeeNumber: '3' })),
  ]);
  t.deepEqual([made.code, twin.code], [0, 19]);
});

test('a credential is one person’s, whatever the realm says of it', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const add = (uid: string, id: string) =>
    operator.modify(person(uid), ['add', 'objectClass', 'stsCredentialHolder'], ['add', 'stsCredentialId', id]);
  // As long as they may be, and longer than what an index keeps of a value.
  const long = 'x'.repeat(1023);
  t.is((await add('ada', long)).code, 0);
  t.is((await add('alan', long)).code, 19);
  t.is((await add('alan', `${long.slice(1)}y`)).code, 0);
});

test('who writes their first credential id becomes one of the class that may have some, without the right to say so', async (t) => {
  const { client, clock } = await openWebLayer(t);
  const session = { factors: 1, authenticatedMs: clock.nowMs(), address: '::1', isProtected: true };
  const ada = client.as({ dn: person('ada'), session });
  const write = (dn: string, operation: 'add' | 'delete', description: string, value: string) =>
    ada.modify(dn, [{ operation, attribute: { description, values: [utf8(value)] } }]).then(
      () => 0,
      (error: unknown) => (error instanceof ClientRefusal ? error.code : -1),
    );
  t.is(await write(person('ada'), 'add', 'objectClass', 'stsCredentialHolder'), 50);
  t.is(await write(person('ada'), 'add', 'stsCredentialId', 'mine'), 0);
  t.true((await ada.read(person('ada'), ['objectClass']))?.all('objectClass').includes('stsCredentialHolder'));
  t.is(await write(person('ada'), 'add', 'stsCredentialId', 'mine too'), 0);
  t.is(await write(person('ada'), 'delete', 'stsCredentialId', 'mine'), 0);
  t.is(await write(person('alan'), 'add', 'stsCredentialId', 'mine'), 50);
});

test('values that are the same only as far as the index keeps them are two', async (t) => {
  const house = await furnishedHouse(t);
  await withPolicy(house, { stsUniqueAttribute: 'cn' });
  const long = 'x'.repeat(2000);
  const operator = house.operator();
  t.is((await operator.add(person('a'), { ...someone('a'), cn: `${long}a` })).code, 0);
  t.is((await operator.add(person('b'), { ...someone('b'), cn: `${long}b` })).code, 0);
  t.is((await operator.add(person('c'), { ...someone('c'), cn: `${long}a` })).code, 19);
});

test('a policy that could not be held is refused, and one elsewhere is none', async (t) => {
  const house = await furnishedHouse(t);
  for (const stsUniqueAttribute of ['title', 'member', 'objectClass', 'entryUUID']) {
    const { code, result } = await withPolicy(house, { stsUniqueAttribute });
    t.is(code, 19);
    t.is(result.diagnostic, `stsUniqueAttribute: ${stsUniqueAttribute} has no index by which it could be held unique`);
  }
  t.is((await withPolicy(house, { stsUniqueAttribute: 'mail', stsUniqueFilter: '(cn=x' })).code, 19);
  t.is((await withPolicy(house)).code, 0);
  t.is((await house.operator().modify(`cn=unique,${policies}`, ['replace', 'stsUniqueAttribute', 'title'])).code, 19);
  const other = await furnishedHouse(t);
  await other
    .operator()
    .add(`cn=unique,ou=applications,${suffix}`, { objectClass: 'stsUniquenessPolicy', cn: 'unique', stsUniqueAttribute: 'mail' });
  t.is((await other.operator().add(person('twin'), someone('twin', { mail: 'ada@example.com' }))).code, 0);
});

test('who may not read an entry learns nothing of its values by writing their own', async (t) => {
  const house = await houseWithVault(t);
  await withPolicy(house, { stsUniqueAttribute: 'displayName' });
  await house.operator().add(`uid=h,${vault}`, someone('h', { displayName: 'secret name' }));
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  // As in slapd the refusal tells that somebody has it, and of what they sent the attribute; not who, and not which of several values it was.
  const { code, result } = await client.modify(person('ada'), ['replace', 'displayName', 'secret name']);
  t.deepEqual([code, result.diagnostic, result.matchedDN], [19, said('displayName'), '']);
});

test('the first policy of a realm holds for whatever is decided in the same instant and committed behind it', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const twin = (uid: string) => operator.add(person(uid), someone(uid, { mail: 'ada@example.com' }));
  await operator.add(policies, { objectClass: 'organizationalUnit', ou: 'policies' });
  const [before, policy, behind] = await Promise.all([
    twin('before'),
    operator.add(`cn=unique,${policies}`, { objectClass: 'stsUniquenessPolicy', cn: 'unique', stsUniqueAttribute: 'mail' }),
    twin('behind'),
  ]);
  t.deepEqual([before.code, policy.code, behind.code], [0, 0, 19]);
});
