import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type LdapTool, type LdapUtilsTarget, type Ran, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const ldapTest = withLdapUtils(test);
const suffix = 'dc=example,dc=com';
const people = `ou=people,${suffix}`;
const groups = `ou=groups,${suffix}`;
const delegate = `uid=dora,${people}`;
const [success, noSuchObject, refused, authorizationDenied] = [0, 32, 50, 123];

/** The recipe is the documentation's own: what a reader copies is what is proved. */
function recipe(): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/access.md'), 'utf8');
  const block = [...page.matchAll(/```ldif\n(.*?)```/gs)].map(([, ldif = '']) => ldif).find((ldif) => ldif.includes('cn=sales people,'));
  if (block === undefined) throw new Error('docs/access.md does not show how the people of sales are handed over');
  return block;
}

const person = (uid: string, place: string, more = '') => `dn: uid=${uid},${place}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
${more === '' ? '' : `${more}\n`}
`;

const group = (cn: string, member: string, more = '') => `dn: cn=${cn},${groups}
objectClass: groupOfNames
cn: ${cn}
member: ${member}
${more === '' ? '' : `${more}\n`}
`;

const beginning = [
  `dn: ou=sales,${people}\nobjectClass: organizationalUnit\nou: sales\n\n`,
  `dn: ou=support,${people}\nobjectClass: organizationalUnit\nou: support\n\n`,
  person('dora', people, 'userPassword: Delegated-one-9'),
  person('sam', `ou=sales,${people}`, 'userPassword: Sells-a-lot-of-1'),
  person('sid', `ou=support,${people}`, 'userPassword: Helps-others-1'),
  group('sales team', `uid=sam,ou=sales,${people}`),
  group('sales tools', `uid=sam,ou=sales,${people}`),
  group('support', `uid=sid,ou=support,${people}`),
  group('chiefs', `uid=admin,${people}`, 'objectClass: stsRoleGroup\nstsRole: Admin Write'),
  group('team', delegate),
  group('sales admins', `cn=team,${groups}`),
].join('');

interface Office extends AsyncDisposable {
  readonly atrium: TestAtrium;
  readonly operators: LdapUtilsTarget;
  readonly dora: LdapUtilsTarget;
}

async function furnish(settings: Readonly<Record<string, string>>): Promise<Office> {
  const atrium = await startTestAtrium({ settings: { STS_REALMS_DEFAULT_SUFFIX: suffix, ...settings } });
  const { ldap: url = '', operators: socket = '' } = atrium.addresses;
  const operators = { url: socket, external: true } as const;
  for (const ldif of [beginning, recipe()]) {
    const { status, stderr } = await runLdapTool('ldapadd', operators, [], ldif);
    if (status === 0) continue;
    await atrium[Symbol.asyncDispose]();
    throw new Error(stderr);
  }
  return {
    atrium,
    operators,
    dora: { url, dn: delegate, password: 'Delegated-one-9' },
    [Symbol.asyncDispose]: () => atrium[Symbol.asyncDispose](),
  };
}

const change = (dn: string, ...lines: readonly string[]) => `dn: ${dn}\nchangetype: modify\n${lines.join('\n')}\n`;

type Tried = readonly [title: string, tool: LdapTool, args: readonly string[], input?: string];

const inSales = (uid: string) => `uid=${uid},ou=sales,${people}`;

const theirs: readonly Tried[] = [
  ['adds a person', 'ldapadd', [], person('sue', `ou=sales,${people}`, 'mail: sue@example.com\nuserPassword: First-password-1')],
  [
    'edits a person',
    'ldapmodify',
    [],
    change(inSales('sue'), 'replace: title', 'title: seller', '-', 'replace: mail', 'mail: s@example.com'),
  ],
  ['sets a person’s password', 'ldappasswd', ['-s', 'Second-password-2', inSales('sue')]],
  ['takes a person into the one group', 'ldapmodify', [], change(`cn=sales team,${groups}`, 'add: member', `member: ${inSales('sue')}`)],
  ['and into the other', 'ldapmodify', [], change(`cn=sales tools,${groups}`, 'add: member', `member: ${inSales('sue')}`)],
  ['and out again', 'ldapmodify', [], change(`cn=sales tools,${groups}`, 'delete: member', `member: ${inSales('sue')}`)],
  ['renames a person', 'ldapmodrdn', ['-r', inSales('sue'), 'uid=susan']],
  ['deletes a person', 'ldapdelete', [inSales('susan')]],
];

const neighbours: readonly Tried[] = [
  ['adds nobody to another ou', 'ldapadd', [], person('eve', `ou=support,${people}`)],
  ['nor to the people at large', 'ldapadd', [], person('eve', people)],
  ['edits nobody of another ou', 'ldapmodify', [], change(`uid=sid,ou=support,${people}`, 'replace: title', 'title: x')],
  ['sets no password of another ou', 'ldappasswd', ['-s', 'Taken-over-all-1', `uid=sid,ou=support,${people}`]],
  ['nor the administrator’s', 'ldappasswd', ['-s', 'Taken-over-all-1', `uid=admin,${people}`]],
  ['deletes nobody of another ou', 'ldapdelete', [`uid=sid,ou=support,${people}`]],
  ['changes no other group', 'ldapmodify', [], change(`cn=support,${groups}`, 'add: member', `member: ${inSales('sam')}`)],
  ['nor what else there is of theirs', 'ldapmodify', [], change(`cn=sales team,${groups}`, 'replace: description', 'description: x')],
  [
    'gives a group no role',
    'ldapmodify',
    [],
    change(`cn=sales team,${groups}`, 'add: objectClass', 'objectClass: stsRoleGroup', '-', 'add: stsRole', 'stsRole: Admin Write'),
  ],
  ['deletes no group', 'ldapdelete', [`cn=sales team,${groups}`]],
  ['adds no group', 'ldapadd', [], group('mine', delegate)],
  ['takes no role', 'ldapmodify', [], change(`cn=chiefs,${groups}`, 'add: member', `member: ${delegate}`)],
  ['gives none to their own people', 'ldapmodify', [], change(`cn=chiefs,${groups}`, 'add: member', `member: ${inSales('sam')}`)],
  ['makes nobody a fellow', 'ldapmodify', [], change(`cn=sales admins,${groups}`, 'add: member', `member: ${inSales('sam')}`)],
  ['moves nobody in', 'ldapmodrdn', ['-s', `ou=sales,${people}`, `uid=sid,ou=support,${people}`, 'uid=sid']],
  ['moves nobody out', 'ldapmodrdn', ['-s', `ou=support,${people}`, inSales('sam'), 'uid=sam']],
  ['lets nobody act for others', 'ldapmodify', [], change(inSales('sam'), 'add: authzTo', `authzTo: dn:${people}`)],
  ['lets others act for nobody', 'ldapmodify', [], change(inSales('sam'), 'add: authzFrom', `authzFrom: dn:${delegate}`)],
  ['adds nobody who may', 'ldapadd', [], person('eve', `ou=sales,${people}`, `authzTo: dn:uid=admin,${people}`)],
  ['adds nobody with a role', 'ldapadd', [], person('eve', `ou=sales,${people}`, 'objectClass: stsRoleGroup\nstsRole: Admin Write')],
  ['adds nobody with what the directory keeps', 'ldapadd', [], person('eve', `ou=sales,${people}`, 'pwdReset: TRUE')],
  ['adds no other kind of entry', 'ldapadd', [], `dn: ou=more,ou=sales,${people}\nobjectClass: organizationalUnit\nou: more\n`],
  ['does not delete the ou', 'ldapdelete', [`ou=sales,${people}`]],
  ['does not rename it', 'ldapmodrdn', ['-r', `ou=sales,${people}`, 'ou=ours']],
  ['does not edit it', 'ldapmodify', [], change(`ou=sales,${people}`, 'replace: description', 'description: ours')],
  [
    'changes no class of a person to one that is none',
    'ldapmodify',
    [],
    change(inSales('sam'), 'add: objectClass', 'objectClass: stsRoleGroup', '-', 'add: stsRole', 'stsRole: x'),
  ],
  ['relaxes no rules', 'ldapmodify', ['-e', '!relax'], change(inSales('sam'), 'replace: title', 'title: x')],
  [
    'acts for none of them',
    'ldapmodify',
    ['-e', `!authzid=dn:${inSales('sam')}`],
    change(inSales('sam'), 'replace: displayName', 'displayName: x'),
  ],
  ['keeps their own entry as others do', 'ldapmodify', [], change(delegate, 'replace: title', 'title: chief')],
];

/** Rules are not even to be seen. */
const unseen: readonly Tried[] = [
  ['changes no rule', 'ldapmodify', [], change(`cn=sales people,ou=accessRules,${suffix}`, 'replace: stsRuleOrder', 'stsRuleOrder: 1')],
  ['deletes no rule', 'ldapdelete', [`cn=sales people,ou=accessRules,${suffix}`]],
  [
    'adds no rule',
    'ldapadd',
    [],
    `dn: cn=mine,ou=accessRules,${suffix}\nobjectClass: stsAccessRule\ncn: mine\nstsRuleOrder: 1\nstsRuleWho: self\nstsRuleRight: manage\n`,
  ],
];

const run = (target: LdapUtilsTarget, [, tool, args, input]: Tried): Promise<Ran> => runLdapTool(tool, target, args, input);

/** Everything there is, as the operators see it. */
async function everything(operators: LdapUtilsTarget): Promise<string> {
  const { stdout } = await runLdapTool('ldapsearch', operators, ['-LLL', '-o', 'ldif-wrap=no', '-b', suffix, '(objectClass=*)', '*', '+']);
  return stdout;
}

const ways: readonly (readonly [title: string, settings: Readonly<Record<string, string>>])[] = [
  ['', {}],
  [', with threads that serve LDAP', { STS_LDAP_WORKERS: '2' }],
];

for (const [with_, settings] of ways) {
  ldapTest(
    `delegation: a group manages one ou, its people, their passwords and who is in two groups, and nothing else${with_}`,
    async (t) => {
      t.timeout(120_000);
      await using office = await furnish(settings);
      const { dora, operators } = office;
      for (const tried of theirs) {
        const { status, stderr } = await run(dora, tried);
        t.is(status, success, `${tried[0]}: ${stderr}`);
        if (tried[1] === 'ldappasswd')
          t.is((await runLdapTool('ldapwhoami', { url: dora.url, dn: inSales('sue'), password: 'Second-password-2' }, [])).status, success);
      }
      const before = await everything(operators);
      for (const tried of neighbours) {
        const { status, stdout, stderr } = await run(dora, tried);
        // ldappasswd ends with 1 for every refusal, and prints its code; to act for somebody is refused by one of its own (RFC 4370 §4).
        const code = tried[1] === 'ldappasswd' ? Number(/\((\d+)\)/.exec(stdout)?.[1]) : status;
        const isActing = tried[2].some((arg) => arg.startsWith('!authzid='));
        t.is(code, isActing ? authorizationDenied : refused, `${tried[0]}: ${stdout} ${stderr}`);
      }
      for (const tried of unseen) t.is((await run(dora, tried)).status, noSuchObject, tried[0]);
      t.is(await everything(operators), before);
    },
  );
}

ldapTest('delegation ends with the group: who is taken out may nothing more, and who is put in may all of it', async (t) => {
  await using office = await furnish({});
  const { dora, operators } = office;
  const edit: Tried = ['edits', 'ldapmodify', [], change(inSales('sam'), 'replace: title', 'title: seller')];
  t.is((await run(dora, edit)).status, success);
  const swap = change(`cn=team,${groups}`, 'replace: member', `member: uid=admin,${people}`);
  t.is((await runLdapTool('ldapmodify', operators, [], swap)).status, success);
  t.is((await run(dora, edit)).status, refused);
  // A group that gives a role is none of theirs any more, though they be in the group that manages it.
  t.is(
    (await runLdapTool('ldapmodify', operators, [], change(`cn=team,${groups}`, 'replace: member', `member: ${delegate}`))).status,
    success,
  );
  const join: Tried = ['joins', 'ldapmodify', [], change(`cn=sales team,${groups}`, 'add: member', `member: ${delegate}`)];
  const role = change(
    `cn=sales team,${groups}`,
    'add: objectClass',
    'objectClass: stsRoleGroup',
    '-',
    'add: stsRole',
    'stsRole: Admin Write',
  );
  t.is((await runLdapTool('ldapmodify', operators, [], role)).status, success);
  t.is((await run(dora, join)).status, refused);
  t.is((await run(dora, edit)).status, success);
});
