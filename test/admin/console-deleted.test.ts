import test from 'ava';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { openConsoleHouse } from './console-house.ts';
import { wordsOf } from './pages.ts';

const house = await openConsoleHouse();
const { atrium, get, send, writer } = house;
test.after.always(() => house[Symbol.asyncDispose]());

test('who deletes a person, a group or an application is told for how long it can be restored, and where; or that it cannot', async (t) => {
  await addPerson(atrium, 'parted', 'Par Ted');
  await asAdministrator(atrium, async (client) => {
    await client.add(`cn=parted,ou=groups,${atrium.suffix}`, { objectClass: ['groupOfNames'], cn: 'parted', member: atrium.adminDn });
    await client.add(`cn=parted,ou=applications,${atrium.suffix}`, { objectClass: ['stsApplication'], cn: 'parted' });
  });
  const deeds = [
    ['/admin/do/users.delete?user=parted&thing=parted&back=/admin/users', 'Deleted people'],
    ['/admin/do/groups.delete?group=parted&thing=parted&back=/admin/groups', 'Deleted groups'],
    ['/admin/do/applications.delete?application=parted&thing=parted&back=/admin/applications', 'Deleted applications'],
  ] as const;
  for (const [path, place] of deeds) {
    const words = `For 30 days it can be undone: Restore, on the page “${place}”. Of more than 100,000 deleted ones, those deleted first go earlier.`;
    t.true(wordsOf((await get(path, writer)).body).includes(words), path);
  }
  t.false(wordsOf((await get('/admin/do/users.disable?user=parted&thing=parted', writer)).body).includes('Restore, on the page'));
  const [[path]] = deeds;
  const gone = await send(path, { user: 'parted', settled: 'user', thing: 'parted', confirmThing: 'parted', back: '/admin/users' }, writer);
  t.is(gone.location, '/admin/users?done=users.delete');
  t.regex(wordsOf((await get(gone.location, writer)).body), /Done: Delete\. For 30 days it can be undone/);
  t.is((await send('/admin/do/config.set', { name: 'directory.tombstoneDays', value: '0', back: '/admin' }, writer)).status, 303);
  for (const [each] of deeds.slice(1))
    t.regex(wordsOf((await get(each, writer)).body), /It cannot be undone: this realm keeps nothing of what is deleted/);
});
