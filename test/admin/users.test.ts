import test from 'ava';
import { addPerson } from '../flows/people.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

test('users.list: persons are found by a word, by an LDAP filter, and all together', async (t) => {
  const { dn } = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const { body } = await call(t, atrium, 'users.list', { query: { q: 'lovelace' } });
  t.deepEqual(
    body.users.map((user: { dn: string }) => user.dn),
    [dn],
  );
  t.is(body.users[0].state, 'enabled');
  t.is((await call(t, atrium, 'users.list', { query: { filter: '(mail=ada@example.com)' } })).body.users[0].uid, 'ada');
  t.true((await call(t, atrium, 'users.list')).body.users.length >= 2);
});

test('users.list: pages together are everybody, each once; a page that is none is refused', async (t) => {
  for (const uid of ['page-a', 'page-b', 'page-c']) await addPerson(atrium, uid, `Page ${uid}`);
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { body } = await call(t, atrium, 'users.list', {
      query: { filter: '(uid=page-*)', limit: '2', ...(after === undefined ? {} : { after }) },
    });
    found.push(...body.users.map((user: { uid: string }) => user.uid));
    after = body.next;
  } while (after !== undefined);
  t.deepEqual(found.toSorted(), ['page-a', 'page-b', 'page-c']);
  for (const wrong of ['x', 'AAAA', '']) t.is((await call(t, atrium, 'users.list', { query: { after: wrong } })).status, 400);
});

test('users.disable and users.enable: idempotent, seen in the directory, and one audit row each with who, what and the correlation id', async (t) => {
  const { dn } = await addPerson(atrium, 'grace', 'Grace Hopper');
  t.true((await call(t, atrium, 'users.disable', { json: { user: 'grace' } })).body.changed);
  t.false((await call(t, atrium, 'users.disable', { json: { user: 'grace' } })).body.changed);
  t.is((await call(t, atrium, 'users.list', { query: { q: 'grace' } })).body.users[0].state, 'disabled');
  t.true((await call(t, atrium, 'users.enable', { json: { user: dn } })).body.changed);
  const rows = atrium.audit.filter(({ action }) => action === 'admin.users.enable');
  t.is(rows.length, 1);
  t.is(rows[0]?.subject, atrium.adminDn);
  t.regex(rows[0]?.summary ?? '', /uid=grace,.* enabled$/);
  t.regex(rows[0]?.correlationId ?? '', /^[0-9a-f-]{36}$/);
});

test('unknown members are refused, member by member', async (t) => {
  const { status, body } = await call(t, atrium, 'users.disable', { json: { user: 7, other: true } });
  t.is(status, 400);
  t.deepEqual(body.errors.map(({ field }: { field: string }) => field).toSorted(), ['other', 'user']);
});
