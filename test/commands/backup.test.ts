import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { systemClock } from '#base';
import { type Context, commands, readGiven } from '#commands';
import { backUpFolder, restoreFolder } from '../../src/wiring/folder/upkeep.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli, spawnCli, startCli } from '../support/cli.ts';

const root = dirname(dirname(import.meta.dirname));
const suffix = 'dc=example,dc=com';
const fixture = join(import.meta.dirname, '..', 'fixtures', 'folder-format-1');
/** A moment at which the session of the fixture is good, and that session. */
const then = Date.UTC(2026, 10, 21, 3, 45);
const cookie = 'sts_session=XaMgvTYPlYcVzkRT9ao_mQ.hJ0Vy6N42oahpfE2tEOcCTavbxuQbNb70Z4BeX9dbgA';

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-cli-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function person(uid: string): string {
  return `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nmail: ${uid}@example.com\n\n`;
}

async function well(t: ExecutionContext, args: readonly string[], dataDir: string, input = ''): Promise<string> {
  const { status, stdout, stderr } = await runCli(args, testEnvironment(dataDir), input);
  t.is(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const epochOf = (said: string) => Number(/epoch (\d+) begins/.exec(said)?.[1]);

/** Whether the fixture's session is still one. */
async function signedIn(dataDir: string): Promise<boolean> {
  await using atrium = await startTestAtrium({ dataDir, clock: { nowMs: () => then } });
  const { status } = await fetch(`${atrium.addresses.http}/portal`, { headers: { cookie }, redirect: 'manual' });
  return status === 200;
}

test('a backup made while writes go on is one moment of the directory: restored into an empty folder it is sound', async (t) => {
  const base = folder(t);
  const dataDir = join(base, 'data');
  const service = startCli(['serve'], testEnvironment(dataDir));
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const begun = JSON.parse(await well(t, ['doctor', '--json'], dataDir)).entries;
  const people = Array.from({ length: 600 }, (_, number) => person(`p${number}`));
  const writing = spawnCli(['import', '-'], testEnvironment(dataDir), people.join(''));
  let over = false;
  void writing.then(() => {
    over = true;
  });
  const files: string[] = [];
  do {
    const file = join(base, `backup-${files.length}`);
    const said = await well(t, ['backup', file], dataDir);
    t.regex(said, /^[\d,]+ entries up to change \d+ of epoch 1, [\d,]+ octets, read again and compared/);
    files.push(file);
  } while (!over);
  t.is((await writing).status, 0);
  t.is(statSync(files[0] ?? '').mode & 0o777, 0o600);
  t.deepEqual(
    readdirSync(base).sort(),
    ['data', ...files.map((file) => file.slice(base.length + 1))].sort(),
    'one file each, and nothing beside it',
  );
  for (const [number, file] of files.entries()) {
    const restored = join(base, `restored-${number}`);
    await well(t, ['restore', file], restored);
    const report = JSON.parse(await well(t, ['doctor', '--json'], restored));
    t.true(report.sound && report.entries >= begun && report.entries <= begun + people.length + 1, JSON.stringify(report));
    if (number > 1) break;
  }
});

test('what is restored is what was backed up, secrets and operational attributes included; what came later is gone', async (t) => {
  const base = folder(t);
  const [dataDir, file] = [join(base, 'data'), join(base, 'backup')];
  await well(t, ['import', '-'], dataDir, person('ann'));
  const before = await well(t, ['export', '--operational', '--secrets'], dataDir);
  await well(t, ['backup', file], dataDir);
  await well(t, ['import', '-'], dataDir, person('bob'));
  const refused = await runCli(['restore', file], testEnvironment(dataDir));
  t.is(refused.status, 2, 'a folder that has a directory is left alone');
  t.regex(refused.stderr, /--replace/);

  const said = await well(t, ['restore', '--replace', file], dataDir);
  t.is(await well(t, ['export', '--operational', '--secrets'], dataDir), before);
  const aside = /What was there before is in (\S+)/.exec(said)?.[1] ?? '';
  t.regex(await well(t, ['export'], aside), /^uid: bob$/m, 'the old one is whole where it was moved to');
  await well(t, ['doctor'], dataDir);
});

test('a restore ends all sessions, and an old state file that is put back brings none to life', async (t) => {
  const base = folder(t);
  const [dataDir, file] = [join(base, 'data'), join(base, 'backup')];
  cpSync(fixture, dataDir, { recursive: true });
  t.true(await signedIn(dataDir), 'the session is good before');
  await well(t, ['backup', file], dataDir);
  const said = await well(t, ['restore', '--replace', file], dataDir);
  t.false(await signedIn(dataDir));

  const aside = /What was there before is in (\S+)/.exec(said)?.[1] ?? '';
  for (const name of readdirSync(dataDir)) if (name.startsWith('state.sqlite')) rmSync(join(dataDir, name));
  renameSync(join(aside, 'state.sqlite'), join(dataDir, 'state.sqlite'));
  t.false(await signedIn(dataDir), 'the session is of the epoch before');
});

test('every restore begins an epoch of its own, greater than any before, and the audit trail tells of it', async (t) => {
  const base = folder(t);
  const [dataDir, file] = [join(base, 'data'), join(base, 'backup')];
  await well(t, ['import', '-'], dataDir, '');
  await well(t, ['backup', file], dataDir);
  const epochs: number[] = [];
  for (let time = 0; time < 3; time++) epochs.push(epochOf(await well(t, ['restore', '--replace', file], dataDir)));
  // Far in the future, as a clock that was wrong once leaves it.
  const database = new Database(join(dataDir, 'directory.sqlite'));
  database.exec("UPDATE fact SET value = '99000000000' WHERE name = 'epoch'");
  database.close();
  epochs.push(epochOf(await well(t, ['restore', '--replace', file], dataDir)));
  t.is(epochs[3], 99_000_000_001);
  t.true(
    epochs.every((epoch, at) => epoch > (epochs[at - 1] ?? 1)),
    epochs.join(' '),
  );
  t.is(readdirSync(dataDir).filter((name) => name.startsWith('replaced-')).length, 4, 'nothing is deleted');

  const audit = new Database(join(dataDir, 'audit.sqlite'), { readonly: true });
  const rows = audit.prepare<[], string>("SELECT summary FROM audit WHERE action = 'directory.restore' ORDER BY id").pluck().all();
  audit.close();
  t.deepEqual(rows.map(epochOf), epochs);
});

test('a backup never writes over a file, and leaves nothing when it cannot be written', async (t) => {
  const base = folder(t);
  const dataDir = join(base, 'data');
  await well(t, ['import', '-'], dataDir, '');
  const file = join(base, 'precious');
  writeFileSync(file, 'mine');
  const exists = await runCli(['backup', file], testEnvironment(dataDir));
  t.is(exists.status, 2);
  t.is(readFileSync(file, 'utf8'), 'mine');
  const nowhere = await runCli(['backup', join(base, 'nowhere', 'file')], testEnvironment(dataDir));
  t.is(nowhere.status, 1);
  t.regex(nowhere.stderr, /\[STS-STORE-9009\].*ENOENT/);
  const nothing = await runCli(['backup', join(base, 'other')], testEnvironment(join(base, 'empty')));
  t.is(nothing.status, 4);
  t.deepEqual(readdirSync(base).sort(), ['data', 'precious']);
});

test('a backup that is damaged, of another kind or of a newer Atrium is refused before anything in the folder is changed', async (t) => {
  const base = folder(t);
  const [dataDir, file] = [join(base, 'data'), join(base, 'backup')];
  await well(t, ['import', '-'], dataDir, person('ann'));
  await well(t, ['backup', file], dataDir);
  const before = readFileSync(join(dataDir, 'directory.sqlite'));
  const bad = (name: string, act: (path: string) => void): [string, string] => {
    const path = join(base, name);
    cpSync(file, path);
    act(path);
    return [name, path];
  };
  const cases: readonly (readonly [[string, string], RegExp])[] = [
    [bad('overwritten', (path) => writeSync(openSync(path, 'r+'), Buffer.alloc(8192, 0xa5), 0, 8192, 3 * 8192)), /\[STS-STORE-9010\]/],
    [bad('cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 40_000))), /\[STS-STORE-(9010|9005)\]/],
    [bad('text', (path) => writeFileSync(path, 'This is no backup, and long enough. '.repeat(50))), /\[STS-STORE-9005\]/],
    [bad('audit', (path) => cpSync(join(dataDir, 'audit.sqlite'), path)), /\[STS-STORE-9004\]/],
    [bad('newer', (path) => change(path, 'PRAGMA user_version = 99')), /\[STS-STORE-9003\]/],
  ];
  for (const [[name, path], words] of cases) {
    const { status, stderr } = await runCli(['restore', '--replace', path], testEnvironment(dataDir));
    t.is(status, 1, name);
    t.regex(stderr, words, name);
    t.true(readFileSync(join(dataDir, 'directory.sqlite')).equals(before), name);
  }
  t.deepEqual(
    readdirSync(dataDir).filter((name) => /replaced|new-/.test(name)),
    [],
  );
});

function change(path: string, query: string): void {
  const database = new Database(path);
  database.exec(query);
  database.close();
}

test('a backup of an older format is brought up to this one when it is restored', async (t) => {
  const base = folder(t);
  const old = join(base, 'old');
  cpSync(join(fixture, 'directory.sqlite'), old);
  const dataDir = join(base, 'data');
  await well(t, ['restore', old], dataDir);
  t.regex(await well(t, ['export'], dataDir), /^uid: ann$/m);
  t.false(existsSync(join(dataDir, 'directory.sqlite.format-1')), 'the backup itself is the copy to keep');
});

test('a restore into the folder of a running service is refused with who has it', async (t) => {
  const base = folder(t);
  const [dataDir, file] = [join(base, 'data'), join(base, 'backup')];
  const service = startCli(['serve'], testEnvironment(dataDir));
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  await well(t, ['backup', file], dataDir);
  const { status, stderr } = await runCli(['restore', '--replace', file], testEnvironment(dataDir));
  t.is(status, 1);
  t.regex(stderr, new RegExp(`\\[STS-STORE-9002\\].*${service.child.pid}`));
});

test('a signal in the middle ends a backup and a restore in order: everything is as it was, and nothing half is left', async (t) => {
  const base = folder(t);
  const [dataDir, file] = [join(base, 'data'), join(base, 'backup')];
  await well(t, ['import', '-'], dataDir, person('ann'));
  await well(t, ['backup', file], dataDir);
  const before = [readdirSync(base), readdirSync(dataDir).filter((name) => !/-(wal|shm)$/.test(name))];
  const options = { root, environment: testEnvironment(dataDir) };
  const terminal = new PassThrough().setEncoding('utf8');
  // A signal that came before the first page was copied.
  const context = {
    ...({} as Context),
    clock: systemClock,
    stderr: terminal as unknown as NodeJS.WriteStream,
    untilSignal: () => Promise.resolve(),
    backUp: (path: string, onProgress: Parameters<Context['backUp']>[1]) => backUpFolder(options, path, onProgress),
    restore: (path: string, how: Parameters<Context['restore']>[1]) => restoreFolder(options, path, how),
  };
  const stopped = { message: 'stopped; everything is as it was' };
  await t.throwsAsync(commands.backup.run(readGiven(commands.backup, [join(base, 'other')]), context), stopped);
  await t.throwsAsync(commands.restore.run(readGiven(commands.restore, ['--replace', file]), context), stopped);
  t.deepEqual([readdirSync(base), readdirSync(dataDir).filter((name) => !/-(wal|shm)$/.test(name))], before);
});

test('what a killed restore had begun to copy is gone after the next start', async (t) => {
  const dataDir = join(folder(t), 'data');
  mkdirSync(join(dataDir, 'directory.sqlite.new-abcdef'), { recursive: true });
  writeFileSync(join(dataDir, 'directory.sqlite.new-abcdef', 'copy'), 'half of it');
  await well(t, ['import', '-'], dataDir, '');
  t.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('.new-')),
    [],
  );
});

test('backup and restore want one file', async (t) => {
  const dataDir = join(folder(t), 'data');
  mkdirSync(dataDir);
  for (const args of [['backup'], ['backup', 'a', 'b'], ['restore'], ['restore', join(dataDir, 'none')], ['restore', dataDir]]) {
    t.is((await runCli(args, testEnvironment(dataDir))).status, 2, args.join(' '));
  }
});
