import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { operations } from '#admin';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

test('groups: made with members, changed, listed without them, members page by page, deleted', async (t) => {
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const alan = await addPerson(atrium, 'alan', 'Alan Turing');
  const made = await call(t, atrium, 'groups.create', { json: { name: 'engines', description: 'those who compute', members: ['ada'] } });
  t.is(made.headers.get('location'), `/admin-api/groups/${made.body.id}`);
  t.deepEqual((await call(t, atrium, 'groups.add-members', { json: { group: 'engines', members: ['alan', ada.dn] } })).body.changed, [
    alan.dn,
  ]);
  const found: string[] = [];
  let after: string | undefined;
  do {
    const { body } = await call(t, atrium, 'groups.members', {
      query: { group: 'engines', limit: '1', ...(after === undefined ? {} : { after }) },
    });
    found.push(...body.members.map((member: { dn: string }) => member.dn));
    after = body.next;
  } while (after !== undefined);
  t.deepEqual(found.toSorted(), [ada.dn, alan.dn]);
  const read = await call(t, atrium, 'groups.read', { params: { group: 'engines' } });
  t.false('member' in read.body.attributes);
  const { status } = await call(t, atrium, 'groups.remove-members', {
    json: { group: 'engines', members: ['ada'] },
    headers: { 'if-match': `"${made.body.etag}"` },
  });
  t.is(status, 412);
  t.deepEqual((await call(t, atrium, 'groups.remove-members', { json: { group: made.body.id, members: ['ada'] } })).body.changed, [ada.dn]);
  t.deepEqual((await call(t, atrium, 'groups.remove-members', { json: { group: made.body.id, members: ['ada'] } })).body.changed, []);
  await call(t, atrium, 'groups.change', { params: { group: 'engines' }, json: { attributes: { description: ['two'] } } });
  t.is((await call(t, atrium, 'groups.list', { query: { q: 'engines' } })).body.groups[0].description, 'two');
  t.deepEqual((await call(t, atrium, 'groups.list', { query: { filter: '(stsRole=Admin Write)' } })).body.groups[0].roles, ['Admin Write']);
  t.is((await call(t, atrium, 'groups.add-members', { json: { group: 'engines', members: ['nobody'] } })).status, 400);
  t.is((await call(t, atrium, 'groups.delete', { params: { group: 'engines' } })).status, 200);
  t.is((await call(t, atrium, 'groups.read', { params: { group: 'engines' } })).status, 404);
});

test('groups.members follows nesting, as its summary says: groups in it, and who is in those', async (t) => {
  const grace = await addPerson(atrium, 'grace', 'Grace Hopper');
  const inner = await call(t, atrium, 'groups.create', { json: { name: 'inner', members: ['grace'] } });
  await call(t, atrium, 'groups.create', { json: { name: 'outer', members: [inner.body.dn] } });
  const { body } = await call(t, atrium, 'groups.members', { query: { group: 'outer' } });
  t.deepEqual(body.members.map((member: { dn: string }) => member.dn).toSorted(), [inner.body.dn, grace.dn].toSorted());
  t.regex(operations.find(({ name }) => name === 'groups.members')?.summary ?? '', /in a group, themselves or by groups in it/);
});

test('applications: made, given a secret that is told once, changed, deleted', async (t) => {
  const made = await call(t, atrium, 'applications.create', {
    json: { name: 'Shop', url: 'https://shop.example', clientId: 'shop', grantTypes: ['client_credentials'] },
  });
  t.is(made.status, 201);
  const { secret } = (await call(t, atrium, 'applications.make-secret', { json: { application: 'Shop' } })).body;
  t.true(secret.length >= 12);
  await call(t, atrium, 'applications.change', { params: { application: 'shop' }, json: { attributes: { description: ['sells'] } } });
  const { body } = await call(t, atrium, 'applications.read', { params: { application: made.body.id } });
  t.is(body.application.description, 'sells');
  t.false(JSON.stringify(body).includes(secret));
  t.is((await call(t, atrium, 'applications.list', { query: { q: 'sell' } })).body.applications[0].url, 'https://shop.example');
  t.is((await call(t, atrium, 'applications.create', { json: { name: 'Other', clientId: 'shop' } })).status, 409);
  t.is(
    (await call(t, atrium, 'applications.create', { json: { name: 'Other', clientId: 'o', redirectUris: ['https://o.example/#a'] } }))
      .status,
    400,
  );
  t.is((await call(t, atrium, 'applications.delete', { params: { application: 'Shop' } })).status, 200);
  t.is((await call(t, atrium, 'applications.create', { json: { name: 'Admin', attributes: { nonsense: ['x'] } } })).status, 400);
});

test('ldif.export and ldif.import: what goes out comes in, superiors first; a second time it is there already', async (t) => {
  const { body, headers } = await call(t, atrium, 'ldif.export');
  t.is(headers.get('content-disposition'), 'attachment; filename="default.ldif"');
  const out = body as string;
  t.true(out.startsWith('version: 1\n\ndn: dc=example,dc=com\n'));
  t.false(/^userPassword/m.test(out));
  const unit = (name: string, superior = '') =>
    `dn: ou=${name},${superior}dc=example,dc=com\nobjectClass: organizationalUnit\nou: ${name}\n`;
  const people = Array.from(
    { length: 60 },
    (_, at) => `dn: uid=w${at},ou=floor,ou=works,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: w${at}\ncn: W ${at}\nsn: W\n`,
  );
  const ldif = [unit('works'), unit('floor', 'ou=works,'), ...people].join('\n');
  const dry = (await call(t, atrium, 'ldif.import', { octets: ldif, query: { dryRun: 'true' } })).body;
  t.deepEqual([dry.records, dry.added, dry.refused], [62, 62, 0]);
  t.deepEqual((await call(t, atrium, 'ldif.import', { octets: ldif })).body.added, 62);
  const again = await call(t, atrium, 'ldif.import', { octets: ldif });
  t.is(again.status, 409);
  t.is(again.body.errors[0].field, 'line 1');
  t.is((await call(t, atrium, 'ldif.import', { octets: ldif, query: { existing: 'skip' } })).body.skipped, 62);
  const changes =
    'dn: uid=w1,ou=floor,ou=works,dc=example,dc=com\nchangetype: modify\nreplace: sn\nsn: X\n-\n\ndn: uid=w2,ou=floor,ou=works,dc=example,dc=com\nchangetype: delete\n\ndn: uid=none,dc=example,dc=com\nchangetype: delete\n';
  const changed = (await call(t, atrium, 'ldif.import', { octets: changes, query: { continue: 'true' } })).body;
  t.deepEqual([changed.changed, changed.refused, changed.refusals[0].line], [2, 1, 10]);
  t.true(((await call(t, atrium, 'ldif.export', { query: { operational: 'true' } })).body as string).includes('entryUUID: '));
});

test('ldif.import: text that is no LDIF, a name of no realm and nothing at all are refused, and nothing is made', async (t) => {
  const one = 'dn: ou=before,dc=example,dc=com\nobjectClass: organizationalUnit\nou: before\n\n';
  const broken = await call(t, atrium, 'ldif.import', { octets: `${one}dn: ou=x,dc=example,dc=com\nnonsense\n` });
  t.is(broken.status, 400);
  t.deepEqual(
    broken.body.errors.map(({ field = '' }) => field),
    ['line 6', ''],
  );
  t.is((await call(t, atrium, 'ldif.import', { octets: 'dn: o=other\nobjectClass: organization\no: other\n' })).status, 400);
  t.is((await call(t, atrium, 'ldif.import', { octets: '', headers: { 'content-type': 'text/plain' } })).status, 415);
  const passed = await call(t, atrium, 'ldif.import', { octets: `${one}dn: ou=x\nnonsense\n`, query: { continue: 'true' } });
  t.regex(passed.body.errors[1].message, /1 entries were added/, 'what is made one by one stays, and is told');
});

const place = (uid: string) => `uid=${uid},ou=people,dc=example,dc=com`;
const person = (uid: string, more = '') => `dn: ${place(uid)}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more}\n`;
const isThere = async (t: ExecutionContext, uid: string) => (await call(t, atrium, 'users.read', { params: { user: uid } })).status === 200;

test('ldif.import is all or nothing: what is refused in the middle leaves nothing, and its line, attribute and rule are told', async (t) => {
  const octets = [
    person('all1'),
    `dn: ${place('all1')}\nchangetype: modify\nreplace: title\ntitle: First\n\n`,
    person('all2', 'nonsense: x\n'),
    person('all3'),
  ].join('');
  const refused = await call(t, atrium, 'ldif.import', { octets });
  t.is(refused.status, 400);
  const line = octets.slice(0, octets.indexOf(`dn: ${place('all2')}`)).split('\n').length;
  t.is(refused.body.errors[0].field, `line ${line}`);
  t.regex(refused.body.errors[0].message, /^uid=all2,.*nonsense/);
  t.is(refused.body.errors[1].message, 'Nothing was added or changed.');
  for (const uid of ['all1', 'all2', 'all3']) t.false(await isThere(t, uid), uid);

  const fit = octets.replace('nonsense: x\n', '');
  const { body } = await call(t, atrium, 'ldif.import', { octets: fit });
  t.deepEqual([body.records, body.added, body.changed, body.refused], [4, 3, 1, 0]);
  t.deepEqual(
    (await call(t, atrium, 'users.read', { params: { user: 'all1' } })).body.attributes.title,
    ['First'],
    'a change of what it added itself',
  );
});

test('ldif.import: a dry run has the directory judge everything, names each that would be refused, and makes nothing', async (t) => {
  const octets = [person('dry1'), person('dry2', 'nonsense: x\n'), person('dry3'), person('dry3'), person('admin')].join('');
  const { body } = await call(t, atrium, 'ldif.import', { octets, query: { dryRun: 'true' } });
  t.deepEqual([body.records, body.added, body.refused], [5, 2, 3]);
  t.deepEqual(
    body.refusals.map(({ dn }: { dn: string }) => dn),
    [place('dry2'), place('dry3'), place('admin')],
  );
  t.regex(body.refusals[0].message, /nonsense/);
  t.false(await isThere(t, 'dry1'));
  const skipped = await call(t, atrium, 'ldif.import', { octets: `${person('dry1')}${person('admin')}`, query: { existing: 'skip' } });
  t.deepEqual([skipped.body.added, skipped.body.skipped], [1, 1]);
});

test('ldif.import: more than one transaction holds is a task, all or nothing too, whose file goes with it', async (t) => {
  const many = (name: string) => Array.from({ length: 700 }, (_, at) => person(`${name}${at}`)).join('');
  const ended = async (octets: string, query: Readonly<Record<string, string>> = {}) => {
    const { body, status } = await call(t, atrium, 'ldif.import', { octets, query });
    t.is(status, 200, JSON.stringify(body));
    for (;;) {
      const { task } = (await call(t, atrium, 'tasks.read', { params: { task: body.task } })).body;
      if (['done', 'failed'].includes(task.state)) return task;
    }
  };
  const dry = await ended(`${many('many')}${person('many', 'nonsense: x\n')}`, { dryRun: 'true' });
  t.regex(dry.messages.join(), /line \d+.*nonsense/);
  t.is((await ended(`${many('many')}${person('many', 'nonsense: x\n')}`)).state, 'failed');
  t.false(await isThere(t, 'many0'));
  t.is((await ended(many('many'))).state, 'done');
  t.true(await isThere(t, 'many699'));
  t.deepEqual(
    readdirSync(join(atrium.dataDir, 'exchange')).filter((name) => name.startsWith('import-')),
    [],
  );
  t.is((await call(t, atrium, 'ldif.import', { octets: many('skip'), query: { existing: 'skip' } })).status, 400);
});

test('backup.create, tasks.read and tasks.list: a backup is asked for, and how far it is can be seen', async (t) => {
  const { task } = (await call(t, atrium, 'backup.create', { json: { file: 'monday.sqlite' } })).body;
  let state = task.state;
  while (state === 'waiting' || state === 'running')
    state = (await call(t, atrium, 'tasks.read', { params: { task: task.name } })).body.task.state;
  t.is(state, 'done');
  t.true(existsSync(join(atrium.dataDir, 'exchange', 'monday.sqlite')));
  const later = (await call(t, atrium, 'backup.create', { json: { file: 'tuesday.sqlite' } })).body.task;
  const tasks = (await call(t, atrium, 'tasks.list')).body.tasks as { name: string; asked: string }[];
  t.true(tasks.some(({ name }) => name === task.name) && tasks.some(({ name }) => name === later.name));
  const asked = tasks.map((each) => each.asked);
  t.true(asked.every((each) => /^\d{14}(?:\.\d+)?Z$/.test(each)));
  t.deepEqual(asked, asked.toSorted().reverse(), 'the newest first');
  t.is((await call(t, atrium, 'tasks.read', { params: { task: 'none' } })).status, 404);
});

test('sessions: listed for the realm and for a person, ended one by one and all together', async (t) => {
  await addPerson(atrium, 'edith', 'Edith Clarke');
  t.deepEqual((await call(t, atrium, 'sessions.list', { query: { user: 'edith' } })).body.sessions, []);
  t.false((await call(t, atrium, 'sessions.end', { json: { user: 'edith', sid: 'none' } })).body.ended);
  t.is((await call(t, atrium, 'users.end-sessions', { json: { user: 'edith' } })).body.ended, 0);
  t.true(Array.isArray((await call(t, atrium, 'sessions.list')).body.sessions));
  const [entry] = await asAdministrator(
    atrium,
    async (client) =>
      (await client.search(`uid=edith,ou=people,${atrium.suffix}`, { scope: 'base', attributes: ['pwdAccountLockedTime'] })).searchEntries,
  );
  t.deepEqual(entry?.['pwdAccountLockedTime'], []);
});

test('authorization servers: the issuer with its addresses, its keys and the applications that use it', async (t) => {
  const { body } = await call(t, atrium, 'authorization-servers.list');
  t.true(body.complete);
  t.is(body.servers[0].issuer, atrium.addresses.http);
  t.is(body.servers[0].name, '');
});

test('rules of access: added, changed as a whole, deleted; what the directory refuses is told by its member', async (t) => {
  const json = { name: 'fewer', order: 5, who: ['anonymous'], rights: ['read'], effect: 'deny', attributes: ['mobile'] };
  const { body: made } = await call(t, atrium, 'access.create', { json });
  const wrong = await call(t, atrium, 'access.create', { json: { ...json, name: 'wrong', target: ['somewhere'] } });
  t.is(wrong.status, 400);
  t.is(wrong.body.errors[0].field, 'target');
  for (const order of [null, '', []])
    t.is((await call(t, atrium, 'access.create', { json: { ...json, name: 'nowhere', order } })).status, 400, 'no place is not the first');
  const { name: _, attributes: __, ...rest } = json;
  const changed = await call(t, atrium, 'access.change', {
    params: { rule: 'fewer' },
    json: rest,
    headers: { 'if-match': `"${made.etag}"` },
  });
  t.is(changed.status, 200);
  const [rule] = (await call(t, atrium, 'access.list')).body.rules;
  t.like(rule, { name: 'fewer', effect: 'deny', attributes: [], builtIn: undefined });
  const again = { params: { rule: 'fewer' }, headers: { 'if-match': `"${made.etag}"` } };
  t.is((await call(t, atrium, 'access.delete', again)).status, 412);
  t.is((await call(t, atrium, 'access.delete', { params: { rule: made.id } })).status, 200);
  t.is((await call(t, atrium, 'access.delete', { params: { rule: made.id } })).status, 404);
});
