import test from 'ava';
import { operations } from '#admin';
import { shown } from '../../src/admin/console/shown-pages.ts';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { openConsoleHouse } from './console-house.ts';
import { formOf, linkOf, linksOf, rowOf, wordsOf } from './pages.ts';

const house = await openConsoleHouse();
const { atrium, base, reader, writer, get, post } = house;
const { suffix } = atrium;
test.after.always(() => house[Symbol.asyncDispose]());

/** A page as the writer sees it. */
async function pageOf(path: string): Promise<string> {
  const answer = await get(path, writer);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return answer.body;
}

/** Opens what a link leads to, and sends the form that stands there, with some of its fields filled in anew. */
async function follow(href: string, typed: Readonly<Record<string, string>> = {}) {
  const form = formOf(await pageOf(href), '/admin/do/');
  return { form, answer: await post(form.action, { ...form.fields, ...typed }, writer) };
}

for (const [path, name, value, before] of [
  ['/admin/totp', 'totp.digits', '8', '6'],
  ['/admin/webauthn', 'webauthn.maxKeysPerPerson', '5', undefined],
  ['/admin/backup-codes', 'backupCodes.count', '12', undefined],
  ['/admin/settings', 'security.rateLimitTrustedAddresses', '10.0.0.0/8,::1', ''],
] as const)
  test.serial(`${path}: a setting is changed by the link of its row, and taken back by the other`, async (t) => {
    const row = rowOf(await pageOf(path), name);
    const { form, answer } = await follow(linkOf(row, `Change ${name}`), { value });
    t.true(form.shown.includes('value'));
    if (before !== undefined) t.is(form.fields['value'], before);
    t.is(answer.status, 303, wordsOf(answer.body));
    t.is(answer.location, `${path}?done=config.set`);
    const changed = rowOf(await pageOf(path), name);
    for (const each of value.split(',')) t.true(wordsOf(changed).includes(each), wordsOf(changed));
    t.is(formOf(await pageOf(linkOf(changed, `Change ${name}`)), '/admin/do/').fields['value'], value);
    const reset = await follow(linkOf(changed, `Reset ${name}`), { confirmThing: name });
    t.is(reset.answer.status, 303, wordsOf(reset.answer.body));
    t.false(wordsOf(rowOf(await pageOf(path), name)).includes('Reset'));
  });

test.serial('a long name in a list is broken between its words', async (t) => {
  t.regex(await pageOf('/admin/webauthn'), /webauthn\.max<wbr>Keys<wbr>Per<wbr>Person</);
});

test.serial('a setting out of bounds is answered with words at its field, which has what was typed', async (t) => {
  const row = rowOf(await pageOf('/admin/totp'), 'totp.digits');
  const { answer } = await follow(linkOf(row, 'Change totp.digits'), { value: '99' });
  t.is(answer.status, 422);
  t.regex(answer.body, /name="value"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*name="value"/);
  t.regex(answer.body, /<p class="fault"[^>]*>[^<]*\b8\b/);
  t.is(formOf(answer.body, '/admin/do/').fields['value'], '99');
  t.false(wordsOf(rowOf(await pageOf('/admin/totp'), 'totp.digits')).includes('99'));
});

test.serial('a setting of another realm is changed there, and the way back is to its list', async (t) => {
  t.is((await house.send('/admin/do/realms.create', { id: 'hill' }, writer)).status, 200);
  const path = '/admin/settings?realm=hill&prefix=totp.';
  const { answer } = await follow(linkOf(rowOf(await pageOf(path), 'totp.digits'), 'Change totp.digits'), { value: '7' });
  t.is(answer.location, '/admin/settings?realm=hill&done=config.set');
  t.true(/\b7\b.*\bown\b/.test(wordsOf(rowOf(await pageOf(path), 'totp.digits'))));
  t.false(/\bown\b/.test(wordsOf(rowOf(await pageOf('/admin/totp'), 'totp.digits'))));
});

test.serial('of two who change a policy, or a realm, from what they have read the second is told so, and nothing is undone', async (t) => {
  const policies = await pageOf('/admin/policies');
  const change = linksOf(policies).find(({ href }) => href.includes('policies.save-password-policy'))?.href ?? '';
  t.is((await follow(change, { minLength: '14' })).answer.status, 303);
  const late = await follow(change, { minLength: '9' });
  t.is(late.answer.status, 412);
  t.regex(wordsOf(late.answer.body), /changed since you read it/);
  const fresh = linksOf(await pageOf('/admin/policies')).find(({ href }) => href.includes('policies.save-password-policy'))?.href ?? '';
  t.is(formOf(await pageOf(fresh), '/admin/do/').fields['minLength'], '14');
  t.is((await follow(fresh, { minLength: '12' })).answer.status, 303);
  const hill = linkOf(rowOf(await pageOf('/admin/realms'), 'hill'), 'Change hill');
  t.is((await follow(hill, { name: 'The Hill' })).answer.status, 303);
  t.is((await follow(hill, { name: 'A Hill' })).answer.status, 412);
  t.true(wordsOf(await pageOf('/admin/realms')).includes('The Hill'));
});

test.serial('what the directory refuses of a new person, and of their password, is marked at its field', async (t) => {
  const add = linksOf(await pageOf('/admin/users')).find(({ href }) => href.includes('/admin/do/users.create'))?.href ?? '';
  const marked = (body: string) => [...body.matchAll(/name="(\w+)"[^>]*aria-invalid="true"/g)].map(([, name]) => name);
  const taken = await follow(add, { uid: 'acts', name: 'Ac Ts' });
  t.is(taken.answer.status, 409);
  t.deepEqual(marked(taken.answer.body), ['uid']);
  const addClient =
    linksOf(await pageOf('/admin/applications')).find(({ href }) => href.includes('/admin/do/applications.create'))?.href ?? '';
  const client = { clientId: 'twice', redirectUris: 'https://twice.example/back' };
  t.is((await follow(addClient, { name: 'Once', ...client })).answer.status, 303);
  const twice = await follow(addClient, { name: 'Twice', ...client });
  t.is(twice.answer.status, 409);
  t.deepEqual(marked(twice.answer.body), ['clientId']);
  t.regex(twice.answer.body, /<p class="fault"[^>]*>another entry has this value/);
  const short = await follow(add, { uid: 'brief', name: 'Bri Ef', password: 'x' });
  t.is(short.answer.status, 422);
  t.deepEqual(marked(short.answer.body), ['password']);
  t.regex(short.answer.body, /<p class="fault"[^>]*>it must have at least \d+ characters/);
});

test.serial('a token set is opened and revoked by the links of the list; times are told as times', async (t) => {
  const secret = 'Machines-talk-here-1';
  await asAdministrator(atrium, (client) =>
    client.add(`cn=Machine,ou=applications,${suffix}`, {
      ...{ objectClass: ['stsApplication', 'stsOAuthClient', 'simpleSecurityObject'], cn: 'Machine', stsClientId: 'machine' },
      ...{ stsGrantType: 'client_credentials', userPassword: secret },
    }),
  );
  for (let nth = 0; nth < 2; nth++) {
    const authorization = `Basic ${Buffer.from(`machine:${secret}`).toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    t.is((await fetch(`${base}/oauth2/token`, { method: 'POST', headers: { authorization }, body })).status, 200);
  }
  const list = await pageOf('/admin/tokens');
  t.notRegex(wordsOf(list), /\d,\d{3},\d{3},\d{3}/);
  t.is(linksOf(list).filter(({ words }) => words.startsWith('Revoke')).length, 2);
  const row = rowOf(list, 'machine');
  const way = linksOf(row).find(({ href }) => href.startsWith('/admin/tokens/set?'))?.href ?? '';
  const set = await pageOf(way);
  t.notRegex(wordsOf(set), /\d,\d{3},\d{3},\d{3}/);
  const fromSet = linksOf(set).filter(({ words }) => words.startsWith('Revoke'));
  t.deepEqual(
    fromSet.map(({ href }) => new URL(href, base).searchParams.get('setKey')),
    [new URL(way, base).searchParams.get('setKey')],
  );
  const { answer } = await follow(fromSet[0]?.href ?? '');
  t.is(answer.status, 303, wordsOf(answer.body));
  t.is((await get(answer.location, writer)).status, 200);
  t.false(
    linksOf(await pageOf(way)).some(({ words }) => words.startsWith('Revoke')),
    'nothing of it is in force any more',
  );
  const other = linksOf(await pageOf('/admin/tokens')).filter(({ words }) => words.startsWith('Revoke'));
  t.is(other.length, 1);
  t.is((await follow(other[0]?.href ?? '')).answer.location, '/admin/tokens?done=tokens.revoke');
  t.false((await get('/admin/tokens', reader)).body.includes('Revoke'));
});

test('what is done with each of several things goes by members that they have', (t) => {
  /** Members of the things in the one list of an output. */
  const membersOf = (name: string): readonly string[] => {
    const lists = Object.values(operations.find((row) => row.name === name)?.output.shape ?? {}).flatMap((shape) => {
      const element = (shape as { element?: { shape?: object } }).element;
      return element?.shape === undefined ? [] : [Object.keys(element.shape)];
    });
    return lists.flat();
  };
  const pages = shown.filter(({ each }) => each !== undefined);
  t.true(pages.length > 6);
  for (const { path, shows, each = [], columns = [] } of pages) {
    const members = membersOf(shows);
    const named = each.flatMap(({ given, thing }) => [thing, ...Object.values(given).filter((from) => typeof from === 'string')]);
    for (const member of [...columns, ...named]) t.true(members.includes(member), `${path}: ${member} of ${members.join()}`);
    const input = (name: string) => Object.keys(operations.find((row) => row.name === name)?.input.shape ?? {});
    for (const { name, given, keeps = [] } of each)
      for (const member of [...Object.keys(given), ...keeps])
        t.true(member === 'etag' || input(name).includes(member.replace(/^in\./, '')), `${name}: ${member}`);
  }
});

for (const path of ['/admin/users', '/admin/groups', '/admin/applications', '/admin/directory'])
  for (const after of ['zzz', '!', Buffer.from('i12').toString('base64url'), Buffer.from('n!!').toString('base64url')])
    test(`${path}: ${after} is no place of its list, or one behind which there is something`, async (t) => {
      const { status, body } = await get(`${path}?after=${encodeURIComponent(after)}`, reader);
      t.true([200, 422].includes(status), String(status));
      if (after === 'zzz') t.is(status, 422);
      if (status === 422) t.is((await get(linkOf(body, 'First page'), reader)).status, 200);
      t.false(atrium.audit.some(({ errorCode }) => errorCode === 'STS-HTTP-0003'));
    });

test.serial('sessions are paged by the links of the list: each once, with its person by name', async (t) => {
  const person = await addPerson(atrium, 'often', 'Of Ten');
  for (let nth = 0; nth < 60; nth++) await house.signIn(person);
  const seen: string[] = [];
  let path: string | undefined = '/admin/sessions';
  for (let pages = 0; path !== undefined; pages++) {
    const body: string = await pageOf(path);
    const ends = linksOf(body).filter(({ words, href }) => words === 'End often' && href.includes('/sessions.end?'));
    seen.push(...ends.map(({ href }) => new URL(href, base).searchParams.get('sid') ?? ''));
    if (pages === 0) {
      t.is(linksOf(body).filter(({ words }) => words.startsWith('End ')).length, 50);
      t.regex(linkOf(rowOf(body, 'often'), 'often'), /^\/admin\/users\/[0-9a-f-]{36}$/);
      t.false(wordsOf(body).includes(' More '));
    } else t.is((await get(linkOf(body, 'First page'), writer)).status, 200);
    path = linksOf(body).find(({ words }) => words === 'Next page')?.href;
    t.true(pages < 3);
  }
  t.is(new Set(seen).size, 60);
  t.is(seen.length, 60);
  const { answer } = await follow(linkOf(rowOf(await pageOf('/admin/sessions'), 'often'), 'End often'));
  t.is(answer.location, '/admin/sessions?done=sessions.end');
  const again = linksOf(await pageOf('/admin/sessions?user=often')).filter(({ words }) => words === 'End often');
  t.is(again.length, 50);
});

test.serial('deleted people are paged by the links of the list, and restored by the link of the row, which names them', async (t) => {
  const uids = Array.from({ length: 52 }, (_, nth) => `late-${nth}`);
  for (const uid of uids) {
    const { dn } = await addPerson(atrium, uid, `La ${uid}`);
    await asAdministrator(atrium, (client) => client.del(dn));
  }
  const first = await pageOf('/admin/deleted-users');
  t.notRegex(wordsOf(first), /\b20\d{12}(?:\.\d+)?Z\b/);
  const second = await pageOf(linkOf(first, 'Next page'));
  const restores = [first, second].flatMap((body) => linksOf(body).filter(({ words }) => words.startsWith('Restore ')));
  t.deepEqual(restores.map(({ words }) => words.slice('Restore '.length)).sort(), uids.toSorted());
  t.is((await follow(linkOf(second, restores.at(-1)?.words ?? ''))).answer.location, '/admin/deleted-users?done=users.restore');
  t.is(
    linksOf(await pageOf(linkOf(await pageOf('/admin/deleted-users'), 'Next page'))).filter(({ words }) => words.startsWith('Restore '))
      .length,
    1,
  );
});

test.serial('a deleted group and a deleted application are restored by the links of their rows', async (t) => {
  const dns = [`cn=band,ou=groups,${atrium.suffix}`, `cn=stage,ou=applications,${atrium.suffix}`] as const;
  await asAdministrator(atrium, async (client) => {
    await client.add(dns[0], { objectClass: 'groupOfNames', cn: 'band', member: atrium.adminDn });
    await client.add(dns[1], { objectClass: 'stsApplication', cn: 'stage' });
    for (const dn of dns) await client.del(dn);
  });
  const group = await follow(linkOf(await pageOf('/admin/deleted-groups'), 'Restore band'));
  t.is(group.answer.location, '/admin/deleted-groups?done=groups.restore');
  const application = await follow(linkOf(await pageOf('/admin/deleted-applications'), 'Restore stage'));
  t.is(application.answer.location, '/admin/deleted-applications?done=applications.restore');
});

for (const path of ['/admin/sessions', '/admin/tokens', '/admin/deleted-users', '/admin/audit'])
  test(`${path}: an address that leads to no place of the list is said`, async (t) => {
    const { status, body } = await get(`${path}?after=zzz`, reader);
    t.is(status, 422);
    t.is((await get(linkOf(body, 'First page'), reader)).status, 200);
  });
