import test from 'ava';
import { purgeTombstones } from '#directory';
import { furnishedHouse, type House, person, suffix } from './driver.ts';

const show = { oid: '1.2.840.113556.1.4.417', critical: true };

async function addPeople(house: House, ...uids: readonly string[]) {
  for (const uid of uids) await house.operator().add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid });
}

async function remove(house: House, ...uids: readonly string[]) {
  for (const uid of uids) {
    await house.operator().ask({ kind: 'delRequest', entry: person(uid) });
    house.clock.moveMs(1000);
  }
}

async function kept(house: House) {
  const { entries } = await house.operator().search(suffix, '(objectClass=stsTombstone)', { attributes: ['stsDeletedName'] }, [show]);
  return entries.flatMap((entry) => entry.all('stsDeletedName')).toSorted();
}

test('of more than directory.tombstonesMax deleted people those deleted first go, and whoever is left can be restored', async (t) => {
  const house = await furnishedHouse(t, { 'directory.tombstoneDays': 30, 'directory.tombstonesMax': 3 });
  await addPeople(house, 'a', 'b', 'c', 'd', 'e');
  await remove(house, 'e', 'c', 'a');
  t.is(await purgeTombstones(house.engine), '0 deleted entries have gone for good');
  await remove(house, 'b', 'd');
  t.deepEqual(await kept(house), ['a', 'b', 'c', 'd', 'e']);
  t.is(await purgeTombstones(house.engine), '2 deleted entries have gone for good');
  t.deepEqual(await kept(house), ['a', 'b', 'd']);
  t.is(house.audited.filter(({ action }) => action === 'account.purge').length, 2, 'each is told');
  t.is((await house.operator().search(suffix, '(uid=ada)')).entries.length, 1, 'nobody who lives');
  house.clock.moveMs(31 * 86_400_000);
  t.is(await purgeTombstones(house.engine), '3 deleted entries have gone for good', 'and all at their time');
});

test('directory.tombstonesMax 0 keeps nobody beyond the next look', async (t) => {
  const house = await furnishedHouse(t, { 'directory.tombstoneDays': 30, 'directory.tombstonesMax': 0 });
  await addPeople(house, 'a');
  await remove(house, 'a');
  t.deepEqual(await kept(house), ['a']);
  t.is(await purgeTombstones(house.engine), '1 deleted entries have gone for good');
  t.deepEqual(await kept(house), []);
});
