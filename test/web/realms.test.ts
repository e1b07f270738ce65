import test from 'ava';
import { refuse } from '#catalogue';
import { clientErrors } from '#client';
import type { WebRealm } from '#web';
import { placeTarget } from '../../src/web/realm.ts';
import { codes, get, open, realmsOf, send } from './house.ts';

const acme: WebRealm = { id: 'acme', name: 'Acme Ltd', suffix: 'o=acme', mode: 'product', prefix: '/realm/acme', removing: false };

/** The web of the default realm and a few others. */
async function town(t: Parameters<typeof open>[0]) {
  const others = new Map<string, WebRealm>([
    ['acme', acme],
    ['lab', { ...acme, id: 'lab', name: 'Lab', mode: 'development', prefix: '/realm/lab' }],
    ['old', { ...acme, id: 'old', name: 'Old', prefix: '/realm/old', removing: true }],
  ]);
  return { others, ...(await open(t, { realms: realmsOf('product', others) })) };
}

const heading = (body: string) => /<h1>(.*?)<\/h1>/.exec(body)?.[1];

const placed: readonly [target: string, place: string][] = [
  ['/', 'standing'],
  ['/portal?next=/realm/acme', 'standing'],
  ['/realms', 'standing'],
  ['/Realm/acme', 'standing'],
  ['/%72ealm/acme', 'standing'],
  ['/realm/acme', 'acme /'],
  ['/realm/acme?a=b', 'acme /?a=b'],
  ['/realm/acme/', 'acme /'],
  ['/realm/acme/portal?a=/b', 'acme /portal?a=/b'],
  ['/realm/acme/realm/other/portal', 'acme /realm/other/portal'],
  ['/realm/a-1', 'a-1 /'],
  [`/realm/${'a'.repeat(31)}`, `${'a'.repeat(31)} /`],
  [`/realm/${'a'.repeat(32)}`, 'none'],
  ['/realm', 'none'],
  ['/realm?a=b', 'none'],
  ['/realm/', 'none'],
  ['/realm//portal', 'none'],
  ['/realm/ACME/portal', 'none'],
  ['/realm/%61cme/portal', 'none'],
  ['/realm/../portal', 'none'],
  ['/realm/acme,ou=x/portal', 'none'],
  ['/realm/acme//evil.example', 'none'],
];

for (const [target, place] of placed) {
  test(`${target} is of ${place}`, (t) => {
    const found = placeTarget(target);
    t.is(found.kind === 'realm' ? `${found.id} ${found.whole}` : found.kind, place);
  });
}

test('each realm has all the routes under its prefix, and no page of it says where that is', async (t) => {
  const { port } = await town(t);
  t.is(heading((await get(port, '/where?x=%2F')).body), 'default /where /where?x=%2F');
  t.is(heading((await get(port, '/realm/acme/where?x=%2F')).body), 'acme /where /where?x=%2F');
  t.is(heading((await get(port, '/realm/acme')).body), 'Root');
  t.is((await get(port, '/realm/acme/realm/lab/where')).status, 404);
});

test('a page names its realm, and has the band of its realm’s mode', async (t) => {
  const { port } = await town(t);
  t.regex((await get(port, '/hello')).body, /<title>Test · example\.com · Atrium<\/title>/);
  const { body } = await get(port, '/realm/acme/hello');
  t.regex(body, /<title>Test · Acme Ltd · Atrium<\/title>/);
  t.notRegex(body, /passwords are not checked/);
  t.regex((await get(port, '/realm/lab/hello')).body, /passwords are not checked/);
});

test('a realm in development mode answers to names of this machine only, whatever the service does', async (t) => {
  const { port } = await town(t);
  const ask = (target: string) => send(port, `GET ${target} HTTP/1.1\r\nHost: id.example\r\n\r\n`);
  t.is((await ask('/hello')).status, 200);
  t.is((await ask('/realm/acme/hello')).status, 200);
  t.is((await ask('/realm/lab/hello')).status, 421);
});

test('redirects and cookies stay under the prefix', async (t) => {
  const { port } = await town(t);
  const there = await get(port, '/realm/acme/home');
  t.is(there.headers.get('location'), '/realm/acme/where?a=b');
  t.is(there.headers.get('set-cookie'), 'a=c; Path=/realm/acme/where; HttpOnly; SameSite=Lax');
  t.is((await get(port, '/realm/acme/cookie')).headers.get('set-cookie'), 'a=b; Path=/realm/acme; HttpOnly; SameSite=Lax');
  t.is((await get(port, '/home')).headers.get('location'), '/where?a=b');
  t.is((await get(port, '/cookie')).headers.get('set-cookie'), 'a=b; Path=/; HttpOnly; SameSite=Lax');
});

test('STS-CORE-9110: a path under the prefix of no realm is a page that says there is none', async (t) => {
  const house = await town(t);
  for (const target of ['/realm/none/hello', '/realm', '/realm/ACME/hello', '/realm/acme//x', '/realm/default/hello']) {
    const answer = await get(house.port, target);
    t.is(answer.status, 404, target);
    t.is(heading(answer.body), 'There is no such page');
    t.false(answer.body.includes('STS-'));
  }
  t.deepEqual([...new Set(codes(house))], ['STS-CORE-9110']);
});

test('realms come and go while the service runs', async (t) => {
  const { port, others } = await town(t);
  t.is((await get(port, '/realm/new/hello')).status, 404);
  others.set('new', { ...acme, id: 'new', prefix: '/realm/new' });
  t.is((await get(port, '/realm/new/hello')).status, 200);
  others.delete('new');
  t.is((await get(port, '/realm/new/hello')).status, 404);
});

test('STS-CORE-0121: a realm that is being removed says so on every page, in words a person understands', async (t) => {
  const house = await town(t);
  for (const target of ['/realm/old', '/realm/old/hello', '/realm/old/nowhere']) {
    const { status, body } = await get(house.port, target);
    t.is(status, 503, target);
    t.is(heading(body), 'This realm is being removed');
    t.false(body.includes('href="/realm/old'), 'nothing leads back into it');
  }
  t.deepEqual([...new Set(codes(house))], ['STS-CORE-0121']);
});

test('a refusal is recorded with its realm and the whole path', async (t) => {
  const house = await town(t);
  await get(house.port, '/realm/acme/nowhere?secret=1');
  await get(house.port, '/nowhere');
  t.deepEqual(
    house.audit.map(({ realm, summary }) => [realm, /GET (\S+):/.exec(summary)?.[1]]),
    [
      ['acme', '/realm/acme/nowhere'],
      ['default', '/nowhere'],
    ],
  );
});

test('a directory that cannot say which realms there are is no reason to say there is none', async (t) => {
  const busy = { ...realmsOf('product'), find: () => Promise.reject(refuse(clientErrors.unreachable, { why: 'a test' })) };
  const { port } = await open(t, { realms: busy });
  t.is((await get(port, '/realm/acme/hello')).status, 503);
  t.is((await get(port, '/hello')).status, 200);
});
