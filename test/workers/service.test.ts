import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { utf8 } from '#base';
import type { Request } from '#ldap';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import type { Lane } from '../torture/lane.ts';
import { type Connected, connect, connectToEach, portOf, startWithWorkers } from './crew.ts';

const csnForm = /^\d{14}\.\d{6}Z#[0-9a-f]{6}#000#000000$/;

/** A hash that takes as long as those of a service do: others come meanwhile. */
const slowHash = { STS_SECURITY_PASSWORD_HASH_R: '8' };

function addOf(dn: string, uid: string): Request {
  const pair = (description: string, ...values: string[]) => ({ description, values: values.map(utf8) });
  const classes = pair('objectClass', 'top', 'person', 'organizationalPerson', 'inetOrgPerson');
  return { kind: 'addRequest', entry: dn, attributes: [classes, pair('uid', uid), pair('cn', uid), pair('sn', uid)] };
}

function replaceOf(dn: string, description: string, value: string, operation: 'replace' | 'add' = 'replace'): Request {
  return { kind: 'modifyRequest', object: dn, changes: [{ operation, attribute: { description, values: [utf8(value)] } }] };
}

function readOf(dn: string, ...attributes: string[]): Request {
  return {
    ...{ kind: 'searchRequest', baseObject: dn, scope: 'base', derefAliases: 'never', sizeLimit: 0, timeLimitS: 0, typesOnly: false },
    ...{ filter: { kind: 'present', description: 'objectClass' }, attributes },
  };
}

/** One value of an entry; `undefined` when it has none. */
async function oneValue(lane: Lane, dn: string, name: string): Promise<string | undefined> {
  return (await lane.send(readOf(dn, name)).answer)?.entries[0]?.attributes.get(name.toLowerCase())?.[0];
}

withLdapUtils(test)('OpenLDAP’s tools change and read through every thread, and each sees what the others did', async (t) => {
  await using atrium = await startWithWorkers(2);
  const { addresses, adminDn, adminPassword, suffix } = atrium;
  const target = { url: addresses.ldap ?? '', dn: adminDn, password: adminPassword };
  const threads = () => new Set(atrium.audit.filter(({ door }) => door === 'ldap').map(({ correlationId }) => correlationId.split('-')[0]));
  for (let at = 0; at < 100 && (at < 6 || threads().size < 3); at++) {
    const dn = `uid=t${at},ou=people,${suffix}`;
    const ldif = `dn: ${dn}\nobjectClass: inetOrgPerson\nuid: t${at}\ncn: t\nsn: t\n`;
    t.is((await runLdapTool('ldapadd', target, [], ldif)).status, 0);
    const found = await runLdapTool('ldapsearch', target, ['-LLL', '-b', suffix, '(cn=t)', 'uid']);
    t.is(found.stdout.match(/^uid: /gm)?.length, at + 1);
    const rename = await runLdapTool('ldapmodrdn', target, ['-r', dn, `uid=r${at}`]);
    t.is(rename.status, 0, rename.stderr);
    t.is((await runLdapTool('ldapcompare', target, [`uid=r${at},ou=people,${suffix}`, `uid:r${at}`])).status, 6);
    t.is((await runLdapTool('ldapadd', target, [], ldif.replaceAll(`t${at}`, `r${at}`))).status, 68, 'a refusal comes back');
  }
  t.is(threads().size, 3, 'three threads have served');
});

test('CSNs ascend as the commits do, whichever thread decided them, and each entry has its own', async (t) => {
  await using atrium = await startWithWorkers(2);
  const connected = await connectToEach(atrium, 3, 1);
  const dns = connected.map((_, at) => `uid=c${at},ou=people,${atrium.suffix}`);
  await Promise.all(connected.map(({ lane }, at) => lane.send(addOf(dns[at] ?? '', `c${at}`)).answer));
  const csns: string[] = [];
  for (let round = 0; round < 20; round++) {
    const at = round % 3;
    const dn = dns[at] ?? '';
    const given = await connected[(round + 1) % 3]?.lane.send(replaceOf(dn, 'description', `${round}`)).answer;
    t.is(given?.code, 0);
    const csn = (await oneValue(connected[0]?.lane as Lane, dn, 'entryCSN')) ?? '';
    t.regex(csn, csnForm);
    csns.push(csn);
  }
  t.deepEqual(csns, [...new Set(csns)].sort());
});

test('those who change one entry at all threads at once all get through, and no change is lost', async (t) => {
  await using atrium = await startWithWorkers(2);
  const connected = await connectToEach(atrium, 3, 3);
  const dn = `uid=one,ou=people,${atrium.suffix}`;
  t.is((await connected[0]?.lane.send(addOf(dn, 'one')).answer)?.code, 0);
  const each = 8;
  const codes = await Promise.all(
    connected.flatMap(({ lane }, at) =>
      Array.from({ length: each }, (_, nth) => lane.send(replaceOf(dn, 'description', `${at} ${nth}`, 'add')).answer),
    ),
  );
  t.deepEqual([...new Set(codes.map((answer) => answer?.code))], [0]);
  for (const { lane } of connected) {
    const [entry] = (await lane.send(readOf(dn, 'description')).answer)?.entries ?? [];
    t.is(entry?.attributes.get('description')?.length, connected.length * each);
  }
});

test('passwords are hashed and judged by the one hasher, and its bound is that of the process', async (t) => {
  await using atrium = await startWithWorkers(2, {
    settings: { ...slowHash, STS_KEYS_HASH_QUEUE_MAX: '1', STS_SECURITY_RATE_PER_IDENTITY: '100', STS_SECURITY_VERIFIED_BINDS_S: '0' },
  });
  const connected = await connectToEach(atrium, 3, 2);
  const dn = `uid=ada,ou=people,${atrium.suffix}`;
  const worker = connected.at(-1)?.lane as Lane;
  t.is((await worker.send(addOf(dn, 'ada')).answer)?.code, 0);
  t.is((await worker.send(replaceOf(dn, 'userPassword', 'Lovelace-1815')).answer)?.code, 0);
  const bind = (password: string): Request => ({
    ...{ kind: 'bindRequest', version: 3, name: dn },
    authentication: { kind: 'simple', password: utf8(password) },
  });
  for (const { lane } of connected) {
    t.is((await lane.send(bind('Lovelace-1815')).answer)?.code, 0);
    t.is((await lane.send(bind('wrong')).answer)?.code, 49);
  }
  const many = await Promise.all(connected.map(({ lane }) => lane.send(bind('Lovelace-1815')).answer));
  const codes = many.map((answer) => answer?.code);
  t.true(codes.includes(0));
  t.true(codes.includes(51), `one waits and those beyond it are told so, wherever they are connected: ${codes}`);
});

test('the bound on connections is one for all threads', async (t) => {
  await using atrium = await startWithWorkers(2, { settings: { STS_LDAP_CONNECTIONS_MAX: '9' } });
  const connected = await connectToEachWithin(atrium, 9);
  t.true(new Set(connected.map(({ thread }) => thread)).size > 1);
  await t.throwsAsync(connect(atrium));
  connected[0]?.lane.close();
  t.truthy(await again(() => connect(atrium)));
});

async function connectToEachWithin(atrium: TestAtrium, count: number): Promise<Connected[]> {
  const all: Connected[] = [];
  while (all.length < count) all.push(await connect(atrium));
  return all;
}

/** Tries until it succeeds: a connection that was ended is counted no more a moment later. */
async function again<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch {
      await wait(5);
    }
  }
}

test('the end of the service reaches the connections of every thread, and what is in progress is answered first', async (t) => {
  const atrium = await startWithWorkers(2, { settings: slowHash });
  const connected = await connectToEach(atrium, 3, 1);
  const dn = `uid=last,ou=people,${atrium.suffix}`;
  t.is((await connected[0]?.lane.send(addOf(dn, 'last')).answer)?.code, 0);
  // A hash takes its time: these are in progress when the service is told to end.
  const going = connected.map(({ lane }) => lane.send(replaceOf(dn, 'userPassword', 'Lovelace-1815')).answer);
  await Promise.all(connected.map(({ lane }) => lane.send(readOf(dn, 'cn')).answer));
  const stopping = atrium.stop();
  for (const answer of await Promise.all(going)) t.is(answer?.code, 0);
  await stopping;
  for (const { lane } of connected) t.is(await lane.send(readOf(dn, 'cn')).answer, undefined);
  await t.throwsAsync(connect(atrium));
});

test('a port that another process has is refused, with workers too; and so is memory mode', async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ port: 0, host: '127.0.0.1', reusePort: true }, resolve));
  t.teardown(() => other.close());
  const { port } = other.address() as { port: number };
  await t.throwsAsync(startWithWorkers(1, { settings: { STS_LDAP_PORT: String(port) } }), { message: /STS-LDAP-9200.*EADDRINUSE/s });
  await t.throwsAsync(startWithWorkers(1, { settings: { STS_PERSISTENCE_MODE: 'memory' } }), { message: /STS-WORKER-9000/ });
  await using running = await startWithWorkers(1);
  const taken = { STS_LDAP_PORT: String(portOf(running)) };
  await t.throwsAsync(startWithWorkers(1, { settings: taken }), { message: /STS-LDAP-9200.*EADDRINUSE/s });
  await t.throwsAsync(startTestAtrium({ settings: taken }), { message: /STS-LDAP-9200.*EADDRINUSE/s });
});
