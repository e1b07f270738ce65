import test from 'ava';
import { admin, adminPassword, furnishedHouse, person, suffix } from './driver.ts';

test('someone binds, searches, changes their own entry, and sees the change', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect();
  t.is((await client.bind(person('ada'), 'lovelace')).code, 0);
  const found = await client.search(suffix, '(uid=ada)');
  t.is(found.code, 0);
  t.deepEqual(found.dns, [person('ada')]);
  t.log(found.entries[0]?.names);
  const modified = await client.modify(person('ada'), ['replace', 'displayName', 'Countess']);
  t.is(modified.result.diagnostic, '');
  t.is(modified.code, 0);
  t.deepEqual((await client.search(person('ada'), '(objectClass=*)')).entries[0]?.all('displayName'), ['Countess']);
});

test('the administrator binds', async (t) => {
  const house = await furnishedHouse(t);
  t.is((await house.connect().bind(admin, adminPassword)).code, 0);
});
