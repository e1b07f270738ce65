import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'ldapts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { type Ended, runCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const suffix = 'dc=example,dc=com';
const dnOf = (uid: string) => `uid=${uid},ou=people,${suffix}`;
const groupOf = (cn: string) => `cn=${cn},ou=groups,${suffix}`;
let template = '';

test.before(async () => {
  template = mkdtempSync(join(tmpdir(), 'atrium-people-'));
  const atrium = await startTestAtrium({ dataDir: template });
  await atrium.stop();
});

test.after.always(() => rmSync(template, { recursive: true, force: true }));

interface Ground {
  /** Runs a command on the test's own folder. */
  run(line: string, input?: string): Promise<Ended>;
  /** The same for one that must be done. @returns what it printed */
  well(line: string, input?: string): Promise<string>;
  json(line: string): Promise<unknown[]>;
}

function groundOf(t: ExecutionContext): Ground & { readonly dataDir: string } {
  const base = mkdtempSync(join(tmpdir(), 'atrium-people-'));
  t.teardown(() => rmSync(base, { recursive: true, force: true }));
  const dataDir = join(base, 'data');
  cpSync(template, dataDir, { recursive: true });
  const run = (line: string, input?: string) => runCli(words(line), testEnvironment(dataDir), input);
  const well = async (line: string, input?: string) => {
    const { status, stdout, stderr } = await run(line, input);
    t.is(status, 0, `${line}: ${stdout}${stderr}`);
    return stdout;
  };
  const json = async (line: string) =>
    (await well(`${line} --json`))
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each) as unknown);
  return { dataDir, run, well, json };
}

/** Words of a line; those in quotes are one. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
}

/** What is generated keeps the policy of the realm, which commands do not know. */
async function generated(t: ExecutionContext, { well, json }: Ground): Promise<void> {
  const policy = `dn: cn=default,ou=passwordPolicies,${suffix}\nobjectClass: stsPasswordPolicy\ncn: default\nstsPasswordMinLength: 60\nstsPasswordMinDigits: 12\n`;
  await well('import -', policy);
  const keeps = (password: string) => password.length >= 60 && password.replace(/\D/g, '').length >= 12;
  const [added] = (await json('person add gen --generate')) as [{ password: string }];
  t.true(keeps(added.password), added.password);
  const [set] = (await json('person set-password gen --generate --must-change')) as [{ password: string }];
  t.true(keeps(set.password) && set.password !== added.password, set.password);
  t.regex(await well('search uid=gen pwdReset'), /^pwdReset: TRUE$/m);
  await well('person set-password gen --generate');
  t.notRegex(await well('search uid=gen pwdReset'), /^pwdReset/m);
}

/** One journey, by a running service and on a stopped one's folder: the same words, statuses and effects. */
async function journey(t: ExecutionContext, { run, well, json }: Ground): Promise<void> {
  t.is(await well("person add ada --cn 'Ada Lovelace' --mail ada@example.com --attribute title=Countess"), `added ${dnOf('ada')}\n`);
  await well('person add zoë --attribute sn=Zoë');
  const [made] = (await json("person add bob --cn 'Bob Ford' --generate")) as [{ password: string }];
  t.regex(made.password, /^\S{4}-\S{4}/);
  const again = await run('person add ada');
  t.deepEqual([again.status, again.stderr], [1, `atrium: ${dnOf('ada')} is there already. See: atrium person show ada\n`]);

  t.is(await well('group add climbers ada'), `added ${groupOf('climbers')}\nmember ${dnOf('ada')}\n`);
  await well("group add everybody climbers --description 'All of us'");
  t.is(
    await well('group add-member climbers bob@example.com ada').catch(() => ''),
    '',
    'nobody has that address: none of the two is added',
  );
  t.is(await well('group add-member climbers bob ada'), `member now: ${dnOf('bob')}\nmember already: ${dnOf('ada')}\n`);
  const person = (await json('person show bob'))[0] as { groups: unknown; disabled: boolean };
  t.deepEqual(person.groups, { direct: [groupOf('climbers')], nested: [groupOf('everybody')] });
  t.deepEqual(await json('group show everybody --nested'), [
    {
      dn: groupOf('everybody'),
      members: [groupOf('climbers')],
      nested: [dnOf('ada'), dnOf('bob')],
      memberOf: [],
      attributes: { objectClass: ['groupOfNames'], cn: ['everybody'], description: ['All of us'] },
    },
  ]);
  t.deepEqual(
    (await json('group list --of bob')).map((each) => (each as { cn: string }).cn),
    ['climbers', 'everybody'],
  );
  t.is(await well('group remove-member climbers bob zoë'), `no member now: ${dnOf('bob')}\nno member: ${dnOf('zoë')}\n`);
  const last = await run('group remove-member climbers ada');
  t.deepEqual([last.status, /a group has at least one/.test(last.stderr)], [1, true], last.stderr);

  t.is(await well('person disable bob'), `disabled: ${dnOf('bob')}\n`);
  t.is(await well('person disable bob'), `disabled already: ${dnOf('bob')}\n`);
  t.deepEqual(
    (await json('person list --disabled')).map((each) => (each as { uid: string }).uid),
    ['bob'],
  );
  t.is(await well('person enable bob'), `enabled: ${dnOf('bob')}\n`);
  t.is(await well('person set-password bob', 'Correct-horse-8-battery\nsecond line\n'), `password set: ${dnOf('bob')}\n`);

  const unasked = await run('person remove ada');
  t.is(unasked.status, 2);
  t.regex(unasked.stderr, /nothing was done: there is no terminal to ask on.*\n[\s\S]*cn=climbers/);
  const removal = await run('person remove bob --yes');
  t.deepEqual([removal.status, removal.stdout], [0, `removed ${dnOf('bob')}\n`]);
  const gone = await run('person show bob');
  t.deepEqual([gone.status, gone.stderr], [3, 'atrium: there is no person "bob". See: atrium person list\n']);
}

test('people and groups are added, shown, changed and removed in a running service', async (t) => {
  const ground = groundOf(t);
  await using _atrium = await startTestAtrium({ dataDir: ground.dataDir });
  await journey(t, { ...ground, well: wellOr(ground) });
});

test('people and groups are added, shown, changed and removed in the folder of a stopped service, which then is nobody’s', async (t) => {
  const ground = groundOf(t);
  await journey(t, { ...ground, well: wellOr(ground) });
  await using atrium = await startTestAtrium({ dataDir: ground.dataDir });
  t.truthy(atrium.addresses.operators, 'a service starts on it');
});

test('a password that is generated keeps the policy of its realm, by a running service and on a stopped one’s folder', async (t) => {
  const stopped = groundOf(t);
  await generated(t, stopped);
  const ground = groundOf(t);
  await using _atrium = await startTestAtrium({ dataDir: ground.dataDir });
  await generated(t, ground);
});

/** As `well`, and a rejection for what is not done: where the journey expects that. */
function wellOr({ run }: Ground): Ground['well'] {
  return async (line, input) => {
    const { status, stdout, stderr } = await run(line, input);
    if (status !== 0) throw new Error(`${line}: ${status} ${stdout}${stderr}`);
    return stdout;
  };
}

withLdapUtils(test)(
  'a disabled person signs in no more, an enabled one again, and a password that is set is the only good one',
  async (t) => {
    const ground = groundOf(t);
    await using atrium = await startTestAtrium({ dataDir: ground.dataDir });
    const url = atrium.addresses.ldap ?? '';
    const bind = async (password: string) => (await runLdapTool('ldapwhoami', { url, dn: dnOf('ada'), password }, [])).status;
    const [made] = (await ground.json('person add ada --generate')) as [{ password: string }];
    t.is(await bind(made.password), 0);
    const before = new Client({ url });
    t.teardown(() => before.unbind());
    await before.bind(dnOf('ada'), made.password);
    await ground.well('person disable ada');
    t.is(await bind(made.password), 49);
    // Its connection was ended; the client has made another, on which nobody is bound.
    await t.throwsAsync(before.search(dnOf('ada'), { scope: 'base', attributes: ['cn'] }));
    await ground.well('person enable ada');
    t.is(await bind(made.password), 0);
    await ground.well('person set-password ada', 'Correct-horse-8-battery\n');
    t.deepEqual([await bind(made.password), await bind('Correct-horse-8-battery')], [49, 0]);
    await ground.well('person set-password ada --must-change', 'Correct-horse-9-battery\n');
    t.is(await bind('Correct-horse-9-battery'), 49, 'not before it is changed');
    await ground.well('person set-password ada', 'Correct-horse-7-battery\n');
    t.is(await bind('Correct-horse-7-battery'), 0, 'what an operator sets is good at once');
  },
);

test('a list of people is sorted, bound and searched by words, and a table holds what a terminal must not be told', async (t) => {
  const ground = groundOf(t);
  for (const [uid, cn] of [
    ['zed', 'Zed Last'],
    ['ann', 'Ann First'],
    ['mid', 'Mid\u001b[31m Dle'],
  ] as const)
    await ground.well(`person add ${uid} --cn '${cn}'`);
  const names = async (line: string) => (await ground.well(line)).split('\n').slice(1, -1);
  t.deepEqual(await names('person list'), ['admin  Administrator', 'ann    Ann First', 'mid    Mid\\u001b[31m Dle', 'zed    Zed Last']);
  t.deepEqual(await names('person list LAST zed'), ['zed  Zed Last']);
  t.deepEqual(await names('person list first last'), [], 'each of the words');
  const limited = await ground.run('person list --limit 2');
  t.deepEqual([limited.status, limited.stderr], [0, 'There are more than the 2 that were asked for.\n']);
  t.deepEqual(await names('person list --filter sn=First'), ['ann  Ann First']);
});

const mistakes: readonly [title: string, line: string, status: number, says: RegExp][] = [
  ['a noun that is nearly one', 'persn list', 2, /there is no command "persn"; person is meant, perhaps\. See: atrium help\n/],
  [
    'a verb that is nearly one',
    'person shwo ada',
    2,
    /there is no command "person shwo"; person show is meant, perhaps\. See: atrium help person\n/,
  ],
  ['a name that is nearly one', 'person show admn', 3, /there is no person "admn"; admin is meant, perhaps\. See: atrium person list\n/],
  ['a member that is nearly one', 'group add g admni', 3, /there is no person and no group "admni"; admin is meant/],
  ['a realm that is not there', 'person list --realm nowhere', 3, /there is no realm "nowhere"\. See: atrium realm list\n/],
  ['a DN that is not there', `person show uid=x,ou=people,${suffix}`, 3, /there is no person/],
  ['a password on the command line', 'person add x --attribute userPassword=secret', 2, /--attribute takes no userPassword/],
  ['no password', 'person set-password admin', 2, /no password stands in standard input/],
  ['an attribute without a value', 'person add x --attribute title', 2, /--attribute is NAME=VALUE/],
  ['an attribute that is none', 'person add x --attribute nonsense=1', 1, /uid=x,ou=people,.* was not added: .*nonsense/],
  ['a filter that is none', 'person list --filter (', 2, /the filter cannot be read/],
];

test('what cannot be done is told in plain words with the next step', async (t) => {
  const ground = groundOf(t);
  await using _atrium = await startTestAtrium({ dataDir: ground.dataDir });
  for (const [title, line, status, says] of mistakes) {
    const ended = await ground.run(line);
    t.is(ended.status, status, `${title}: ${ended.stderr}`);
    t.is(ended.stdout, '');
    t.regex(ended.stderr, says, title);
  }
});
