import test, { type ExecutionContext } from 'ava';
import { encodeBer } from '#ldap';
import { importLive } from '../../src/directory/import/live.ts';
import { persistentControl } from '../support/follower.ts';
import { sortedBy } from './control-values.ts';
import { type Attributes, attributesOf, furnishedHouse, type House, person, searchOf, suffix } from './driver.ts';

const registry = `ou=realms,${suffix}`;
const inner = `dc=sub,${suffix}`;
const innerAda = `uid=ada,ou=people,${inner}`;
const someone = (uid: string, more: Attributes = {}): Attributes => ({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more });

/** A realm whose suffix lies inside the default realm's tree, and one beside it, each with an ada and a group. */
async function threeRealms(t: ExecutionContext): Promise<House> {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const entries: [string, Attributes][] = [
    [registry, { objectClass: 'organizationalUnit', ou: 'realms' }],
    [`cn=sub,${registry}`, { objectClass: 'stsRealmEntry', cn: 'sub', stsRealmId: 'sub', associatedDomain: 'sub.example.com' }],
    [`cn=acme,${registry}`, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme', stsRealmMode: 'development' }],
    [innerAda, someone('ada', { mail: 'ada@example.com', manager: person('ada') })],
    ['uid=ada,ou=people,o=acme', someone('ada', { mail: 'ada@example.com' })],
    [`cn=inner,ou=groups,${inner}`, { objectClass: 'groupOfNames', cn: 'inner', member: [innerAda, person('ada')] }],
  ];
  for (const [dn, attributes] of entries) t.is((await operator.add(dn, attributes)).code, 0, dn);
  return house;
}

test('a search of any scope ends at the edge of its realm, from either side', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  const dns = async (base: string, filter: string, scope: 'one' | 'sub' | 'children' = 'sub') =>
    (await operator.search(base, filter, { scope })).dns.toSorted();
  for (const filter of [
    '(uid=ada)',
    '(uid=ada*)',
    '(uid=*da*)',
    '(&(uid=ada)(!(cn=x)))',
    '(!(!(uid=ada)))',
    '(|(uid=ada)(description=x*))',
  ]) {
    t.deepEqual(await dns(suffix, filter), [person('ada')], filter);
    t.deepEqual(await dns(inner, filter), [innerAda], filter);
    t.deepEqual(await dns('o=acme', filter), ['uid=ada,ou=people,o=acme'], filter);
    t.deepEqual(await dns(suffix, filter, 'children'), [person('ada')], filter);
  }
  t.deepEqual(await dns(suffix, '(dc=*)', 'one'), [], 'the suffix of another realm is nobody’s child');
  t.deepEqual(await dns(suffix, `(entryDN=${innerAda})`), []);
  const all = await dns(suffix, '(objectClass=*)');
  t.true(all.length > 10);
  t.deepEqual(
    all.filter((dn) => dn.endsWith(inner)),
    [],
  );
  const [top] = (await operator.search(suffix, '(objectClass=*)', { scope: 'base', attributes: ['numSubordinates', 'hasSubordinates'] }))
    .entries;
  t.deepEqual(top?.all('numSubordinates'), ['4']);
  const sorted = await operator.search(suffix, '(uid=ada)', {}, [sortedBy('entryUUID')]);
  t.deepEqual(sorted.dns, [person('ada')]);
});

test('names that lead into another realm are names and nothing else: memberOf, manager, integrity, aliases', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  const memberOf = async (dn: string) =>
    (await operator.search(dn, '(objectClass=*)', { scope: 'base', attributes: ['memberOf'] })).entries[0]?.all('memberOf') ?? [];
  t.deepEqual(await memberOf(person('ada')), [`cn=pioneers,ou=groups,${suffix}`]);
  t.deepEqual(await memberOf(innerAda), [`cn=inner,ou=groups,${inner}`]);
  t.deepEqual((await operator.search(suffix, `(memberOf=cn=inner,ou=groups,${inner})`)).dns, []);
  t.deepEqual((await operator.search(inner, `(memberOf=cn=inner,ou=groups,${inner})`)).dns, [innerAda]);
  t.deepEqual((await operator.search(inner, `(manager:1.2.840.113556.1.4.1941:=${person('ada')})`)).dns, []);

  const alias = { objectClass: ['alias', 'extensibleObject'], cn: 'there' };
  const isAlias = await operator.add(`cn=there,ou=people,${suffix}`, { ...alias, aliasedObjectName: innerAda });
  if (isAlias.code === 0) {
    const through = await operator.search(`cn=there,ou=people,${suffix}`, '(objectClass=*)', { scope: 'base', derefAliases: 'always' });
    t.is(through.code, 33);
    t.deepEqual((await operator.search(`ou=people,${suffix}`, '(uid=ada)', { derefAliases: 'always' })).dns, [person('ada')]);
  }

  t.is((await operator.ask({ kind: 'delRequest', entry: person('ada') })).code, 0);
  const group = await operator.search(`cn=inner,ou=groups,${inner}`, '(objectClass=*)', { scope: 'base' });
  t.deepEqual(group.entries[0]?.all('member'), [innerAda, person('ada')], 'a realm’s entries change with its own alone');
  const own = await operator.search(`cn=pioneers,ou=groups,${suffix}`, '(objectClass=*)', { scope: 'base' });
  t.deepEqual(own.entries[0]?.all('member'), [person('alan')]);
});

test('nothing is moved from one realm to another, nor into what would be another’s place', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  const move = (entry: string, newRdn: string, newSuperior?: string) =>
    operator.ask({ kind: 'modifyDNRequest', entry, newRdn, deleteOldRdn: true, ...(newSuperior === undefined ? {} : { newSuperior }) });
  t.is((await move(person('alan'), 'uid=alan', `ou=people,${inner}`)).code, 71);
  t.is((await move(person('alan'), 'uid=alan', 'ou=people,o=acme')).code, 71);
  t.is((await move(innerAda, 'uid=ada2', `ou=people,${suffix}`)).code, 71);
  t.is((await operator.add(`dc=other,${suffix}`, { objectClass: ['dcObject', 'organization'], dc: 'other', o: 'other' })).code, 0);
  t.is((await move(`dc=other,${suffix}`, 'dc=sub')).code, 71);
  t.is((await move(inner, 'dc=new')).code, 53);
  t.is((await move(innerAda, 'uid=ada3')).code, 0, 'but within it');
});

test('deleting a tree takes nothing of a realm that lies inside of it', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  const deep = `dc=deep,dc=mid,${suffix}`;
  t.is((await operator.add(`dc=mid,${suffix}`, { objectClass: ['dcObject', 'organization'], dc: 'mid', o: 'mid' })).code, 0);
  for (const ou of ['a', 'z']) t.is((await operator.add(`ou=${ou},dc=mid,${suffix}`, { objectClass: 'organizationalUnit', ou })).code, 0);
  const entry = { objectClass: 'stsRealmEntry', cn: 'deep', stsRealmId: 'deep', associatedDomain: 'deep.mid.example.com' };
  t.is((await operator.add(`cn=deep,${registry}`, entry)).code, 0);
  const tree = [{ oid: '1.2.840.113556.1.4.805', critical: true }];
  const before = (await operator.search(deep, '(objectClass=*)')).dns.length;
  t.is((await operator.ask({ kind: 'delRequest', entry: `dc=mid,${suffix}` }, tree)).code, 0);
  t.is((await operator.search(deep, '(objectClass=*)')).dns.length, before);
  t.deepEqual((await operator.search(suffix, '(ou=z)')).dns, []);
});

test('whose realm has an administrator of its own: who may do what stops at the edge', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  t.is((await operator.modify('uid=admin,ou=people,o=acme', ['replace', 'userPassword', 'acme’s own'])).code, 0);
  t.is((await operator.modify(innerAda, ['replace', 'userPassword', 'inner'])).code, 0);
  const acme = house.connect('ldaps');
  t.is((await acme.bind('uid=admin,ou=people,o=acme', 'acme’s own')).code, 0);
  t.is((await acme.add('uid=new,ou=people,o=acme', someone('new'))).code, 0);
  t.not((await acme.add(`uid=new,ou=people,${inner}`, someone('new'))).code, 0);
  t.deepEqual((await acme.search(suffix, '(objectClass=*)')).dns, []);
  t.deepEqual((await acme.search(inner, '(objectClass=*)')).dns, []);
  t.not((await acme.modify(person('ada'), ['replace', 'description', 'x'])).code, 0);
  const ada = house.connect('ldaps');
  t.is((await ada.bind(innerAda, 'inner')).code, 0);
  t.deepEqual((await ada.search(suffix, '(uid=*)')).dns, []);
  t.deepEqual((await ada.search('o=acme', '(uid=*)')).dns, []);
  t.true((await ada.search(inner, '(uid=*)')).dns.includes(innerAda));
});

test('a person is named uid@realm, by id or domain, and by the uid alone in the default realm', async (t) => {
  const house = await threeRealms(t);
  const { engine } = house;
  const { entryOfId } = await import('../../src/directory/named.ts');
  const named = (id: string) => entryOfId(engine, engine.store.snapshot(), id, 'uid')?.dn;
  t.is(named('ada'), person('ada'));
  t.is(named('u:ada@acme'), 'uid=ada,ou=people,o=acme');
  t.is(named('ada@sub.example.com'), innerAda);
  t.is(named('ada@SUB'), innerAda);
  t.is(named('ada@default'), person('ada'));
  t.is(named('ada@nowhere'), undefined);
  t.is(named(`dn:${innerAda}`), innerAda);
});

test('an import makes the realms whose entries it brings, with what they begin with where it does not bring that', async (t) => {
  const house = await threeRealms(t);
  const { engine } = house;
  const record = (dn: string, attributes: Attributes) => ({ kind: 'content' as const, line: 1, dn, attributes: attributesOf(attributes) });
  const realm = (id: string, more: Attributes = {}) =>
    record(`cn=${id},${registry}`, { objectClass: 'stsRealmEntry', cn: id, stsRealmId: id, ...more });
  await importLive(engine, [
    realm('whole'),
    realm('bare', { associatedDomain: 'bare.example' }),
    record('o=whole', { objectClass: 'organization', o: 'whole' }),
    record('ou=people,o=whole', { objectClass: 'organizationalUnit', ou: 'people' }),
    record('uid=one,ou=people,o=whole', someone('one')),
  ]);
  const operator = house.operator();
  t.is((await operator.search('o=whole', '(objectClass=*)')).dns.length, 3);
  t.is((await operator.search('dc=bare,dc=example', '(ou=*)')).dns.length, 9 - 1);
  t.deepEqual((await operator.search('dc=bare,dc=example', '(uid=*)')).dns, ['uid=admin,ou=people,dc=bare,dc=example']);
  const refused = await t.throwsAsync(importLive(engine, [realm('Bad')]));
  t.regex(refused?.message ?? '', /lower-case letters/);
  await t.throwsAsync(importLive(engine, [realm('again', { associatedDomain: 'bare.example' })]));
  await t.throwsAsync(importLive(engine, [record('o=nowhere', { objectClass: 'organization', o: 'nowhere' })]));
  t.is(engine.realms.in(engine.store.snapshot()).byId('again'), undefined);
});

test('a realm and what is in it may be made in one transaction: all of it, or nothing', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  const control = (id: Uint8Array) => ({ oid: '1.3.6.1.1.21.2', critical: true, value: id });
  const add = (entry: string, attributes: Attributes) => ({ kind: 'addRequest' as const, entry, attributes: attributesOf(attributes) });
  const realm = (id: string) => add(`cn=${id},${registry}`, { objectClass: 'stsRealmEntry', cn: id, stsRealmId: id });
  const within = async (...requests: readonly Parameters<typeof operator.ask>[0][]) => {
    const begun = await operator.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' });
    const id = begun.last.kind === 'extendedResponse' ? (begun.last.value ?? new Uint8Array(0)) : new Uint8Array(0);
    for (const request of requests) t.is((await operator.ask(request, [control(id)])).code, 0);
    const value = encodeBer((ber) => ber.sequence(() => ber.octets(id)));
    return (await operator.ask({ kind: 'extendedRequest', oid: '1.3.6.1.1.21.3', value })).code;
  };
  const before = house.engine.store.snapshot().number;
  t.is(await within(realm('one'), add('uid=first,ou=people,o=one', someone('first')), realm('two')), 0);
  t.is(house.engine.store.snapshot().number, before + 1, 'in one commit');
  t.deepEqual((await operator.search('o=one', '(uid=first)')).dns, ['uid=first,ou=people,o=one']);
  t.not(await within(realm('three'), realm('one')), 0);
  t.not(await within(realm('four'), add('uid=x,ou=people,o=five', someone('x'))), 0);
  for (const id of ['three', 'four']) t.is((await operator.search(`o=${id}`, '(objectClass=*)')).code, 32);
});

test('who follows a realm hears nothing of one that lies inside of it, nor of one beside it', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  const heard: string[] = [];
  const watcher = house.operator();
  const leave = new AbortController();
  const reply = {
    send: () => undefined,
    notify: () => undefined,
    entry: (dn: Uint8Array) => void heard.push(Buffer.from(dn).toString()),
    full: () => undefined,
    lasts: () => undefined,
    get ended() {
      return leave.signal.aborted;
    },
    signal: leave.signal,
  };
  const { createDirectory } = await import('#directory');
  const request = { ...searchOf(suffix, '(objectClass=*)'), attributes: ['1.1'] };
  const going = createDirectory(house.engine).perform(
    watcher.connection,
    { messageId: 77, op: request, controls: [persistentControl(15, true, false)] },
    reply,
  );
  await new Promise((resolve) => setImmediate(resolve));
  t.is((await operator.add(`uid=inside,ou=people,${inner}`, someone('inside'))).code, 0);
  t.is((await operator.add('uid=beside,ou=people,o=acme', someone('beside'))).code, 0);
  t.is((await operator.modify(innerAda, ['replace', 'description', 'changed'])).code, 0);
  t.is((await operator.add(person('own'), someone('own'))).code, 0);
  while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve));
  leave.abort();
  await going;
  t.deepEqual(heard, [person('own')]);
});

test('what an alias leads to is in scope, and a realm that lies inside of that is not', async (t) => {
  const house = await threeRealms(t);
  const operator = house.operator();
  t.is((await operator.add(`dc=mid,${suffix}`, { objectClass: ['dcObject', 'organization'], dc: 'mid', o: 'mid' })).code, 0);
  t.is((await operator.add(`cn=box,dc=mid,${suffix}`, { objectClass: 'device', cn: 'box', serialNumber: '7' })).code, 0);
  const entry = { objectClass: 'stsRealmEntry', cn: 'deep', stsRealmId: 'deep', associatedDomain: 'deep.mid.example.com' };
  t.is((await operator.add(`cn=deep,${registry}`, entry)).code, 0);
  t.is((await operator.add(`cn=box,dc=deep,dc=mid,${suffix}`, { objectClass: 'device', cn: 'box', serialNumber: '7' })).code, 0);
  const alias = { objectClass: ['alias', 'extensibleObject'], cn: 'mid', aliasedObjectName: `dc=mid,${suffix}` };
  t.is((await operator.add(`cn=mid,ou=people,${suffix}`, alias)).code, 0);
  for (const filter of ['(serialNumber=7)', '(cn=box)', '(&(cn=box)(!(sn=x)))'])
    t.deepEqual(
      (await operator.search(`ou=people,${suffix}`, filter, { derefAliases: 'always' })).dns,
      [`cn=box,dc=mid,${suffix}`],
      filter,
    );
});
