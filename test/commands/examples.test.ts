import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ExampleRow, OperationRow } from '#catalogue';
import { commands } from '#commands';
import { managedRows } from '../../src/commands/managed-rows.ts';
import { makeBlob, makeSigner } from '../factors/attestation/blobs.ts';
import { makeCertificate } from '../factors/attestation/make.ts';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { lendCli } from '../support/lent-cli.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The files that examples name, and that lie where an example is run. A row here belongs to a command; `all` to every one.
 * The directory of each example is the demo realm's, in a folder of its own.
 */
const fixtures: Readonly<Record<string, Readonly<Record<string, string | (() => Buffer)>>>> = {
  all: {
    'people.ldif': ['ann', 'bob']
      .map((uid) => `dn: uid=${uid},ou=people,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n`)
      .join('\n'),
    'own.schema': "attributetype ( 1.3.6.1.4.1.32473.4.1 NAME 'locker' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )\n",
    'more.ldif':
      "dn: cn=more,cn=schema,cn=config\nobjectClass: olcSchemaConfig\ncn: more\nolcObjectClasses: ( 1.3.6.1.4.1.32473.4.2 NAME 'lockable' SUP top AUXILIARY MAY locker )\n",
    'password.txt': 'Correct-horse-8-battery\n',
    'wanted.ldif': () => readFileSync(join(template, 'wanted.ldif')),
    'changes.ldif': 'dn: uid=dkhalil,ou=people,dc=example,dc=com\nchangetype: modify\nreplace: roomNumber\nroomNumber: BER-1.01\n',
    kek: 'a key-encryption key of forty octets or so',
  },
  'metadata show': {
    'blob.jwt': () => readFileSync(join(template, 'blob.jwt')),
    'roots.pem': () => readFileSync(join(template, 'roots.pem')),
  },
  'metadata install': {
    'blob.jwt': () => readFileSync(join(template, 'blob.jwt')),
    'roots.pem': () => readFileSync(join(template, 'roots.pem')),
  },
  restore: { 'monday.sqlite': () => readFileSync(join(template, 'monday.sqlite')) },
};

/** Examples whose folder has no directory. */
const inEmptyFolder = new Set(['atrium restore monday.sqlite']);
/** What runs until it is told to end: it is, when it is ready. */
const lasting: Readonly<Record<string, string>> = { serve: 'ready ', web: 'ready ', demo: 'Ctrl-C stops it' };

let template = '';
let lent: AsyncDisposable | undefined;

/** Folders below the template in each of which there is a program `atrium`: as it is, and one whose commands run in this process. */
const programs = { process: 'bin', here: 'lent' } as const;

test.before(async (t) => {
  template = mkdtempSync(join(tmpdir(), 'atrium-examples-'));
  const environment = testEnvironment(join(template, 'data'));
  const imported = await runCli(['import', join(root, 'ldif/demo.ldif')], environment);
  t.is(imported.status, 0, imported.stderr);
  const kept = await runCli(['backup', join(template, 'monday.sqlite')], environment);
  t.is(kept.status, 0, kept.stderr);
  const written = await runCli(['realm', 'export', 'default', join(template, 'wanted.ldif')], environment);
  t.is(written.status, 0, written.stderr);
  const metadataRoot = await makeCertificate({ subject: 'CN=Metadata Root' });
  writeFileSync(join(template, 'roots.pem'), metadataRoot.pem);
  writeFileSync(join(template, 'blob.jwt'), makeBlob(await makeSigner(metadataRoot)));
  for (const folder of Object.values(programs)) mkdirSync(join(template, folder));
  lent = await lendCli(join(template, programs.here));
  writeFileSync(join(template, programs.process, 'atrium'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'atrium.mjs')}' "$@"\n`, {
    mode: 0o755,
  });
});

test.after.always(async () => {
  await (await standing)?.service.stop();
  await lent?.[Symbol.asyncDispose]();
  rmSync(template, { recursive: true, force: true });
});

/** A folder for one example, with the files that it names and a directory. */
function prepare(t: ExecutionContext, name: string, line: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-example-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, content] of Object.entries({ ...fixtures['all'], ...fixtures[name] }))
    writeFileSync(join(folder, file), typeof content === 'string' ? content : content(), { mode: 0o600 });
  const isNew = inEmptyFolder.has(line) || name === 'demo' || name === 'reset';
  if (!isNew) cpSync(join(template, 'data'), join(folder, 'data'), { recursive: true });
  return folder;
}

let standing: Promise<{ readonly folder: string; readonly service: TestAtrium }> | undefined;

/** The folder of one service for all commands that are made of operations: one for each example would take longer than all else. */
async function standingFolder(): Promise<string> {
  standing ??= (async () => {
    const folder = join(template, 'standing');
    mkdirSync(folder);
    cpSync(join(template, 'data'), join(folder, 'data'), { recursive: true });
    return { folder, service: await startTestAtrium({ dataDir: join(folder, 'data') }) };
  })();
  return (await standing).folder;
}

/** Runs a line as it stands, save that ports are of the system's choice. */
function runLine(
  line: string,
  folder: string,
  how: keyof typeof programs,
): { readonly child: ChildProcess; readonly ended: Promise<string>; said: () => string } {
  const { STS_KEYS_KEK, ...environment } = testEnvironment(join(folder, 'data'));
  const key = line.includes('STS_KEYS_KEK_FILE') ? {} : { STS_KEYS_KEK };
  const child = spawn('sh', ['-c', `trap : TERM\n${line.replace(/(_PORT)=\d+/g, '$1=0')}`], {
    cwd: folder,
    env: { ...environment, ...key, PATH: [join(template, programs[how]), process.env['PATH']].join(delimiter), HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<string>((resolve) => child.once('close', (status) => resolve(`${status}`)));
  return { child, ended, said: () => text };
}

async function runExample(
  t: ExecutionContext,
  name: string,
  { on }: OperationRow,
  { line, status = 0 }: ExampleRow,
  how: keyof typeof programs,
  standing?: string,
): Promise<void> {
  const folder = standing ?? prepare(t, name, line);
  const script = /^(?:STS_\S+ )*npm (?:run )?(\w+)$/.exec(line)?.[1];
  if (script !== undefined) {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    t.regex(scripts[script] ?? '', new RegExp(`atrium\\.mjs ${name}\\b`), line);
    return;
  }
  // The command is the subject; the service that it speaks to need not be a process.
  await using _service =
    standing === undefined && (on === 'running' || name === 'web') ? await startTestAtrium({ dataDir: join(folder, 'data') }) : undefined;
  const { child, ended, said } = runLine(line, folder, how);
  const ready = lasting[name];
  if (ready !== undefined) child.stdout?.on('data', () => void (said().includes(ready) && process.kill(-(child.pid as number), 'SIGTERM')));
  const ending = await ended;
  t.is(ending, String(status), `${line}: ${said()}`);
}

/**
 * What a command loads is its own, and what its process writes and how that ends is proved by one example of it: the first that is done. Those that are
 * made of operations are one piece of code, so that one of them is enough. What lasts is ended by signals, always as a process.
 */
const [anyManaged] = Object.keys(managedRows);
function asProcess(name: string, { examples }: OperationRow): readonly ExampleRow[] {
  if (Object.hasOwn(lasting, name)) return examples;
  if (Object.hasOwn(managedRows, name) && name !== anyManaged) return [];
  const lines = examples.filter(({ line }) => !line.includes('npm '));
  return [lines.find(({ status = 0 }) => status === 0) ?? lines[0]].flatMap((each) => each ?? []);
}

for (const [name, row] of Object.entries<OperationRow>(commands)) {
  const where = Object.hasOwn(managedRows, name) ? 'at a service' : 'in a fresh folder';
  test.serial(`every example in the help of atrium ${name} runs ${where} and ends as the help says`, async (t) => {
    const standing = Object.hasOwn(managedRows, name) ? await standingFolder() : undefined;
    const processes = asProcess(name, row);
    for (const example of row.examples) await runExample(t, name, row, example, processes.includes(example) ? 'process' : 'here', standing);
  });
}
