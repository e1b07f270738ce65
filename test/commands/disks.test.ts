import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { testEnvironment } from '../support/atrium.ts';
import { type Ended, runCli } from '../support/cli.ts';
import { diskFolder } from '../support/disk.ts';
import { observeLog } from '../support/observed.ts';
import { withPrograms } from '../support/programs.ts';

const root = dirname(dirname(import.meta.dirname));
const suffix = 'dc=example,dc=com';
const people = Array.from(
  { length: 200 },
  (_, at) =>
    `dn: uid=p${at},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: p${at}\ncn: p\nsn: p\ndescription: ${'x'.repeat(400)}\n\n`,
).join('');

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(diskFolder(), 'atrium-disks-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Runs `atrium` under another program. */
function under(program: readonly string[], dataDir: string, ...args: readonly string[]): Promise<Ended> {
  const [command = '', ...rest] = [...program, process.execPath, join(root, 'atrium.mjs'), ...args];
  const env = { PATH: process.env['PATH'] ?? '', ...testEnvironment(dataDir) };
  return new Promise((resolve) => {
    execFile(command, rest, { env }, (error, stdout, stderr) => {
      observeLog(stderr);
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** What is mounted goes with the process that it was mounted for. */
const mounting = (line: string) => ['unshare', '-m', 'sh', '-c', `${line} && exec "$@"`, 'sh'];

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

const withMounts = mayMount() ? test : test.skip;

withMounts('a backup onto a disk without room says so in words, with its code, and what to do', async (t) => {
  const base = folder(t);
  const [dataDir, small] = [join(base, 'data'), join(base, 'small')];
  mkdirSync(small);
  t.is((await runCli(['import', '-'], testEnvironment(dataDir), people)).status, 0);
  const { status, stderr } = await under(mounting(`mount -t tmpfs -o size=64k none ${small}`), dataDir, 'backup', join(small, 'copy'));
  t.is(status, 1, stderr);
  t.regex(
    stderr,
    /\[STS-STORE-9009\] copy could not be written, and nothing of it was kept: its disk has no room left: make some there \((SQLITE_FULL|ENOSPC)\)/,
  );
});

withMounts('a folder of a service on a medium that nobody can write is refused with what to do, and a backup there is read', async (t) => {
  const base = folder(t);
  const [dataDir, medium] = [join(base, 'data'), join(base, 'medium')];
  t.is((await runCli(['import', '-'], testEnvironment(dataDir), people)).status, 0);
  t.is((await runCli(['backup', join(dataDir, 'copy')], testEnvironment(dataDir))).status, 0);
  // Who only reads leaves the log behind.
  for (const end of ['wal', 'shm']) rmSync(join(dataDir, `directory.sqlite-${end}`), { force: true });
  mkdirSync(medium);
  const fixed = mounting(`mount --bind ${dataDir} ${medium} && mount -o remount,ro,bind ${medium}`);
  for (const [command, expected] of [
    ['doctor', 4],
    ['backup', 1],
    ['export', 1],
  ] as const) {
    const { status, stderr } = await under(fixed, medium, command, ...(command === 'doctor' ? [] : [join(base, command)]));
    t.is(status, expected, `${command}: ${stderr}`);
    t.regex(
      stderr,
      /\[STS-STORE-9850\] directory\.sqlite is read by means of a log beside it.*: copy its folder to where this user may write/,
      command,
    );
  }
  const restored = await under(fixed, join(base, 'again'), 'restore', join(medium, 'copy'));
  t.is(restored.status, 0, restored.stderr);
});

test('what the disk does not give of the change log or of the entries is told in words with a code', async (t) => {
  const base = folder(t);
  const dataDir = join(base, 'data');
  // Into one with more than its frame, so that each entry is a change of its own.
  for (const text of [people, people.replaceAll('uid=p', 'uid=q').replaceAll('uid: p', 'uid: q')])
    t.is((await runCli(['import', '-'], testEnvironment(dataDir), text)).status, 0);
  const database = new Database(join(dataDir, 'directory.sqlite'));
  database.unsafeMode();
  database.pragma('writable_schema = ON');
  for (const table of ['change', 'entry']) {
    // Trees that are rooted in pages of another kind cannot be read.
    database
      .prepare("UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'found') WHERE name = ?")
      .run(table);
  }
  database.close();
  for (const command of [
    ['changes', '--since', '0'],
    ['backup', join(base, 'copy')],
    ['export', join(base, 'all.ldif')],
  ]) {
    const { status, stderr } = await runCli(command, testEnvironment(dataDir));
    t.is(status, 1, `${command[0]}: ${stderr}`);
    t.regex(
      stderr,
      /\[STS-STORE-90(05|10)\] directory\.sqlite .*it is damaged: atrium doctor says how, .* \(SQLITE_CORRUPT\w*\)/,
      command[0],
    );
  }
});

withPrograms(test, 'strace')(
  'a folder of an older format is migrated, with a copy of it, where the file system has no hard links',
  async (t) => {
    for (const error of ['EPERM', 'EOPNOTSUPP', 'EXDEV', 'EMLINK']) {
      const dataDir = join(folder(t), 'data');
      cpSync(join(root, 'test', 'fixtures', 'folder-format-1'), dataDir, { recursive: true });
      const linkless = ['strace', '-f', '-qq', '-o', '/dev/null', '--seccomp-bpf', '-e', `inject=link,linkat:error=${error}`];
      const { status, stderr } = await under(linkless, dataDir, 'doctor', '--repair');
      t.is(status, 0, stderr);
      const kept = new Database(join(dataDir, 'directory.sqlite.format-1'), { readonly: true });
      t.is(kept.pragma('user_version', { simple: true }), 1);
      kept.close();
      t.false(existsSync(join(dataDir, 'directory.sqlite.format-1.2')));
    }
  },
);
