import test, { type ExecutionContext } from 'ava';
import { removeRealms } from '#directory';
import { type Attributes, furnishedHouse, type House, suffix } from './driver.ts';

const registry = `ou=realms,${suffix}`;
const entry = `cn=acme,${registry}`;
const someone = (uid: string): Attributes => ({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid });

async function houseWithRealm(t: ExecutionContext, given: Parameters<typeof furnishedHouse>[1] = {}): Promise<House> {
  const house = await furnishedHouse(t, given);
  const operator = house.operator();
  t.is((await operator.add(registry, { objectClass: 'organizationalUnit', ou: 'realms' })).code, 0);
  t.is((await operator.add(entry, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme' })).code, 0);
  t.is((await operator.modify('uid=admin,ou=people,o=acme', ['replace', 'userPassword', 'acme’s own'])).code, 0);
  return house;
}

const begin = (house: House) => house.operator().modify(entry, ['replace', 'stsRealmState', 'removing']);
const left = async (house: House) => (await house.operator().search('o=acme', '(objectClass=*)')).dns.length;

test('a realm that is being removed takes no bind and no change, ends the binds it has, and cannot be removed twice', async (t) => {
  const house = await houseWithRealm(t);
  const bound = house.connect('ldaps');
  t.is((await bound.bind('uid=admin,ou=people,o=acme', 'acme’s own')).code, 0);
  t.is((await bound.search('o=acme', '(uid=admin)')).dns.length, 1);
  t.is((await begin(house)).code, 0);
  const operator = house.operator();
  const [shown] = (await operator.search(entry, '(objectClass=*)', { scope: 'base' })).entries;
  t.deepEqual(shown?.all('stsRealmState'), ['removing']);
  t.is(shown?.all('stsRealmRemovingSince').length, 1);

  const removing: readonly (() => Promise<{ readonly code: number }>)[] = [
    () => bound.search('o=acme', '(uid=admin)'),
    () => house.connect('ldaps').bind('uid=admin,ou=people,o=acme', 'acme’s own'),
    () => house.connect('ldaps').bind('uid=nobody,ou=people,o=acme', 'whatever'),
    () => operator.add('uid=new,ou=people,o=acme', someone('new')),
    () => operator.modify('uid=admin,ou=people,o=acme', ['replace', 'description', 'still here']),
    () => operator.ask({ kind: 'delRequest', entry: 'uid=admin,ou=people,o=acme' }),
    () => operator.ask({ kind: 'modifyDNRequest', entry: 'uid=admin,ou=people,o=acme', newRdn: 'uid=other', deleteOldRdn: true }),
  ];
  for (const act of removing) {
    t.is((await act()).code, 53);
    t.is(house.audited.at(-1)?.error?.code, 'STS-LDAP-9327');
  }
  t.deepEqual((await bound.search('o=acme', '(uid=admin)')).dns, [], 'who was bound is nobody now');
  t.is((await begin(house)).code, 53);
  t.is(house.audited.at(-1)?.error?.code, 'STS-CORE-0122');
  t.is((await operator.modify(entry, ['replace', 'stsRealmState', 'active'])).code, 19);
});

test('entries go once what is owed is delivered, those below others first, and the entry of the realm last', async (t) => {
  const house = await houseWithRealm(t);
  const { engine } = house;
  const operator = house.operator();
  for (let at = 0; at < 300; at++) t.is((await operator.add(`uid=p${at},ou=people,o=acme`, someone(`p${at}`))).code, 0);
  t.is((await operator.add('ou=deep,uid=p7,ou=people,o=acme', { objectClass: 'organizationalUnit', ou: 'deep' })).code, 0);
  const whole = await left(house);
  t.is((await begin(house)).code, 0);
  await removeRealms(engine);
  t.is(await left(house), whole, 'somebody may still have to deliver');
  t.is((await operator.modify(entry, ['replace', 'stsRealmState', 'delivered'], ['replace', 'stsRealmOwed', '2'])).code, 0);

  const there = new Set(
    engine.store
      .snapshot()
      .subtree(new Uint8Array(0), undefined, 10_000)
      .map((id) => engine.store.snapshot().byId(id)?.uuid),
  );
  const parents = new Map<string, string | undefined>();
  for (const id of engine.store.snapshot().subtree(new Uint8Array(0), undefined, 10_000)) {
    const found = engine.store.snapshot().byId(id);
    if (found !== undefined) parents.set(found.uuid, found.parent);
  }
  let batches = 0;
  const stop = engine.store.watch((changes) => {
    batches++;
    t.true(changes.length <= 128);
    for (const { change } of changes) {
      if (change.kind !== 'delete') continue;
      there.delete(change.uuid);
      for (const uuid of there) t.not(parents.get(uuid ?? ''), change.uuid, 'an entry lost its superior');
    }
  });
  t.is(await removeRealms(engine), '1 realms are gone');
  stop();
  t.true(batches > 3);
  t.is((await operator.search('o=acme', '(objectClass=*)', { scope: 'base' })).code, 32);
  t.is((await operator.search(entry, '(objectClass=*)', { scope: 'base' })).code, 32);
  const root = await operator.search('', '(objectClass=*)', { scope: 'base', attributes: ['namingContexts'] });
  t.deepEqual(root.entries[0]?.all('namingContexts'), [suffix]);
  t.is((await operator.add(entry, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme' })).code, 0, 'its id is free again');
});

test('where nobody says that all is delivered, the removal goes on by itself when the time for it is over', async (t) => {
  const house = await houseWithRealm(t);
  t.is((await begin(house)).code, 0);
  house.clock.moveMs((house.engine.settings['realms.removalDeliveryTimeoutS'] + 29) * 1000);
  await removeRealms(house.engine);
  t.true((await left(house)) > 0);
  house.clock.moveMs(2000);
  t.is(await removeRealms(house.engine), '1 realms are gone');
});

test('a removal that was interrupted goes on where it was, and one that the store refuses says that it is stuck', async (t) => {
  const house = await houseWithRealm(t);
  const { engine } = house;
  t.is((await begin(house)).code, 0);
  t.is((await house.operator().modify(entry, ['replace', 'stsRealmState', 'delivered'])).code, 0);
  let commits = 0;
  const { commit } = engine.store;
  const { refuse } = await import('#catalogue');
  const { storeErrors } = await import('#store');
  const store = {
    ...engine.store,
    commit: (...given: Parameters<typeof commit>) =>
      ++commits > 2 ? Promise.reject(refuse(storeErrors.commitFailed, { why: 'no space' })) : commit(...given),
  };
  await removeRealms({ ...engine, store });
  t.is(house.audited.at(-1)?.error?.code, 'STS-CORE-0123');
  const [shown] = (await house.operator().search(entry, '(objectClass=*)', { scope: 'base' })).entries;
  t.deepEqual(shown?.all('stsRealmState'), ['deleting'], 'a half-removed realm says so');
  const rest = await left(house);
  t.true(rest > 0 && rest < 10);
  t.is(await removeRealms(engine), '1 realms are gone');
});

test('the state of a realm is one word, however it is written', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const removed = async () => {
    await removeRealms(house.engine);
    return (await operator.search(entry, '(objectClass=*)', { scope: 'base' })).code;
  };
  t.is((await operator.add(registry, { objectClass: 'organizationalUnit', ou: 'realms' })).code, 0);
  t.is((await operator.add(entry, { objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme', stsRealmState: 'Active' })).code, 0);
  t.is((await operator.add('uid=ada,ou=people,o=acme', someone('ada'))).code, 0, 'it is active');
  t.is(await removed(), 0);
  t.is((await operator.modify(entry, ['replace', 'stsRealmState', 'Removing'])).code, 0);
  house.clock.moveMs(331_000);
  t.is(await removed(), 32);
});
