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

test('what is kept of a group and of an application goes at its time, and no account is told of', async (t) => {
  const house = await furnishedHouse(t, { 'directory.tombstoneDays': 30 });
  const [group, application] = [`cn=band,ou=groups,${suffix}`, `cn=shop,ou=applications,${suffix}`];
  await house.operator().add(group, { objectClass: 'groupOfNames', cn: 'band', member: person('ada') });
  await house.operator().add(application, { objectClass: 'stsApplication', cn: 'shop' });
  for (const entry of [group, application]) await house.operator().ask({ kind: 'delRequest', entry });
  t.deepEqual(await kept(house), ['band', 'shop']);
  house.clock.moveMs(29 * 86_400_000);
  t.is(await purgeTombstones(house.engine), '0 deleted entries have gone for good');
  house.clock.moveMs(2 * 86_400_000);
  t.is(await purgeTombstones(house.engine), '2 deleted entries have gone for good');
  t.deepEqual(await kept(house), []);
  t.deepEqual(
    house.audited.flatMap(({ action }) => (/purge$/.test(action) ? [action] : [])),
    ['entry.purge', 'entry.purge'],
  );
});
