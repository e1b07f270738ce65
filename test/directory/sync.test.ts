import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { startTestAtrium, type TestAtrium, type TestOptions } from '../support/atrium.ts';
import { type Follower, type Heard, openAdmin, openFollower, syncControl } from '../support/follower.ts';

const [refreshOnly, refreshAndPersist] = [1, 3];
const password = 'Lovelace-1815-engine';

async function start(t: ExecutionContext, options: TestOptions = {}): Promise<TestAtrium> {
  const atrium = await startTestAtrium(options);
  t.teardown(() => atrium[Symbol.asyncDispose]());
  return atrium;
}

function person(uid: string, { suffix }: TestAtrium, more: Readonly<Record<string, string>> = {}): Request {
  const values = { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more };
  return {
    kind: 'addRequest',
    entry: `uid=${uid},ou=people,${suffix}`,
    attributes: Object.entries(values).map(([description, value]) => ({ description, values: [utf8(value)] })),
  };
}

function unit(ou: string, below: string): Request {
  const values = { objectClass: 'organizationalUnit', ou };
  return {
    kind: 'addRequest',
    entry: `ou=${ou},${below}`,
    attributes: Object.entries(values).map(([description, value]) => ({ description, values: [utf8(value)] })),
  };
}

function changed(object: string, description: string, ...values: readonly string[]): Request {
  return { kind: 'modifyRequest', object, changes: [{ operation: 'replace', attribute: { description, values: values.map(utf8) } }] };
}

function renamed(entry: string, newRdn: string, newSuperior?: string): Request {
  return { kind: 'modifyDNRequest', entry, newRdn, deleteOldRdn: true, ...(newSuperior === undefined ? {} : { newSuperior }) };
}

async function make(t: ExecutionContext, writer: Follower, ...requests: readonly Request[]): Promise<void> {
  for (const request of requests) t.is((await writer.ask(request)).code, 0);
}

async function poll(follower: Follower, base: string, cookie: string | undefined, text = '(objectClass=*)') {
  follower.search(base, { text, attributes: ['*', 'entryUUID'] }, syncControl(refreshOnly, cookie));
  const told = await follower.all();
  const last = told.at(-1);
  return { told, entries: told.filter(isEntry), done: last?.kind === 'done' ? last : undefined };
}

const isEntry = (one: Heard) => one.kind === 'entry';
const brief = (told: readonly Heard[]) => told.map((one) => (one.kind === 'entry' ? [one.state, one.dn.split(',')[0]] : one.kind));

test('RFC 4533 §3.3: without a cookie everything is sent, with the cookie that came with it what has changed since, in the order of the changes', async (t) => {
  const atrium = await start(t);
  const { suffix } = atrium;
  const [writer, consumer] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium)]);
  const people = `ou=people,${suffix}`;
  await make(t, writer, person('ada', atrium), person('alan', atrium), person('grace', atrium));

  const first = await poll(consumer, people, undefined);
  const names = first.entries.map((one) => (one.kind === 'entry' ? [one.state, one.dn.split(',')[0]].join(' ') : ''));
  t.deepEqual(names.sort(), ['add ou=people', 'add uid=ada', 'add uid=admin', 'add uid=alan', 'add uid=grace']);
  t.false(first.done?.refreshDeletes);
  t.regex(first.done?.cookie ?? '', /^rid=000,csn=\d{14}\.\d{6}Z#[0-9a-f]{6}#000#000000$/);

  const nothing = await poll(consumer, people, first.done?.cookie);
  t.deepEqual(nothing.told, [{ kind: 'done', code: 0, cookie: first.done?.cookie ?? '', refreshDeletes: true }]);

  const uuid = (told: readonly Heard[], dn: string) =>
    told.flatMap((one) => (one.kind === 'entry' && one.dn.startsWith(dn) ? [one.uuid] : []))[0];
  await make(
    t,
    writer,
    changed(`uid=ada,${people}`, 'description', 'one'),
    changed(`uid=ada,${people}`, 'description', 'two'),
    { kind: 'delRequest', entry: `uid=alan,${people}` },
    renamed(`uid=grace,${people}`, 'uid=alan'),
    person('grace', atrium),
    changed(`uid=ada,${people}`, 'description', 'three'),
  );
  const since = await poll(consumer, people, first.done?.cookie);
  t.deepEqual(brief(since.entries), [
    ['delete', 'uid=alan'],
    ['add', 'uid=alan'],
    ['add', 'uid=grace'],
    ['add', 'uid=ada'],
  ]);
  t.is(uuid(since.told, 'uid=alan'), uuid(first.told, 'uid=alan'));
  const [gone, moved, fresh, ada] = since.entries.flatMap((one) => (one.kind === 'entry' ? [one] : []));
  t.deepEqual(gone?.values, {});
  t.is(moved?.uuid, uuid(first.told, 'uid=grace'));
  t.not(fresh?.uuid, moved?.uuid);
  t.deepEqual(ada?.values['description'], ['three']);
  t.true(since.done?.refreshDeletes);
});

test('entries that leave the filter or the scope go, those that enter it come, whether one polls or listens', async (t) => {
  const atrium = await start(t);
  const { suffix } = atrium;
  const [writer, poller, listener] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium), openAdmin(t, atrium)]);
  const people = `ou=people,${suffix}`;
  const staff = `ou=staff,${people}`;
  const ou: Request = {
    kind: 'addRequest',
    entry: staff,
    attributes: [
      { description: 'objectClass', values: [utf8('organizationalUnit')] },
      { description: 'ou', values: [utf8('staff')] },
    ],
  };
  await make(t, writer, ou, person('ada', atrium), person('alan', atrium, { title: 'Boss' }));
  const bosses = '(title=boss)';
  const { done, entries } = await poll(poller, people, undefined, bosses);
  t.deepEqual(brief(entries), [['add', 'uid=alan']]);
  listener.search(people, { text: bosses, scope: 'one' }, syncControl(refreshAndPersist, done?.cookie));
  t.deepEqual(await listener.next(), { kind: 'info', tag: 1, cookie: done?.cookie ?? '' });

  await make(
    t,
    writer,
    changed(`uid=ada,${people}`, 'title', 'Boss'),
    changed(`uid=alan,${people}`, 'title', 'Clerk'),
    changed(`uid=alan,${people}`, 'description', 'nobody asks for it'),
    renamed(`uid=ada,${people}`, 'uid=ada', staff),
    renamed(`uid=ada,${staff}`, 'uid=ada', people),
  );
  const heard: Heard[] = [];
  while (heard.length < 4) {
    const told = await listener.next();
    if (told.kind === 'entry') heard.push(told);
  }
  t.deepEqual(brief(heard), [
    ['add', 'uid=ada'],
    ['delete', 'uid=alan'],
    ['delete', 'uid=ada'],
    ['add', 'uid=ada'],
  ]);
  t.deepEqual(brief((await poll(poller, people, done?.cookie, bosses)).entries), [
    ['delete', 'uid=alan'],
    ['add', 'uid=ada'],
    ['add', 'uid=ada'],
  ]);
});

test('whoever listens hears of each change once it is on disk, in order, each with a cookie that goes on behind it, after a restart too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-sync-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const atrium = await start(t, { dataDir: folder });
  const [writer, consumer] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium)]);
  consumer.search(atrium.suffix, { attributes: ['1.1'] }, syncControl(refreshAndPersist, 'rid=042'));
  let told = await consumer.next();
  while (told.kind === 'entry') told = await consumer.next();
  t.is(told.kind === 'info' ? told.tag : 0, 2);

  const uids = Array.from({ length: 40 }, (_, at) => `p${String(at).padStart(2, '0')}`);
  const answered = uids.map((uid) => writer.send(person(uid, atrium)));
  const cookies: string[] = [];
  for (const uid of uids) {
    const next = await consumer.next();
    t.deepEqual(brief([next]), [['add', `uid=${uid}`]]);
    cookies.push(next.kind === 'entry' ? (next.cookie ?? '') : '');
  }
  t.is(answered.length, uids.length);
  t.deepEqual(cookies, [...new Set(cookies)].sort());
  t.true(cookies.every((cookie) => cookie.startsWith('rid=042,csn=')));

  await atrium.stop();
  const again = await start(t, { dataDir: folder });
  const { entries } = await poll(await openAdmin(t, again), again.suffix, cookies[29]);
  t.deepEqual(
    brief(entries),
    uids.slice(30).map((uid) => ['add', `uid=${uid}`]),
  );
});

test('what one may not read one never learns of: neither the entry nor its changes nor its end', async (t) => {
  const atrium = await start(t);
  const { suffix } = atrium;
  const writer = await openAdmin(t, atrium);
  // Where no built-in rule lets people see anything.
  const [vault, secret] = [unit('vault', suffix), unit('secret', `ou=vault,${suffix}`)];
  await make(t, writer, person('ada', atrium, { userPassword: password }), person('alan', atrium), vault);
  const ada = await openFollower(t, atrium, `uid=ada,ou=people,${suffix}`, password);
  const poller = await openFollower(t, atrium, `uid=ada,ou=people,${suffix}`, password);
  const before = await poll(poller, suffix, undefined);
  t.true(before.entries.length > 2);
  t.false(before.entries.some((one) => one.kind === 'entry' && one.dn.includes('vault')));
  ada.search(suffix, {}, syncControl(refreshAndPersist, before.done?.cookie));
  t.is((await ada.next()).kind, 'info');

  await make(
    t,
    writer,
    secret,
    changed(`ou=secret,ou=vault,${suffix}`, 'description', 'x'),
    { kind: 'delRequest', entry: `ou=secret,ou=vault,${suffix}` },
    // Of another person's entry what they may not read.
    changed(`uid=alan,ou=people,${suffix}`, 'employeeNumber', '7'),
    changed(`uid=alan,ou=people,${suffix}`, 'title', 'Clerk'),
  );
  const told = await ada.next();
  t.deepEqual(brief([told]), [['modify', 'uid=alan']]);
  t.false(told.kind === 'entry' && 'employeeNumber' in told.values);
  t.deepEqual(brief((await poll(poller, suffix, before.done?.cookie)).entries), [['add', 'uid=alan']]);

  const nobody = await openFollower(t, atrium);
  nobody.search(suffix, {}, syncControl(refreshOnly));
  t.is((await nobody.all()).map((one) => (one.kind === 'done' ? one.code : one.kind))[0], 32);
});

test('a cookie that the log does not reach back to, or that is none of ours, has everything sent', async (t) => {
  const atrium = await start(t, { settings: { STS_PERSISTENCE_COMMITS_MAX: '5' } });
  const [writer, consumer] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium)]);
  const first = await poll(consumer, atrium.suffix, undefined);
  for (let at = 0; at < 8; at++) await make(t, writer, person(`p${at}`, atrium));
  const far = await poll(consumer, atrium.suffix, first.done?.cookie);
  t.is(far.entries.length, first.entries.length + 8);
  t.false(far.done?.refreshDeletes);
  const foreign = 'rid=001,csn=20200101010107.000000Z#000000#000#000000';
  t.is((await poll(consumer, atrium.suffix, foreign)).entries.length, far.entries.length);
  t.is((await poll(consumer, atrium.suffix, 'rid=001,csn=20200101010107.000000Z#000000#001#000000')).entries.length, far.entries.length);
});

test('contextCSN at the suffix is the CSN of the newest change, and no other entry has it', async (t) => {
  const atrium = await start(t);
  const admin = await openAdmin(t, atrium);
  await make(t, admin, person('ada', atrium));
  const of = async (base: string, name: string) => {
    admin.search(base, { scope: 'base', attributes: [name] });
    const [entry] = await admin.all();
    return entry?.kind === 'entry' ? entry.values[name] : undefined;
  };
  const newest = await of(`uid=ada,ou=people,${atrium.suffix}`, 'entryCSN');
  t.regex(newest?.[0] ?? '', /^\d{14}\.\d{6}Z#/);
  t.deepEqual(await of(atrium.suffix, 'contextCSN'), newest);
  t.is(await of(`ou=people,${atrium.suffix}`, 'contextCSN'), undefined);
  const { done } = await poll(admin, atrium.suffix, undefined);
  t.is(done?.cookie, `rid=000,csn=${newest?.[0]}`);
});
