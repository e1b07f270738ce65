import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import { type Control, encodeBer, type Request } from '#ldap';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type Follower, type Heard, oids, openAdmin, openFollower, persistentControl, syncControl } from '../support/follower.ts';

const [add, remove, modify, modDn] = [1, 2, 4, 8];
const every = 15;
const refreshAndPersist = 3;

async function start(t: ExecutionContext, settings: Readonly<Record<string, string>> = {}): Promise<TestAtrium> {
  const atrium = await startTestAtrium({ settings });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  return atrium;
}

function person(uid: string, { suffix }: TestAtrium, more: Readonly<Record<string, string>> = {}): Request {
  const values = { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, ...more };
  const attributes = Object.entries(values).map(([description, value]) => ({ description, values: [utf8(value)] }));
  return { kind: 'addRequest', entry: nameOf(uid, suffix), attributes };
}

function nameOf(uid: string, suffix: string): string {
  return `uid=${uid},ou=people,${suffix}`;
}

function changed(object: string, description: string, value: string): Request {
  return { kind: 'modifyRequest', object, changes: [{ operation: 'replace', attribute: { description, values: [utf8(value)] } }] };
}

async function make(t: ExecutionContext, writer: Follower, ...requests: readonly Request[]): Promise<void> {
  for (const request of requests) t.is((await writer.ask(request)).code, 0);
}

const brief = (one: Heard) => (one.kind === 'entry' ? [one.change?.[0], one.dn.split(',')[0], one.change?.[1]?.split(',')[0]] : one);

/** Whoever has been answered a search behind it is listening. */
async function listening(follower: Follower, base: string): Promise<void> {
  follower.search(base, { scope: 'base', attributes: ['1.1'] });
  await follower.all();
}

test('draft-ietf-ldapext-psearch: what is there, then every change with its type, of a renamed entry the name before, of a deleted one what it was', async (t) => {
  const atrium = await start(t);
  const { suffix } = atrium;
  const [writer, client] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium)]);
  await make(t, writer, person('ada', atrium));
  client.search(`ou=people,${suffix}`, { text: '(uid=a*)', attributes: ['cn'] }, persistentControl(every, false, true));
  t.deepEqual([brief(await client.next()), brief(await client.next())].map((one) => (Array.isArray(one) ? one[1] : one)).sort(), [
    'uid=ada',
    'uid=admin',
  ]);
  await make(
    t,
    writer,
    person('alan', atrium),
    changed(nameOf('alan', suffix), 'description', 'x'),
    { kind: 'modifyDNRequest', entry: nameOf('alan', suffix), newRdn: 'uid=amy', deleteOldRdn: true },
    person('bob', atrium),
    { kind: 'delRequest', entry: nameOf('bob', suffix) },
    { kind: 'delRequest', entry: nameOf('amy', suffix) },
  );
  t.deepEqual(brief(await client.next()), [add, 'uid=alan', undefined]);
  t.deepEqual(brief(await client.next()), [modify, 'uid=alan', undefined]);
  t.deepEqual(brief(await client.next()), [modDn, 'uid=amy', 'uid=alan']);
  const gone = await client.next();
  t.deepEqual(brief(gone), [remove, 'uid=amy', undefined]);
  t.deepEqual(gone.kind === 'entry' ? gone.values : {}, { cn: ['alan'] });
});

test('only the types of change that were asked for come, and without the notification where it was not', async (t) => {
  const atrium = await start(t);
  const [writer, client] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium)]);
  client.search(atrium.suffix, { attributes: ['1.1'] }, persistentControl(remove, true, false));
  await listening(client, atrium.suffix);
  await make(t, writer, person('ada', atrium), changed(nameOf('ada', atrium.suffix), 'title', 'x'), {
    kind: 'delRequest',
    entry: nameOf('ada', atrium.suffix),
  });
  t.deepEqual(await client.next(), { kind: 'entry', dn: nameOf('ada', atrium.suffix), values: {} });
});

test('a persistent search ends by abandon, by a bind on its connection and with the service, and holds up none of them', async (t) => {
  const atrium = await start(t, { STS_LDAP_PERSISTENT_SEARCHES_PER_CONNECTION_MAX: '1' });
  const client = await openAdmin(t, atrium);
  const ask = () => client.search(atrium.suffix, {}, persistentControl(every, true, true));
  const messageId = ask();
  await listening(client, atrium.suffix);
  ask();
  t.deepEqual(await client.next(), { kind: 'done', code: 11 });
  client.send({ kind: 'abandonRequest', messageId });
  await listening(client, atrium.suffix);
  ask();
  await listening(client, atrium.suffix);
  const { adminDn: name, adminPassword } = atrium;
  const authentication = { kind: 'simple', password: utf8(adminPassword) } as const;
  t.is((await client.ask({ kind: 'bindRequest', version: 3, name, authentication })).code, 0);
  client.search(atrium.suffix, {}, syncControl(refreshAndPersist));
  let told = await client.next();
  while (told.kind === 'entry') told = await client.next();
  t.is(told.kind, 'info');
  await atrium.stop();
  t.like(await client.raw.next(), { messageId: 0 });
});

test('people and anonymous share a number of places, and administrators have their own', async (t) => {
  const atrium = await start(t, { STS_LDAP_PERSISTENT_SEARCHES_MAX: '1', STS_LDAP_ANONYMOUS_READ: 'public' });
  const [one, other, admin] = await Promise.all([openFollower(t, atrium), openFollower(t, atrium), openAdmin(t, atrium)]);
  one.search(atrium.suffix, {}, persistentControl(every, true, true));
  await listening(one, atrium.suffix);
  other.search(atrium.suffix, {}, persistentControl(every, true, true));
  t.deepEqual(await other.next(), { kind: 'done', code: 11 });
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-LDAP-9090'));
  admin.search(atrium.suffix, { attributes: ['1.1'] }, persistentControl(every, true, true));
  await listening(admin, atrium.suffix);
  one.raw.socket.destroy();
  await make(t, admin, person('ada', atrium));
  // The place is free as soon as the connection is seen to be gone.
  let code = 11;
  while (code === 11) {
    other.search(atrium.suffix, { attributes: ['1.1'] }, persistentControl(add, false, true));
    const told = await other.next();
    code = told.kind === 'done' ? told.code : 0;
  }
  t.is(code, 0);
});

test('whoever follows aliases in all their searches hears of changes below the base that an alias leads to, and of no more', async (t) => {
  const atrium = await start(t);
  const { suffix } = atrium;
  const [writer, client] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium)]);
  const alias = (name: string, to: string): Request => ({
    kind: 'addRequest',
    entry: `ou=${name},${suffix}`,
    attributes: Object.entries({ objectClass: ['alias', 'extensibleObject'], ou: [name], aliasedObjectName: [to] }).map(
      ([description, values]) => ({ description, values: values.map(utf8) }),
    ),
  });
  await make(t, writer, alias('staff', `ou=people,${suffix}`));
  for (const derefAliases of ['always', 'inSearching'] as const) {
    const base = derefAliases === 'always' ? `ou=staff,${suffix}` : `ou=people,${suffix}`;
    const messageId = client.search(base, { derefAliases, attributes: ['1.1'] }, persistentControl(add, true, true));
    await listening(client, suffix);
    await make(t, writer, person(`${derefAliases}1`.toLowerCase(), atrium));
    t.deepEqual(brief(await client.next()), [add, `uid=${derefAliases.toLowerCase()}1`, undefined]);
    client.send({ kind: 'abandonRequest', messageId });
  }
});

test('a value that cannot be read, aliases and controls that make other answers are refused', async (t) => {
  const atrium = await start(t);
  const client = await openAdmin(t, atrium);
  const refused = async (code: number, part: Parameters<Follower['search']>[1], ...controls: readonly Control[]) => {
    client.search(atrium.suffix, part, ...controls);
    t.deepEqual(await client.next(), { kind: 'done', code });
  };
  const paged = {
    oid: '1.2.840.113556.1.4.319',
    critical: true,
    value: encodeBer((ber) => ber.sequence(() => [ber.number(5), ber.string('')])),
  };
  for (const cookie of ['nonsense', 'csn=1', 'rid=1,csn=x', 'rid=12345', 'rid=']) await refused(2, {}, syncControl(1, cookie));
  for (const mode of [0, 2, 4]) await refused(2, {}, syncControl(mode));
  for (const types of [0, 16]) await refused(2, {}, persistentControl(types, true, true));
  await refused(2, {}, { oid: oids.sync, critical: true });
  await refused(2, { derefAliases: 'always' }, syncControl(1));
  await refused(53, {}, syncControl(1), persistentControl(every, true, true));
  await refused(53, {}, syncControl(1), paged);
});

test('who reads too slowly is ended: a copy is told to begin anew once the log is behind it, a persistent search as soon as memory is', async (t) => {
  const settings = { STS_LDAP_FOLLOWED_CHANGES_MIB: '1', STS_PERSISTENCE_COMMITS_MAX: '5', STS_LDAP_OUTGOING_OCTETS_MAX: '131072' };
  const atrium = await start(t, settings);
  const [writer, copy, client] = await Promise.all([openAdmin(t, atrium), openAdmin(t, atrium), openAdmin(t, atrium)]);
  await make(t, writer, person('ada', atrium));
  copy.search(atrium.suffix, { attributes: ['*'] }, syncControl(refreshAndPersist));
  for (let told = await copy.next(); told.kind === 'entry'; ) told = await copy.next();
  client.search(atrium.suffix, { attributes: ['*'] }, persistentControl(every, true, true));
  await listening(client, atrium.suffix);
  copy.raw.socket.pause();
  client.raw.socket.pause();
  const much = 'much '.repeat(100_000);
  for (let at = 0; at < 60; at++) await make(t, writer, changed(nameOf('ada', atrium.suffix), 'description', `${at} ${much}`));
  copy.raw.socket.resume();
  client.raw.socket.resume();
  t.like((await copy.all()).at(-1), { kind: 'done', code: 4096 });
  t.like((await client.all()).at(-1), { kind: 'done', code: 11 });
  const codes = new Set(atrium.audit.map(({ errorCode }) => errorCode));
  t.true(codes.has('STS-LDAP-9091') && codes.has('STS-LDAP-9092'));
});
