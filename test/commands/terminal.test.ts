import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { runLdapTool } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { onTerminal } from '../support/terminal.ts';

const suffix = 'dc=example,dc=com';
const ada = `uid=ada,ou=people,${suffix}`;
const password = 'Correct-horse-8-battery';
let template = '';

test.before(async (t) => {
  template = mkdtempSync(join(tmpdir(), 'atrium-terminal-'));
  const atrium = await startTestAtrium({ dataDir: template });
  await atrium.stop();
  t.is((await runCli(['person', 'add', 'ada', '--cn', 'Ada Lovelace'], testEnvironment(template))).status, 0);
});

test.after.always(() => rmSync(template, { recursive: true, force: true }));

function environmentOf(t: ExecutionContext) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-terminal-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const dataDir = join(base, 'data');
  cpSync(template, dataDir, { recursive: true });
  return { dataDir, environment: testEnvironment(dataDir) };
}

const terminal = withPrograms(test, 'script', 'ldapsearch');

terminal('a password is typed twice and never shown; it is the good one from then on', async (t) => {
  const { environment, dataDir } = environmentOf(t);
  const setting = onTerminal('person set-password ada', environment);
  await setting.until(`New password of ${ada}: `);
  setting.type(`wrong\x15${password}x\x7f\r`);
  await setting.until('Once more: ');
  setting.type(`${password}\r`);
  const { status, shown } = await setting.ended;
  t.is(status, 0, shown);
  t.false(shown.includes('Correct'), shown);
  await using atrium = await startTestAtrium({ dataDir });
  t.is((await runLdapTool('ldapwhoami', { url: atrium.addresses.ldap ?? '', dn: ada, password }, [])).status, 0);
});

terminal('two passwords that differ are none, and Ctrl-C ends the question with status 130 and leaves nothing open', async (t) => {
  const { environment, dataDir } = environmentOf(t);
  const differing = onTerminal('person set-password ada', environment);
  await differing.until('New password');
  differing.type('one\rtwo\r');
  const { status, shown } = await differing.ended;
  t.is(status, 2);
  t.regex(shown, /the two are not the same: nothing was done/);
  const leaving = onTerminal('person set-password ada', environment);
  await leaving.until('New password');
  leaving.type('one\x03');
  t.is((await leaving.ended).status, 130);
  t.deepEqual(readdirSync(join(dataDir, 'run')), [], 'no socket is left');
  t.is((await runCli(['person', 'show', 'ada'], environment)).status, 0, 'the folder is free');
});

terminal('what destroys asks to type the name: with another word nothing is done, with the name it is', async (t) => {
  const { environment } = environmentOf(t);
  const wrong = onTerminal('person remove ada', environment);
  await wrong.until('Type ada to go on: ');
  wrong.type('yes\r');
  const first = await wrong.ended;
  t.is(first.status, 2);
  t.regex(first.shown, /This removes uid=ada,.* \(Ada Lovelace\)[\s\S]*that is not the name: nothing was done/);
  const leaving = onTerminal('person remove ada', environment);
  await leaving.until('Type ada to go on: ');
  leaving.type('\x03');
  t.is((await leaving.ended).status, 130);
  const right = onTerminal('person remove ada', environment);
  await right.until('Type ada to go on: ');
  right.type('ada\r');
  t.is((await right.ended).status, 0);
  t.is((await runCli(['person', 'show', 'ada'], environment)).status, 3);
});

terminal(
  'a folder that a command has open is nobody else’s meanwhile, who are told who has it; any end of it frees the folder',
  async (t) => {
    const { environment, dataDir } = environmentOf(t);
    for (const [signal, status] of [
      ['SIGTERM', 130],
      ['SIGKILL', 137],
    ] as const) {
      const holding = onTerminal('person set-password ada', environment);
      await holding.until('New password');
      const { pid } = JSON.parse(readFileSync(join(dataDir, 'lock.holder'), 'utf8')) as { pid: number };
      t.deepEqual(readdirSync(join(dataDir, 'run')), ['tool'], 'a private socket and no other');
      for (const line of [['person', 'list'], ['serve']]) {
        const other = await runCli(line, environment);
        t.is(other.status, line[0] === 'serve' ? 1 : 4);
        t.regex(other.stderr, new RegExp(`\\[STS-STORE-9002\\].*process ${pid}`), line.join(' '));
      }
      process.kill(pid, signal);
      const ended = await holding.ended;
      t.is(ended.status, status, ended.shown);
      t.is((await runCli(['person', 'list'], environment)).status, 0);
      t.deepEqual(readdirSync(join(dataDir, 'run')), []);
    }
  },
);

test('where there is no directory, a command says so with status 4 and makes none', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'atrium-terminal-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const dataDir = join(base, 'data');
  const { status, stderr } = await runCli(['person', 'list'], testEnvironment(dataDir));
  t.is(status, 4);
  t.regex(stderr, /no service answers here, and there is no directory in this folder, .*npm start/);
  t.false(existsSync(dataDir));
});

terminal('a table fits the terminal, wide letters counted, and is whole in a pipe', async (t) => {
  const { environment } = environmentOf(t);
  const name = '東京都千代田区丸の内一丁目の長い名前の人物';
  t.is((await runCli(['person', 'add', 'tokyo', '--cn', name, '--mail', 'somebody.with.a.long.name@example.com'], environment)).status, 0);
  const { shown } = await onTerminal('person list tokyo', environment, 40).ended;
  const line = shown.split('\n').find((each) => each.startsWith('tokyo')) ?? '';
  t.is(line, 'tokyo  東京都千代田区…  somebody.with…');
  t.true((await runCli(['person', 'list', 'tokyo'], environment)).stdout.includes(`${name}  somebody.with.a.long.name@example.com`));
});

test('the folder of the demo is opened without naming the key that the demo made', async (t) => {
  const { environment, dataDir } = environmentOf(t);
  const { STS_KEYS_KEK, ...without } = environment;
  writeFileSync(join(dataDir, 'demo'), '');
  t.is((await runCli(['person', 'list'], without)).status, 4, 'no key is there');
  writeFileSync(join(dataDir, 'kek'), STS_KEYS_KEK ?? '', { mode: 0o600 });
  t.is((await runCli(['person', 'list'], without)).status, 0);
});
