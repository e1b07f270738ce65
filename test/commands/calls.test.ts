import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commands } from '#commands';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { useDemo } from './demo-walk.ts';

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-cli-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A demo on ports of the system's choice. */
function demoEnvironment(dataDir: string): Readonly<Record<string, string>> {
  const ports = { STS_LDAP_PORT: '0', STS_LDAP_TLS_PORT: '0', STS_HTTP_PORT: '0', STS_HTTP_TLS_PORT: '0' };
  return { ...ports, STS_GLOBAL_DATA_DIR: dataDir, STS_SECURITY_PASSWORD_HASH_LOG_N: '14', STS_SECURITY_PASSWORD_HASH_R: '1' };
}

test('help names every command, and each command has help of its own', async (t) => {
  const all = await runCli(['help'], {});
  t.is(all.status, 0);
  for (const name of Object.keys(commands)) {
    t.true(all.stdout.includes(`atrium ${name}`), name);
    const one = await runCli([name, '--help'], {});
    t.is(one.status, 0);
    t.true(one.stdout.startsWith(`atrium ${name}`), name);
  }
});

test('a mistake in the call is told in one line with the way to help, and status 2', async (t) => {
  const mistakes: readonly (readonly string[])[] = [
    ['dance'],
    ['serve', 'now'],
    ['search'],
    ['search', '(uid=x'],
    ['search', '(((('],
    ['search', 'x', '--scope', 'deep'],
    ['search', 'x', '--limit', '-1'],
    ['search', 'x', '--loud'],
    ['import'],
    ['import', 'no-such-file.ldif'],
    ['demo', '--mode', 'test'],
    ['demo', '--mode'],
  ];
  for (const args of mistakes) {
    const { status, stdout, stderr } = await runCli(args, testEnvironment(join(folder(t), 'data')));
    t.is(status, 2, args.join(' '));
    t.is(stdout, '');
    t.regex(stderr, /^atrium: .*\. See: atrium .*\n$/, args.join(' '));
  }
});

test('without a running service a search says so and names what starts one', async (t) => {
  const { status, stderr } = await runCli(['search', 'uid=admin'], testEnvironment(join(folder(t), 'data')));
  t.is(status, 4);
  t.regex(stderr, /no service answers here.*npm start/);
});

test('serve prints one ready line with every address, and ends with status 0 on SIGTERM', async (t) => {
  const environment = testEnvironment(join(folder(t), 'data'));
  const service = startCli(['serve'], environment);
  await service.until('\n');
  service.child.kill('SIGTERM');
  const { status, stdout } = await service.ended;
  t.is(status, 0);
  t.regex(stdout, /^ready ldap:\/\/\S+ ldaps:\/\/\S+ ldapi:\/\/\S+ http:\/\/\S+ https:\/\/\S+\n$/);
});

test('one Ctrl-C that arrives several times, as npm and the runner forward it, ends serve in order and with status 0', async (t) => {
  const service = startCli(['serve'], testEnvironment(join(folder(t), 'data')));
  await service.until('\n');
  service.child.kill('SIGINT');
  service.child.kill('SIGTERM');
  const { status, stderr } = await service.ended;
  t.is(status, 0, stderr);
  t.notRegex(stderr, /Error/);
});

test('serve stands in product mode unless told otherwise, and product mode does not start without a key-encryption key', async (t) => {
  const { STS_KEYS_KEK: _, ...environment } = testEnvironment(join(folder(t), 'data'));
  const { status, stdout, stderr } = await runCli(['serve'], environment);
  t.is(status, 1);
  t.is(stdout, '');
  t.regex(stderr, /\[STS-KEYS-0002\]/);
});

test('a second process on the same folder is told who has it', async (t) => {
  const environment = testEnvironment(join(folder(t), 'data'));
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const { status, stderr } = await runCli(['serve'], environment);
  t.is(status, 1);
  t.regex(stderr, new RegExp(`\\[STS-STORE-9002\\].*${service.child.pid}`));
});

test('the demo makes its folder, prints names, passwords and an application that work, and a second start finds everything as it was left', async (t) => {
  const dataDir = join(folder(t), 'demo');
  // The addresses of its people are invented, and nobody has confirmed them.
  const environment = { ...demoEnvironment(dataDir), STS_MAIL_RESET_REQUIRES_VERIFIED_ADDRESS: 'false' };
  const first = startCli(['demo'], environment);
  t.teardown(() => first.child.kill('SIGKILL'));
  const said = await first.until('Ctrl-C stops it');
  t.regex(said, /Sign in +http:\/\/localhost:\d+/);
  t.regex(said, /Administrator +admin +password \S+ +\(shown this once\)/);
  const password = /Demo person +\S+ +password (\S+)/.exec(said)?.[1];
  t.is((statSync(join(dataDir, 'kek')).mode & 0o777).toString(8), '600');
  const people = await runCli(['search', 'objectClass=posixAccount', '1.1'], environment);
  t.true((people.stdout.match(/^dn:/gm) ?? []).length >= 200);
  await useDemo(t, said, 'dkhalil', password ?? '');
  first.child.kill('SIGINT');
  t.is((await first.ended).status, 0);

  const kek = readFileSync(join(dataDir, 'kek'), 'utf8');
  const second = startCli(['demo'], environment);
  t.teardown(() => second.child.kill('SIGKILL'));
  const again = await second.until('Ctrl-C stops it');
  t.is(/Demo person +\S+ +password (\S+)/.exec(again)?.[1], password);
  t.false(again.includes('shown this once'));
  t.is((await runCli(['search', 'objectClass=posixAccount', '1.1'], environment)).stdout, people.stdout);
  t.is(readFileSync(join(dataDir, 'kek'), 'utf8'), kek);
  const tooEarly = await runCli(['reset'], environment);
  t.is(tooEarly.status, 2);
  t.regex(tooEarly.stderr, /the demo is running/);
  second.child.kill('SIGTERM');
  t.is((await second.ended).status, 0);

  const unasked = await runCli(['reset'], environment);
  t.is(unasked.status, 2);
  t.regex(unasked.stderr, /nothing was done: there is no terminal to ask on, and --yes was not given/);
  t.true(existsSync(dataDir));
  t.is((await runCli(['reset', '--yes'], environment)).status, 0);
  t.false(existsSync(dataDir));
  t.is((await runCli(['reset'], environment)).status, 0, 'there is nothing more to throw away');
});

test('reset removes no folder that the demo did not make', async (t) => {
  const dataDir = join(folder(t), 'precious');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'entries'), 'x');
  const { status } = await runCli(['reset'], { STS_GLOBAL_DATA_DIR: dataDir });
  t.is(status, 2);
  t.true(existsSync(join(dataDir, 'entries')));
});
