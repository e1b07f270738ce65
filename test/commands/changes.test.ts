import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const suffix = 'dc=example,dc=com';
const people = `ou=people,${suffix}`;
const fixture = join(import.meta.dirname, '..', 'fixtures', 'folder-format-1');

function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-cli-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const person = (uid: string, more = '') =>
  `dn: uid=${uid},${people}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more}\n`;
const modify = (uid: string, ...changes: string[]) => `dn: uid=${uid},${people}\nchangetype: modify\n${changes.join('-\n')}-\n\n`;

type Environment = ReturnType<typeof testEnvironment>;

/** The service of a folder, in this process, and where its operator asks it. */
async function serve(environment: Environment) {
  const atrium = await startTestAtrium({ dataDir: environment['STS_GLOBAL_DATA_DIR'] ?? '', settings: environment });
  const operator = { url: atrium.addresses.operators ?? '', external: true } as const;
  return { operator, [Symbol.asyncDispose]: () => atrium.stop() };
}

/** Applies LDIF to the service of a folder, as its operator. */
async function apply(t: ExecutionContext, environment: Environment, ldif: string): Promise<void> {
  await using service = await serve(environment);
  const { status, stderr } = await runLdapTool('ldapmodify', service.operator, [], ldif);
  t.is(status, 0, stderr);
}

async function well(
  t: ExecutionContext,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<string> {
  const { status, stdout, stderr } = await runCli(args, environment, input);
  t.is(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** What is written after the people of the test are there: every kind of change, and several of one entry. */
const later = [
  person('dan', 'mail: dan@example.com\n').replace('\nobjectClass', '\nchangetype: add\nobjectClass'),
  modify('ann', 'replace: mail\nmail: ann@example.org\nmail: second@example.org\n', 'add: title\ntitle: Engineer\n', 'delete: l\n'),
  modify('ann', 'delete: title\n', 'add: description\ndescription:: w6TDtsO8\n'),
  modify('bob', 'replace: userPassword\nuserPassword: Correct-horse-8-battery\n'),
  modify('bob', 'add: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n'),
  `dn: uid=cid,${people}\nchangetype: modrdn\nnewrdn: uid=sid\ndeleteoldrdn: 1\n\n`,
  `dn: uid=eve,${people}\nchangetype: modrdn\nnewrdn: uid=eve\ndeleteoldrdn: 0\nnewsuperior: ou=groups,${suffix}\n\n`,
  `dn: uid=fay,${people}\nchangetype: delete\n\n`,
  modify('dan', 'add: l\nl: Berlin\n'),
].join('');

for (const [log, commitsMax] of [
  ['that goes back to the beginning', '100000'],
  ['that has forgotten what was before', '9'],
] as const) {
  withLdapUtils(test)(`ldapmodify of what changes prints makes a copy the same again, out of a log ${log}`, async (t) => {
    const base = folder(t);
    const first = { ...testEnvironment(join(base, 'first')), STS_PERSISTENCE_COMMITS_MAX: commitsMax };
    const second = testEnvironment(join(base, 'second'));
    const standing = ['ann', 'bob', 'cid', 'eve', 'fay'].map((uid) => person(uid, 'l: Bristol\nroomNumber: 7\n'));
    await well(t, ['import', '-'], first, standing.join(''));
    const said = await well(t, ['backup', join(base, 'backup')], first);
    const since = /up to change (\d+)/.exec(said)?.[1] ?? '';
    await well(t, ['restore', join(base, 'backup')], second);
    await apply(t, first, later);

    const ldif = await well(t, ['changes', '--since', since], first);
    t.false(/userPassword/i.test(ldif), 'secrets are left out');
    t.regex(ldif, /^# change \d+, \S+, \S+$/m);
    await apply(t, second, ldif);
    const sorted = (text: string) =>
      text
        .split('\n\n')
        .map((entry) => entry.split('\n').sort().join('\n'))
        .sort();
    const [one, two] = [await well(t, ['export'], first), await well(t, ['export'], second)];
    t.deepEqual(sorted(two), sorted(one));
    t.true(one.includes(`uid=sid,${people}`) && one.includes('title') === false);
    t.is(await well(t, ['changes', '--since', String(Number(since) + 9)], first), '', 'after the newest there is nothing');
  });
}

withLdapUtils(test)(
  'beside a running service changes reads the log, adds as adds and what is the directory’s own not at all',
  async (t) => {
    const environment = testEnvironment(join(folder(t), 'data'));
    const service = startCli(['serve'], environment);
    t.teardown(() => service.child.kill('SIGKILL'));
    const url = /ldapi:\S+/.exec(await service.until('ready '))?.[0] ?? '';
    t.is((await runLdapTool('ldapadd', { url, external: true }, [], person('ann'))).status, 0);
    const ldif = await well(t, ['changes', '--since', '1'], environment);
    t.regex(ldif, /^version: 1\n\n# epoch 1, changes 2 to 2\n\n# change 2, /);
    t.true(ldif.endsWith(`dn: uid=ann,${people}\nchangetype: add\nobjectClass: inetOrgPerson\nuid: ann\ncn: ann\nsn: ann\n\n`));
  },
);

test('an import into the frame of a realm is not in the log, which says so to whoever asks for what came after an earlier change', async (t) => {
  const environment = testEnvironment(join(folder(t), 'data'));
  await well(t, ['import', '-'], environment, person('ann'));
  await well(t, ['import', '-'], environment, person('bob'));
  const before = await runCli(['changes', '--since', '2'], environment);
  t.is(before.status, 1);
  t.regex(before.stderr, /the change log begins with change 4: those after 2 are no longer all there/);
  t.is(before.stdout, '');
  // Numbers go on, and what comes from now on is told.
  await using _service = await serve(environment);
  await well(t, ['import', '-'], environment, person('cid'));
  t.regex(await well(t, ['changes', '--since', '4'], environment), /^# change 5, (.|\n)*uid=cid/m);
});

withLdapUtils(test)(
  'when the log no longer reaches back that far, changes says so plainly, writes nothing and ends with status 1',
  async (t) => {
    const environment = { ...testEnvironment(join(folder(t), 'data')), STS_PERSISTENCE_COMMITS_MAX: '2' };
    await using service = await serve(environment);
    for (const uid of ['ann', 'bob', 'cid']) t.is((await runLdapTool('ldapadd', service.operator, [], person(uid))).status, 0);
    for (const since of ['0', '1']) {
      const { status, stdout, stderr } = await runCli(['changes', '--since', since], environment);
      t.is(status, 1);
      t.is(stdout, '');
      t.regex(stderr, /the change log begins with change 3: those after \d are no longer all there/);
    }
    t.regex(await well(t, ['changes', '--since', '2'], environment), /uid=bob(.|\n)*uid=cid/);
    const beyond = await runCli(['changes', '--since', '5'], environment);
    t.is(beyond.status, 1);
    t.regex(beyond.stderr, /the newest change is 4, of epoch 1: 5 is of another directory, or of before a restore/);
  },
);

test('a file of an older format says which start brings it up, and mistakes in the call are told', async (t) => {
  const dataDir = join(folder(t), 'data');
  cpSync(fixture, dataDir, { recursive: true });
  const older = await runCli(['changes', '--since', '0'], testEnvironment(dataDir));
  t.is(older.status, 1);
  t.regex(older.stderr, /\[STS-STORE-9011\]/);
  for (const args of [
    ['changes'],
    ['changes', '--since'],
    ['changes', '--since', '-1'],
    ['changes', '--since', 'x'],
    ['changes', '1', '--since', '0'],
  ]) {
    t.is((await runCli(args, testEnvironment(dataDir))).status, 2, args.join(' '));
  }
});
