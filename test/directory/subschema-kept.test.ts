import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import { connectOperators } from '#client';
import { schemaErrors } from '#schema';
import { damageOf, importText, suffix } from '../bulk/support.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { connectToEach, startWithWorkers } from '../workers/crew.ts';

const subschema = 'cn=Subschema';
const arc = '1.3.6.1.4.1.32473.2';
const badge = `( ${arc}.1 NAME 'badgeNumber' SUP cn )`;
const holder = `( ${arc}.2 NAME 'badgeHolder' SUP top AUXILIARY MAY badgeNumber )`;
const bob = `uid=bob,ou=people,${suffix}`;
const changes = [
  { operation: 'add' as const, attribute: { description: 'attributeTypes', values: [utf8(badge)] } },
  { operation: 'add' as const, attribute: { description: 'objectClasses', values: [utf8(holder)] } },
];
const attributes = [
  { description: 'objectClass', values: ['inetOrgPerson', 'badgeHolder'].map(utf8) },
  ...['uid', 'cn', 'sn'].map((description) => ({ description, values: [utf8('bob')] })),
  { description: 'badgeNumber', values: [utf8('A 7')] },
];

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-subschema-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Over the operators' socket of a service on a folder. */
async function operators(dataDir: string) {
  return await connectOperators({ socketPath: join(dataDir, 'ldapi') });
}

async function fill(dataDir: string): Promise<void> {
  await using client = await operators(dataDir);
  await client.actor.modify(subschema, changes);
  await client.actor.add(bob, attributes);
}

async function isThere(t: ExecutionContext, dataDir: string): Promise<void> {
  await using atrium = await startTestAtrium({ dataDir });
  await using client = await operators(atrium.dataDir);
  const filter = { kind: 'equality' as const, description: 'cn', value: utf8('a 7') };
  const { entries } = await client.actor.search({ base: suffix, scope: 'sub', filter });
  t.deepEqual(
    entries.map(({ dn }) => dn),
    [bob],
    'found under the supertype of a type that was added',
  );
}

test('what was added to the schema is there after a restart, and doctor finds nothing', async (t) => {
  const dataDir = folder(t);
  const atrium = await startTestAtrium({ dataDir });
  await fill(dataDir);
  await atrium.stop();
  await isThere(t, dataDir);
  t.deepEqual(await damageOf(dataDir), []);
});

test('what was added and answered is there after kill -9', async (t) => {
  const dataDir = folder(t);
  const { child, until } = startCli(['serve'], testEnvironment(dataDir));
  t.teardown(() => child.kill('SIGKILL'));
  await until('ldapi');
  await fill(dataDir);
  child.kill('SIGKILL');
  await once(child, 'close');
  await isThere(t, dataDir);
});

test('an export begins with the definitions that were added, and an import reads by them what follows; so do backup and restore', async (t) => {
  const [from, to, again, third] = [folder(t), folder(t), folder(t), folder(t)];
  const atrium = await startTestAtrium({ dataDir: from });
  await fill(from);
  const running = await runCli(['export'], testEnvironment(from));
  t.is(running.status, 0, running.stderr);
  await atrium.stop();
  const plain = await runCli(['export'], testEnvironment(from));
  t.is(plain.status, 0, plain.stderr);
  t.regex(plain.stdout, /^version: 1\n+dn: cn=Subschema\n/);
  const records = (text: string) => text.split('\n\n');
  t.deepEqual(records(running.stdout).slice(0, 2), records(plain.stdout).slice(0, 2));
  t.like(await importText(to, plain.stdout), { kind: 'imported' });
  await isThere(t, to);
  t.deepEqual(await damageOf(to), []);

  const whole = await runCli(['export', '--operational', '--secrets'], testEnvironment(from));
  t.like(await importText(again, whole.stdout), { kind: 'imported' });
  t.is((await runCli(['export', '--operational', '--secrets'], testEnvironment(again))).stdout, whole.stdout);

  const file = join(third, 'backup');
  t.is((await runCli(['backup', file], testEnvironment(from))).status, 0);
  t.is((await runCli(['restore', file], testEnvironment(join(third, 'data')))).status, 0);
  await isThere(t, join(third, 'data'));
});

test('every thread takes a new schema over before its change is answered', async (t) => {
  await using atrium = await startWithWorkers(2);
  const connections = await connectToEach(atrium, 3, 1);
  for (const [at, { lane: writer }] of connections.entries()) {
    const definition = `( ${arc}.${10 + at} NAME 'worn${at}' SUP name )`;
    const change = { operation: 'add' as const, attribute: { description: 'attributeTypes', values: [utf8(definition)] } };
    t.is((await writer.send({ kind: 'modifyRequest', object: subschema, changes: [change] }).answer)?.code, 0);
    for (const [other, { lane }] of connections.entries()) {
      const uid = `w${at}${other}`;
      const own = attributes.slice(1, 4).map((each) => ({ ...each, values: [utf8(uid)] }));
      const more = { description: `worn${at}`, values: [utf8('red')] };
      const classes = { description: 'objectClass', values: ['inetOrgPerson', 'extensibleObject'].map(utf8) };
      const entry = `uid=${uid},ou=people,${suffix}`;
      t.is((await lane.send({ kind: 'addRequest', entry, attributes: [classes, ...own, more] }).answer)?.code, 0, `thread ${other}`);
    }
    const removal = { ...change, operation: 'delete' as const };
    const refused = await connections[0]?.lane.send({ kind: 'modifyRequest', object: subschema, changes: [removal] }).answer;
    t.is(refused?.code, schemaErrors.definitionInUse.sees.ldap);
  }
});

test('further schema files are read from a folder at start, and an unusable one stops it with file and line', async (t) => {
  const dataDir = folder(t);
  mkdirSync(join(dataDir, 'schema'));
  writeFileSync(
    join(dataDir, 'schema', 'own.schema'),
    `objectidentifier own ${arc}\n\nattributetype ( own:1 NAME 'badgeNumber' SUP cn )\n`,
  );
  writeFileSync(
    join(dataDir, 'schema', 'own.ldif'),
    `dn: cn=own,cn=schema,cn=config\nobjectClass: olcSchemaConfig\ncn: own\nolcObjectClasses: {0}${holder}\n`,
  );
  {
    await using atrium = await startTestAtrium({ dataDir });
    await using client = await operators(atrium.dataDir);
    await client.actor.add(bob, attributes);
    const removed = client.actor.modify(subschema, [
      { operation: 'delete', attribute: { description: 'objectClasses', values: [utf8(holder)] } },
    ]);
    await t.throwsAsync(async () => await removed, { message: /built in, or comes from a schema file/ });
  }
  writeFileSync(join(dataDir, 'schema', 'wrong.schema'), `# a comment\n\nattributetype ( ${arc}.9 NAME 'x'\n  SUP nothing )\n`);
  await t.throwsAsync(() => startTestAtrium({ dataDir }), { message: /wrong\.schema line 3: unknown supertype 'nothing'/ });
  await t.throwsAsync(() => startTestAtrium({ dataDir, settings: { STS_SCHEMA_FOLDER: 'absent' } }), {
    message: /there is no such folder/,
  });
  t.truthy(readFileSync(join(dataDir, 'schema', 'own.schema')));
});
