import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { formatLdifRecord } from '#ldap';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { generatePeople } from '../support/people.ts';

const cli = join(import.meta.dirname, '../../atrium.mjs');

interface Filled {
  readonly base: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A folder with more people than a pipe takes at a time. */
async function filled(t: ExecutionContext): Promise<Filled> {
  const base = mkdtempSync(join(tmpdir(), 'atrium-export-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const environment = testEnvironment(join(base, 'data'));
  let people = '';
  for (const record of generatePeople({ count: 500, seed: 5, suffix: 'dc=example,dc=com' })) people += formatLdifRecord(record);
  writeFileSync(join(base, 'people.ldif'), people);
  const { status, stderr } = await runCli(['import', join(base, 'people.ldif')], environment);
  t.is(status, 0, stderr);
  return { base, environment };
}

/** @param output  a file descriptor, or nothing for a reader that goes away after the first octets */
function exported(environment: Readonly<Record<string, string>>, output?: number) {
  const env = { PATH: process.env['PATH'], ...environment };
  const child = spawn(process.execPath, [cli, 'export'], { env, stdio: ['ignore', output ?? 'pipe', 'pipe'] });
  child.stdout?.once('data', () => child.stdout?.destroy());
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise<{ readonly status: number | null; readonly stderr: string }>((resolve) =>
    child.once('exit', (status) => resolve({ status, stderr })),
  );
}

test('an export whose reader goes away ends without a word', async (t) => {
  const { environment } = await filled(t);
  t.deepEqual(await exported(environment), { status: 1, stderr: '' });
});

test('an export to a full disk says so', async (t) => {
  if (!existsSync('/dev/full')) return void t.pass('the system has no full disk to write to');
  const { environment } = await filled(t);
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  t.deepEqual(await exported(environment, full), { status: 1, stderr: 'atrium: standard output cannot be written: ENOSPC\n' });
});

test('an export overwrites nothing, and says why a file cannot be made', async (t) => {
  const { base, environment } = await filled(t);
  const there = join(base, 'there.ldif');
  writeFileSync(there, 'precious');
  const refused = await runCli(['export', there], environment);
  t.is(refused.status, 2);
  t.is(refused.stderr, `atrium: ${there} exists already. See: atrium export --help\n`);
  t.is(readFileSync(there, 'utf8'), 'precious');

  const nowhere = join(base, 'nowhere', 'out.ldif');
  const lost = await runCli(['export', nowhere], environment);
  t.is(lost.status, 1);
  t.is(lost.stderr, `atrium: ${nowhere} cannot be written: ENOENT\n`);
});
