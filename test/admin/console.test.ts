import test, { type ExecutionContext } from 'ava';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { hiddenOf, type RawAnswer } from '../flows/raw.ts';
import { type Cookies, openConsoleHouse } from './console-house.ts';

const house = await openConsoleHouse();
const { atrium, nobody, reader, writer, get, post } = house;
await addPerson(atrium, 'victim', 'Vic Tim');

test.after.always(() => house[Symbol.asyncDispose]());

/** The page of a person, found as an administrator finds it. */
async function pageOf(uid: string, cookies: Cookies): Promise<{ readonly path: string; readonly page: RawAnswer }> {
  const list = await get(`/admin/users?q=${uid}`, cookies);
  const path = /href="(\/admin\/users\/[0-9a-f-]{36})"/.exec(list.body)?.[1] ?? '';
  return { path, page: await get(path, cookies) };
}

const codes = () => atrium.audit.map(({ errorCode }) => errorCode);

async function refuses(t: ExecutionContext, answer: RawAnswer, status: number, code: string): Promise<void> {
  t.is(answer.status, status);
  t.true(codes().includes(code));
  t.false(answer.body.includes('STS-'), 'a code never leaves the service');
}

test('document 2: with no session the page answers 302 to the sign-in screen, and its JSON form 401 login_required', async (t) => {
  const page = await get('/admin/users');
  t.is(page.status, 302);
  t.regex(page.location, /^\/authn\/login\?authn=/);
  const json = await get('/admin/users?format=json');
  t.is(json.status, 401);
  t.deepEqual(JSON.parse(json.body), { error: 'login_required' });
  t.true(codes().includes('STS-ADMIN-9004'));
});

test('console roles come from roster groups: whoever is in none of them sees nothing', async (t) => {
  await refuses(t, await get('/admin', nobody), 403, 'STS-ADMIN-9000');
  const json = await get('/admin/users?format=json', nobody);
  t.is(json.status, 403);
  t.deepEqual(JSON.parse(json.body), { error: 'access_denied' });
});

test('Admin Read sees; Admin Write changes', async (t) => {
  const { page } = await pageOf('victim', reader);
  t.is(page.status, 200);
  t.false(page.body.includes('/admin/do/'), 'nothing is offered that may not be done');
  await refuses(t, await get('/admin/do/users.disable?user=victim', reader), 403, 'STS-ADMIN-9001');
  await refuses(t, await post('/admin/do/users.disable', { user: 'victim' }, reader), 403, 'STS-ADMIN-9001');
  t.is((await get('/admin/api-explorer/users.list?run=1', reader)).status, 200);
});

test('a deed names what will happen, is done under the session’s authority, and leads back with one line', async (t) => {
  const { path } = await pageOf('victim', writer);
  const deed = await get(`/admin/do/users.disable?user=victim&thing=victim&back=${encodeURIComponent(path)}`, writer);
  t.is(deed.status, 200);
  t.regex(deed.body, /sessions, tokens and LDAP connections end/);
  const form = { user: 'victim', thing: 'victim', back: path, settled: 'user', csrf: hiddenOf(deed, 'csrf') };
  const done = await post('/admin/do/users.disable', form, writer);
  t.is(done.status, 303);
  t.is(done.location, `${path}?done=users.disable`);
  const after = await get(done.location, writer);
  t.regex(after.body, /Done: Disable\. Enable undoes it/);
  t.regex(after.body, /class="state bad">disabled</);
  const row = atrium.audit.find(({ action }) => action === 'admin.users.disable');
  t.regex(row?.subject ?? '', /^uid=acts,/);
});

test('the page of a large group shows a hundred of its members at a time, counts all, and has them all as JSON', async (t) => {
  const member = Array.from({ length: 1234 }, (_, at) => `uid=mémbre${at},ou=people,${atrium.suffix}`);
  const dn = `cn=large,ou=groups,${atrium.suffix}`;
  await asAdministrator(atrium, (client) => client.add(dn, { objectClass: ['groupOfNames'], cn: 'large', member }));
  const found = await get(`/admin/groups/at?dn=${encodeURIComponent(dn)}`, reader);
  const { members } = JSON.parse((await get(`${found.location}?format=json`, reader)).body);
  t.deepEqual(members.toSorted(), member.toSorted());
  const shown: string[] = [];
  for (let from = 1; from <= 1234; from += 100) {
    const { body } = await get(`${found.location}?from=${from}`, reader);
    t.true(body.includes('(1,234)'));
    const here = [...body.matchAll(/<code>(uid=mémbre\d+,[^<]*)<\/code>/g)].map(([, name = '']) => name);
    t.is(here.length, Math.min(100, 1235 - from));
    shown.push(...here);
  }
  t.deepEqual(shown, members);
});

test('a form without its token does nothing, and neither does one of another session', async (t) => {
  const fields = { user: 'acts', thing: 'acts', back: '/admin/users', settled: 'user' };
  const bare = await post('/admin/do/users.disable', fields, writer);
  t.is(bare.status, 403);
  const foreign = hiddenOf(await get('/admin', reader), 'csrf');
  t.is((await post('/admin/do/users.disable', { ...fields, csrf: foreign }, writer)).status, 403);
  t.is((await get('/admin', writer)).status, 200);
});

test('what is not there is said to be not there, and a way back leads nowhere else', async (t) => {
  await refuses(t, await get('/admin/users/00000000-0000-0000-0000-000000000000', writer), 404, 'STS-ADMIN-9002');
  t.is((await get('/admin/users/nobody', writer)).status, 404);
  t.is((await get('/admin/do/no.such', writer)).status, 404);
  for (const back of ['//evil.example', 'https://evil.example', '/portal', '/admin/../portal', '/admin\\evil', '/admin?x="><b>']) {
    const { body } = await get(`/admin/do/users.enable?user=x&back=${encodeURIComponent(back)}`, writer);
    t.false(/evil|"\/portal"|<b>/.test(body.replace(/<form[^>]*sign-out/, '')), back);
  }
});

test('what cannot be undone asks for the name to be typed', async (t) => {
  const deletes = await get('/admin/do/users.delete?user=victim&thing=victim', writer);
  t.regex(deletes.body, /Type victim to confirm/);
  const answer = await post(
    '/admin/do/users.delete',
    { user: 'victim', thing: 'victim', settled: 'user', confirmThing: 'other', csrf: hiddenOf(deletes, 'csrf') },
    writer,
  );
  await refuses(t, answer, 422, 'STS-ADMIN-9003');
  t.regex(answer.body, /This is not the name/);
});

test('the directory’s own words stand above the form that it refuses', async (t) => {
  const deed = await get('/admin/do/users.disable?user=no-one', writer);
  const answer = await post('/admin/do/users.disable', { user: 'no-one', settled: 'user', csrf: hiddenOf(deed, 'csrf') }, writer);
  t.is(answer.status, 404);
  t.regex(answer.body, /role="alert"/);
});

test('lists search by words, entryUUID and filters; a filter that is none is said to be none', async (t) => {
  const names = async (q: string) =>
    [...(await get(`/admin/users?q=${encodeURIComponent(q)}`, reader)).body.matchAll(/<a class="way"[^>]*>([^<]+)</g)].map(
      ([, name]) => name,
    );
  t.deepEqual(await names('Vic'), ['victim']);
  t.deepEqual(await names('Tim Vic'), ['victim']);
  t.deepEqual(await names('(mail=looks@*)'), ['looks']);
  const { path } = await pageOf('victim', reader);
  t.deepEqual(await names(path.slice('/admin/users/'.length)), ['victim']);
  t.regex((await get('/admin/users?q=(mail', reader)).body, /This filter cannot be read/);
  t.deepEqual(await names('nobody-is-called-so'), []);
});

test('every page that the console leads to opens, in both roles, and says nothing of a code', async (t) => {
  const home = JSON.parse((await get('/admin?format=json', reader)).body);
  t.deepEqual(
    home.steps.map(({ name }: { readonly name: string }) => name),
    ['Key-encryption key', 'Certificate', 'Mail', 'Second factor', 'Backup'],
  );
  t.regex((await get('/admin', writer)).body, /Back up now[\s\S]*What is here/, 'what is to do has its way');
  const { body } = await get('/admin', reader);
  t.notRegex(body, /Back up now/, 'for who may');
  t.regex(body, /<a class="way" href="\/portal\/mfa">/);
  const paths = new Set([...body.matchAll(/href="(\/admin[^"?]*)"/g)].map(([, path]) => path ?? ''));
  t.true(paths.size > 10);
  for (const path of paths) {
    for (const cookies of [reader, writer]) t.is((await get(path, cookies)).status, 200, path);
    const json = await get(`${path}?format=json`, reader);
    t.notThrows(() => JSON.parse(json.body), path);
  }
});
