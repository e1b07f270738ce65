import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Client } from 'ldapts';
import { type Operation, operations } from '#admin';
import type { OperationRow } from '#catalogue';
import { commands } from '#commands';
import { secretAttributes, managedRows as written } from '../../src/commands/managed-rows.ts';
import { addPerson } from '../flows/people.ts';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli, spawnCli } from '../support/cli.ts';
import { managedRows, secretAttributes as secretAttributesNow } from './managed.ts';

/** Operations that no command does, or none that there is. */
function withoutCommand(table: readonly Pick<Operation, 'name' | 'command'>[]): string[] {
  if (table.length === 0) return ['there are no operations'];
  // The words of a command, and behind it words that its row has: an operand's value, or a flag.
  const rows: Readonly<Record<string, OperationRow>> = commands;
  const isThere = (command: string) => {
    const parts = command.split(' ');
    const own = [2, 1].map((count) => parts.slice(0, count).join(' ')).find((words) => Object.hasOwn(commands, words));
    const row = own === undefined ? undefined : rows[own];
    const [first] = row?.operands ?? [];
    return (
      parts.slice(own?.split(' ').length).every((word, at) => {
        if (word.startsWith('--')) return row?.options !== undefined && Object.hasOwn(row.options, word.slice(2));
        return at === 0 && Array.isArray(first?.type) && first.type.includes(word);
      }) && row !== undefined
    );
  };
  return table.flatMap(({ name, command }) => (isThere(command) ? [] : [`${name}: there is no atrium ${command}`]));
}

test('every operation of the table has a command that there is', (t) => {
  t.deepEqual(withoutCommand(operations), []);
  t.deepEqual(withoutCommand([{ name: 'users.dance', command: 'person dance' }]), ['users.dance: there is no atrium person dance']);
  for (const command of ['person', 'person app-password', 'person app-password lose', 'person list --gone', 'person list more'])
    t.is(withoutCommand([{ name: 'users.near', command }]).length, command === 'person app-password' ? 0 : 1, command);
  t.deepEqual(withoutCommand([]), ['there are no operations']);
});

test('what commands know of operations is what these say (node test/commands/manual.ts writes it)', (t) => {
  t.deepEqual(written, managedRows());
  t.deepEqual(secretAttributes, secretAttributesNow());
});

for (const [command, row] of Object.entries(managedRows())) {
  test(`atrium ${command} says what each thing given is for, and shows members that there are`, (t) => {
    for (const { member, means } of row.members) t.not(means, '', member);
    const output = operations.find(({ name }) => name === row.operation)?.output.shape ?? {};
    for (const column of row.list?.columns ?? [])
      t.true(JSON.stringify(shapeOf(output[row.list?.of ?? ''])).includes(`"${column}"`), column);
    t.is(new Set(row.members.map(({ name }) => name)).size, row.members.length);
  });
}

function shapeOf(shape: unknown): unknown {
  const { element } = shape as { readonly element?: { readonly shape: object } };
  return Object.keys(element?.shape ?? {});
}

let atrium: TestAtrium;
let environment: Readonly<Record<string, string>>;
const folder = mkdtempSync(join(tmpdir(), 'atrium-managed-'));

test.before(async () => {
  atrium = await startTestAtrium();
  environment = testEnvironment(atrium.dataDir);
});
test.after.always(async () => {
  await atrium?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runCli(args, environment);

test('the operators’ socket of the management API is this user’s alone, offers nothing else, and its calls stand in the trail as the operators’', async (t) => {
  t.is(statSync(join(atrium.dataDir, 'run/api')).mode & 0o777, 0o600);
  t.is(statSync(join(atrium.dataDir, 'run')).mode & 0o777, 0o700);
  const { status, stdout } = await run('status', '--json');
  t.is(status, 0);
  t.is(JSON.parse(stdout).realm, 'default');
  const row = atrium.audit.find(({ action }) => action === 'admin.status.show');
  t.like(row, { door: 'operators', outcome: 'success', subject: atrium.adminDn });
});

test('a list is read page by page to its end, or as far as is wanted, as a table and as lines of JSON', async (t) => {
  for (let at = 0; at < 7; at++) await addPerson(atrium, `listed${at}`, `Listed ${at}`);
  const whole = await run('mfa', 'list', '--all', '--json');
  const uids = whole.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).uid as string);
  t.true(uids.length >= 8);
  t.is(new Set(uids).size, uids.length);
  const three = await run('mfa', 'list', '--all', '--limit', '3');
  t.is(three.stdout.trim().split('\n').length, 4);
  t.regex(three.stdout, /^UID +SECOND FACTOR KEYS/);
});

test('more than one page of the API is asked for: 200 are not all', async (t) => {
  const ldif = Array.from(
    { length: 230 },
    (_, at) => `dn: ou=many${at},dc=example,dc=com\nobjectClass: organizationalUnit\nou: many${at}\n`,
  );
  const file = join(folder, 'many.ldif');
  writeFileSync(file, ldif.join('\n'));
  t.is((await run('realm', 'import', file)).status, 0);
  const { stdout } = await run('entry', 'list', '--filter', '(ou=many*)', '--json');
  t.is(new Set(stdout.trim().split('\n')).size, 230);
  t.is((await run('entry', 'list', '--filter', '(ou=many*)', '--json', '--limit', '205')).stdout.trim().split('\n').length, 205);
});

test('what would move a cursor is shown as what it is, in tables, in pages and in refusals', async (t) => {
  const dn = 'ou=odd,dc=example,dc=com';
  t.is(
    (await run('entry', 'add', dn, '--set', 'objectClass=organizationalUnit', '--set', 'ou=odd', '--set', 'description=a\u001b[2Jb'))
      .status,
    0,
  );
  const shown = await run('entry', 'show', dn);
  t.true(shown.stdout.includes('a\\u001b[2Jb'), shown.stdout);
  t.false(shown.stdout.includes('\u001b'));
  const refused = await run('setting', 'set', 'totp.issuer', 'a\u001b[2Jb');
  const unknown = await run('session', 'list', '--user', 'no\u001b[2Jbody');
  t.false(`${refused.stdout}${refused.stderr}${unknown.stderr}`.includes('\u001b'));
  t.is(unknown.status, 1);
  t.is((await run('entry', 'change', dn, '--set', 'description=')).status, 0);
  t.false((await run('entry', 'show', dn)).stdout.includes('description'));
});

test('what is dangerous says what will happen, and does nothing unasked', async (t) => {
  const { status, stderr } = await run('session', 'end-all', 'admin');
  t.is(status, 2);
  t.regex(stderr, /nothing was done: .*--yes was not given\nAll sessions of admin end at once\. They may sign in again\./);
  t.regex((await run('session', 'end-all', '--help')).stdout, /All sessions of USER end at once\./);
});

test('refusals are the service’s own words, with the member that they are about and the reference of the trail', async (t) => {
  const unfit = await run('audit', 'list', '--code', 'nonsense');
  t.is(unfit.status, 1);
  t.regex(unfit.stderr, /^atrium: code: begins with STS- and an area.* \(reference [0-9a-f-]{36}\)\n$/);
  const absent = await run('task', 'show', 'nothing-like-it');
  t.is(absent.status, 3);
  const noRealm = await run('session', 'list', '--realm', 'nowhere');
  t.is(noRealm.status, 3);
  t.regex(noRealm.stderr, /there is no realm "nowhere"/);
  t.is((await run('policy', 'set-password', '--min-length', 'long')).status, 2);
  t.is((await run('realm', 'change', 'default', '--name', 'a', '--no-name')).status, 2);
  const { etag } = JSON.parse((await run('setting', 'set', 'totp.issuer', 'One', '--json')).stdout);
  t.is((await run('setting', 'set', 'totp.issuer', 'Two', '--etag', etag)).status, 0);
  const lost = await run('setting', 'set', 'totp.issuer', 'Three', '--etag', etag);
  t.is(lost.status, 1);
  t.regex(lost.stderr, /Read it again/);
  t.is((await run('setting', 'reset', 'totp.issuer')).status, 0);
});

test('a realm’s settings and rows of the trail are those of --realm', async (t) => {
  t.is((await run('realm', 'create', 'acme')).status, 0);
  t.is((await run('setting', 'set', 'totp.digits', '8', '--realm', 'acme')).status, 0);
  const own = JSON.parse((await run('setting', 'list', '--prefix', 'totp.digits', '--realm', 'acme', '--json')).stdout);
  t.like(own, { value: 8, from: 'own' });
  t.like(JSON.parse((await run('setting', 'list', '--prefix', 'totp.digits', '--json')).stdout), { from: 'built-in' });
  const rows = (await run('audit', 'list', '--realm', 'acme', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.deepEqual([...new Set(rows.map(({ realm }) => realm))], ['acme']);
});

test('with --url the service is asked with a token: one that stands in a file, or one that is issued to a client', async (t) => {
  const url = atrium.addresses.http ?? '';
  const made = await run('application', 'add', 'robot', '--grant', 'client_credentials', '--resource', `${url}/admin-api`, '--json');
  const { secret } = JSON.parse(made.stdout);
  const secretFile = join(folder, 'robot.secret');
  writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
  const asRobot = ['--url', url, '--client', 'robot', '--secret-file', secretFile];
  const noRole = await run('session', 'list', ...asRobot);
  t.is(noRole.status, 1);
  t.regex(noRole.stderr, /in no group of the role/);
  t.is((await run('group', 'add-member', 'Admin Read', 'cn=robot,ou=applications,dc=example,dc=com')).status, 0);
  t.is((await run('session', 'list', ...asRobot)).status, 0);
  // Read from standard input where there is no terminal.
  t.is((await runCli(['status', '--url', url, '--client', 'robot'], environment, `${secret}\n`)).status, 0);
  t.is((await run('key', 'rotate', '--yes', ...asRobot)).status, 1, 'Admin Read writes nothing');
  writeFileSync(secretFile, 'wrong\n');
  const wrong = await run('status', ...asRobot);
  t.is(wrong.status, 1);
  t.regex(wrong.stderr, /no token is issued to robot: invalid_client/);
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'nonsense\n');
  const stale = await run('status', '--url', url, '--token-file', tokenFile);
  t.is(stale.status, 1);
  t.regex(stale.stderr, /Have a new token issued/);
});

test('a token goes nowhere where it could be read, and what is no service of ours is told', async (t) => {
  const token = join(folder, 'any-token');
  writeFileSync(token, 'abc\n');
  const status = (url: string, ...more: string[]) => run('status', '--url', url, ...(more.length === 0 ? ['--token-file', token] : more));
  for (const url of ['http://id.example.com', 'ldap://localhost', 'id.example.com', 'https://id.example.com/path']) {
    const { status: ended, stderr } = await status(url);
    t.is(ended, 2, url);
    t.regex(stderr, /--url/);
  }
  t.is((await status('http://localhost:1', '--client', 'x', '--token-file', token)).status, 2);
  t.is((await status('http://localhost:1', '--token-file', join(folder, 'none'))).status, 2);
  t.is((await run('status', '--token-file', token)).status, 2, 'without --url');
  const other = createServer((_request, response) => response.end('<p>\u001b[2Jhello</p>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => other.close());
  const strange = await status(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
  t.is(strange.status, 1);
  t.regex(strange.stderr, /no management API of Atrium/);
  t.is((await status('http://localhost:1')).status, 4);
});

test('where no service runs, or operators have no socket, the command says what to do', async (t) => {
  const data = join(folder, 'empty');
  const down = await runCli(['session', 'list'], testEnvironment(data));
  t.is(down.status, 4);
  t.regex(down.stderr, /no service answers here.*atrium serve/);
  const without = await runCli(['session', 'list'], { ...testEnvironment(data), STS_LDAP_SOCKET: '' });
  t.is(without.status, 4);
  t.regex(without.stderr, /--url/);
});

test('operators act as the built-in administrator: where there is none, the refusal says so', async (t) => {
  const other = await startTestAtrium();
  t.teardown(() => other[Symbol.asyncDispose]());
  const theirs = testEnvironment(other.dataDir);
  t.is((await runCli(['person', 'remove', 'admin', '--yes'], theirs)).status, 0);
  const { status, stderr } = await runCli(['status'], theirs);
  t.is(status, 1);
  t.regex(stderr, /built-in administrator, who is not there/);
  t.truthy(other.audit.find(({ errorCode }) => errorCode === 'STS-API-9300'));
});

test('a command that asks the service loads nothing of what this needs for it', async (t) => {
  const hook = join(folder, 'loaded.mjs');
  const text =
    'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => (process.stderr.write(url + String.fromCharCode(10)), next(url, context)) });';
  writeFileSync(hook, text);
  const { status, stderr } = await spawnCli(['session', 'list'], { ...environment, NODE_OPTIONS: `--import=${hook}` });
  t.is(status, 0);
  const loaded = stderr.split('\n');
  t.true(
    loaded.some((url) => url.endsWith('/managed-run.ts')),
    'what is loaded is seen',
  );
  t.deepEqual(
    loaded.filter((url) => /\/node_modules\/zod\/|\/src\/admin\/operations\//.test(url)),
    [],
  );
});

const bindsAs = async (dn: string, password: string): Promise<boolean> => {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  const isRight = await client.bind(dn, password).then(
    () => true,
    () => false,
  );
  await client.unbind();
  return isRight;
};

test('a secret is not given on the command line, by any name that the schema has for it, and is read from a file or from standard input', async (t) => {
  const { dn } = await addPerson(atrium, 'filed', 'Fil Ed');
  for (const name of ['userPassword', 'USERPASSWORD;x-a', '2.5.4.35', 'oid.2.5.4.35', 'nisSecretKey', 'stsTotpCredential']) {
    const { status, stderr } = await run('entry', 'change', dn, '--set', `${name}=seen`);
    t.is(status, 2, name);
    t.regex(stderr, /is not given on the command line, where others see it: --set-file [^ ]+=FILE reads/);
    t.false(stderr.includes('seen'));
  }
  const value = ' A right-good one, 9 ';
  const file = join(folder, 'secret');
  writeFileSync(file, `${value}\nnot this\n`);
  const changed = await run('entry', 'change', dn, '--set-file', `userPassword=${file}`, '--set', 'title=Dr');
  t.is(changed.status, 0, changed.stderr);
  t.true(await bindsAs(dn, value));
  const typed = await runCli(['entry', 'change', dn, '--set-file', 'userPassword=-'], environment, 'Another-right-good-1\n');
  t.is(typed.status, 0, typed.stderr);
  t.true(await bindsAs(dn, 'Another-right-good-1'));
  for (const wrong of [['--set-file', `userPassword=${file}.none`], ['--set-file', 'userPassword='], []])
    t.is((await run('entry', 'change', dn, ...wrong)).status, 2);
});

test.serial(
  'what a definition that was added while the service runs marks as secret or sealed is not given on the command line either',
  async (t) => {
    const { dn } = await addPerson(atrium, 'marked', 'Mar Ked');
    const schema = join(folder, 'own.schema');
    const type = (at: number, name: string, mark: string) =>
      `attributetype ( 1.3.6.1.4.1.99999.1.${at} NAME ( '${name}' '${name}Too' ) EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 ${mark} )\n`;
    const marks = ["X-ATRIUM-SECRET 'TRUE'", "X-ATRIUM-SECRET 'TRUE' X-ATRIUM-SEALED 'TRUE'", ''];
    writeFileSync(schema, marks.map((mark, at) => type(at + 1, `doorCode${at}`, mark)).join(''));
    const added = await run('schema', 'import', schema);
    t.is(added.status, 0, added.stderr);
    for (const name of ['doorCode0', 'DOORCODE0TOO;x-a', '1.3.6.1.4.1.99999.1.1', 'doorCode1']) {
      const changed = await run('entry', 'change', dn, '--set', `${name}=seen`);
      t.is(changed.status, 2, changed.stderr);
      t.regex(changed.stderr, /is not given on the command line, where others see it: --set-file/);
      for (const args of [
        ['person', 'add', 'other'],
        ['application', 'add', 'Other'],
      ]) {
        const refused = await run(...args, '--attribute', `${name}=seen`);
        t.is(refused.status, 2, refused.stderr);
        t.regex(refused.stderr, /--attribute takes no/);
      }
    }
    // What is not marked goes to the directory, which says what it thinks of it.
    const open = await run('entry', 'change', dn, '--set', 'doorCode2=seen');
    t.is(open.status, 1);
    t.notRegex(open.stderr, /command line/);
  },
);

test('what is made with an Idempotency-Key is made once, and told again', async (t) => {
  const made = ['entry', 'add', 'ou=once,dc=example,dc=com', '--set', 'objectClass=organizationalUnit', '--set', 'ou=once', '--json'];
  const key = ['--idempotency-key', 'once 1'];
  const [first, again] = [await run(...made, ...key), await run(...made, ...key)];
  t.is(first.status, 0, first.stderr);
  t.deepEqual([again.status, again.stdout], [0, first.stdout]);
  t.is((await run(...made)).status, 1, 'without it, it is there already');
  t.is((await run(...made, '--idempotency-key', 'a"b')).status, 2);
});
