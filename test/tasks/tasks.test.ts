import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import avaTest from 'ava';
import { formatLdifRecord } from '#ldap';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { type LdapUtilsTarget, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { generatePeople } from '../support/people.ts';

const test = withLdapUtils(avaTest);
const suffix = 'dc=example,dc=com';

async function open(t: ExecutionContext, settings: Readonly<Record<string, string>> = {}) {
  const atrium = await startTestAtrium({ settings });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const admin: LdapUtilsTarget = { url: atrium.addresses.ldap as string, dn: atrium.adminDn, password: atrium.adminPassword };
  return { atrium, admin, exchange: join(atrium.dataDir, 'exchange') };
}

const task = (name: string, kind: string, file: string, more = '') =>
  `dn: cn=${name},cn=tasks,${suffix}\nobjectClass: stsTask\ncn: ${name}\nstsTaskKind: ${kind}\nstsTaskFile: ${file}\n${more}`;
const person = (uid: string, sn = `sn: ${uid}\n`) =>
  `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\n${sn}\n`;
const people = (count: number) => [...generatePeople({ count, seed: 3, suffix })].map(formatLdifRecord).join('');

async function read(admin: LdapUtilsTarget, name: string): Promise<string> {
  const args = ['-LLL', '-o', 'ldif-wrap=no', '-b', `cn=${name},cn=tasks,${suffix}`, '-s', 'base', '*', '+'];
  return (await runLdapTool('ldapsearch', admin, args)).stdout;
}

/** Reads the entry until it says something. */
async function until(admin: LdapUtilsTarget, name: string, wanted: RegExp): Promise<string> {
  for (;;) {
    const entry = await read(admin, name);
    if (wanted.test(entry)) return entry;
    if (entry === '' || /^stsTaskEnded/m.test(entry)) throw new Error(`it never said ${wanted}: ${entry}`);
  }
}

const ended = (admin: LdapUtilsTarget, name: string) => until(admin, name, /^stsTaskEnded/m);

async function found(admin: LdapUtilsTarget, filter: string): Promise<number> {
  const { stdout } = await runLdapTool('ldapsearch', admin, ['-LLL', '-z', 'none', '-b', suffix, filter, '1.1']);
  return (stdout.match(/^dn:/gm) ?? []).length;
}

for (const workers of ['0', '1']) {
  test(`an export and a backup are had by ldapadd, and how they end is read by ldapsearch (ldap.workers ${workers})`, async (t) => {
    const { atrium, admin, exchange } = await open(t, { STS_LDAP_WORKERS: workers });
    const added = await runLdapTool('ldapadd', admin, [], `${task('e', 'export', 'realm.ldif')}\n${task('b', 'backup', 'all.sqlite')}`);
    t.is(added.status, 0, added.stderr);
    const entry = await ended(admin, 'e');
    t.regex(entry, /^stsTaskState: done$/m);
    t.regex(entry, /^stsTaskPercent: 100$/m);
    t.regex(entry, /^stsTaskResult: \d+ entries exported to realm\.ldif$/m);
    const same = await runCli(['realm', 'export', 'default'], testEnvironment(atrium.dataDir));
    t.is(readFileSync(join(exchange, 'realm.ldif'), 'utf8'), same.stdout);
    t.notRegex(same.stdout, /cn=tasks/, 'tasks are no content of the realm');
    t.regex(await ended(admin, 'b'), /^stsTaskState: done$/m);
    t.regex(readFileSync(join(exchange, 'all.sqlite'), 'latin1'), /^SQLite format 3/);
    t.truthy(await atrium.recorded(({ action, outcome }) => action === 'task.backup' && outcome === 'success'));
  });
}

test('file names cannot leave the folder: paths are refused when the task is added, links when it is done', async (t) => {
  const { atrium, admin, exchange } = await open(t);
  for (const name of ['../out.ldif', '/etc/passwd', '.hidden', 'a/b', 'a\\b', '..', `${'x'.repeat(101)}`]) {
    const { status, stderr } = await runLdapTool('ldapadd', admin, [], task('x', 'export', name));
    t.is(status, 19, name);
    t.regex(stderr, /stsTaskFile: it is a name within the folder/);
  }
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-LDAP-9351'));
  const outside = join(atrium.dataDir, 'outside.ldif');
  writeFileSync(outside, person('eve'));
  symlinkSync(outside, join(exchange, 'link.ldif'));
  symlinkSync(join(atrium.dataDir, 'made.ldif'), join(exchange, 'dangling.ldif'));
  await runLdapTool('ldapadd', admin, [], `${task('in', 'import', 'link.ldif')}\n${task('out', 'export', 'dangling.ldif')}`);
  t.regex(await ended(admin, 'in'), /^stsTaskResult: .*STS-LDAP-9355.*link\.ldif: ELOOP/m);
  t.regex(await ended(admin, 'out'), /^stsTaskResult: .*dangling\.ldif: there is such a file/m);
  t.is(await found(admin, '(uid=eve)'), 0);
  t.false(existsSync(join(atrium.dataDir, 'made.ldif')));
});

test('what is no task is refused: kinds, options, places, and changes of what it is to do', async (t) => {
  const { admin } = await open(t);
  const refused = async (ldif: string, status: number, words: RegExp) => {
    const ran = await runLdapTool('ldapadd', admin, [], ldif);
    t.is(ran.status, status, ran.stderr);
    t.regex(ran.stderr, words);
  };
  await refused(task('x', 'format', 'a'), 19, /stsTaskKind: it is one of import, export, backup/);
  await refused(task('x', 'backup', 'a', 'stsTaskOption: secrets\n'), 19, /stsTaskOption/);
  await refused(task('x', 'export', 'a').replace('cn=tasks', 'ou=people'), 19, /stands directly below cn=tasks/);
  await refused(`dn: cn=d,cn=tasks,${suffix}\nobjectClass: device\ncn: d\n`, 19, /only tasks stand here/);
  await refused(task('x', 'export', 'a', 'stsTaskState: done\n'), 19, /stsTaskState/);
  await runLdapTool('ldapadd', admin, [], task('e', 'export', 'one.ldif'));
  const entry = `dn: cn=e,cn=tasks,${suffix}\nchangetype: modify\n`;
  const changed = await runLdapTool('ldapmodify', admin, [], `${entry}replace: stsTaskFile\nstsTaskFile: two.ldif\n`);
  t.is(changed.status, 53, changed.stderr);
  t.is((await runLdapTool('ldapmodify', admin, [], `${entry}replace: description\ndescription: mine\n`)).status, 0);
  const moved = await runLdapTool('ldapmodrdn', admin, ['-s', `ou=groups,${suffix}`, `cn=e,cn=tasks,${suffix}`, 'cn=e']);
  t.is(moved.status, 53, moved.stderr);
});

test('nobody but who manages the default realm gives tasks or sees them', async (t) => {
  const { atrium, admin } = await open(t);
  const password = 'Correct-horse-9-battery';
  await runLdapTool('ldapadd', admin, [], person('ann', `sn: ann\nuserPassword: ${password}\n`));
  await runLdapTool('ldapadd', admin, [], task('e', 'export', 'one.ldif'));
  const url = atrium.addresses.ldap as string;
  for (const target of [{ url }, { url, dn: `uid=ann,ou=people,${suffix}`, password }]) {
    const { status } = await runLdapTool('ldapadd', target, [], task('x', 'export', 'two.ldif', 'stsTaskOption: secrets\n'));
    t.true([32, 50].includes(status), `${status}`);
    t.is(await read(target, 'e'), '');
    t.not((await runLdapTool('ldapdelete', target, [`cn=e,cn=tasks,${suffix}`])).status, 0);
  }
});

test('a rule of access that lets somebody add entries and write them gives no tasks: who gives one manages the default realm', async (t) => {
  const { atrium, admin } = await open(t);
  const password = 'Correct-horse-9-battery';
  const rule = `dn: cn=tasks,ou=accessRules,${suffix}\nobjectClass: stsAccessRule\ncn: tasks\nstsRuleOrder: 1\nstsRuleWho: dn:uid=ann,ou=people,${suffix}\n`;
  const rights = ['search', 'read', 'write', 'add', 'delete'].map((right) => `stsRuleRight: ${right}\n`).join('');
  const target = `stsRuleTarget: subtree:cn=tasks,${suffix}\n`;
  t.is((await runLdapTool('ldapadd', admin, [], person('ann', `sn: ann\nuserPassword: ${password}\n`))).status, 0);
  const ruled = await runLdapTool('ldapadd', admin, [], `${rule}${rights}${target}`);
  t.is(ruled.status, 0, ruled.stderr);
  const ann: LdapUtilsTarget = { url: atrium.addresses.ldap as string, dn: `uid=ann,ou=people,${suffix}`, password };
  const { status, stderr } = await runLdapTool('ldapadd', ann, [], task('x', 'export', 'two.ldif', 'stsTaskOption: secrets\n'));
  t.is(status, 50, stderr);
  t.regex(stderr, /tasks are given by who manages the default realm/);
});

test('of a file that cannot be read nothing is added, and its import tells the lines, and one without entries adds none', async (t) => {
  const { admin, exchange } = await open(t);
  writeFileSync(join(exchange, 'broken.ldif'), `${person('ann')}dn: uid=bob\nno attribute\n\n`);
  writeFileSync(join(exchange, 'octets.ldif'), Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7) % 256)));
  writeFileSync(join(exchange, 'empty.ldif'), '');
  const names = ['broken', 'octets', 'empty', 'absent'];
  await runLdapTool('ldapadd', admin, [], names.map((name) => task(name, 'import', `${name}.ldif`)).join('\n'));
  t.regex(await ended(admin, 'broken'), /^stsTaskMessage: 001 line 8, uid=bob: no colon$/m);
  t.regex(await ended(admin, 'octets'), /^stsTaskMessage: 001 line 1: /m);
  t.regex(await ended(admin, 'empty'), /^stsTaskResult: 0 entries added$/m);
  t.regex(await ended(admin, 'absent'), /^stsTaskResult: .*absent\.ldif: there is no such file$/m);
  t.is(await found(admin, '(uid=ann)'), 0);
});

test('an import adds all or none: it names line, entry and rule of each refusal; with continue it goes on', async (t) => {
  const { admin, exchange } = await open(t);
  writeFileSync(join(exchange, 'people.ldif'), person('ann') + person('bob', '') + person('cid'));
  await runLdapTool('ldapadd', admin, [], task('all', 'import', 'people.ldif'));
  const all = await ended(admin, 'all');
  t.regex(all, /^stsTaskState: failed$/m);
  t.regex(all, /^stsTaskResult: nothing was added: 1 would be refused$/m);
  t.regex(all, /^stsTaskMessage: 001 line 7, uid=bob.*sn/m);
  t.is(await found(admin, '(uid=ann)'), 0);
  await runLdapTool('ldapadd', admin, [], task('some', 'import', 'people.ldif', 'stsTaskOption: continue\n'));
  t.regex(await ended(admin, 'some'), /^stsTaskResult: 2 entries added, 1 refused$/m);
  t.is(await found(admin, '(|(uid=ann)(uid=bob)(uid=cid))'), 2);
  await runLdapTool('ldapadd', admin, [], task('dry', 'import', 'people.ldif', 'stsTaskOption: dry-run\n'));
  const dry = await ended(admin, 'dry');
  t.regex(dry, /^stsTaskResult: 0 entries would be added, 1 refused$/m);
  t.regex(dry, /^stsTaskMessage: 002 uid=ann.* was there and stays as it is$/m);
  const far = 'dn: uid=far,dc=elsewhere\nuid: far\n\n';
  const torn = ['dn: no name\nobjectClass: person\n\n', person('eve', 'sn Doe\n'), far, person('fay')];
  writeFileSync(join(exchange, 'torn.ldif'), [person('dan'), ...torn].join(''));
  await runLdapTool('ldapadd', admin, [], task('torn', 'import', 'torn.ldif', 'stsTaskOption: continue\n'));
  const faults = await ended(admin, 'torn');
  t.regex(faults, /^stsTaskResult: 2 entries added, 3 refused$/m);
  t.regex(faults, /^stsTaskMessage: 001 line \d+, no name: it is no name/m);
  t.regex(faults, /^stsTaskMessage: 002 line \d+, uid=eve,.*: no colon$/m);
  t.regex(faults, /^stsTaskMessage: 003 line \d+, uid=far,.*it is not of the realm/m);
  await runLdapTool('ldapadd', admin, [], task('nowhere', 'import', 'people.ldif', 'stsTaskRealm: nowhere\n'));
  t.regex(await ended(admin, 'nowhere'), /STS-LDAP-9356.*there is no realm nowhere/);
});

test('deleting the entry of a running import cancels it, and nothing of it is left', async (t) => {
  const { atrium, admin, exchange } = await open(t, { STS_TASKS_ENTRIES_AT_ONCE: '1' });
  writeFileSync(join(exchange, 'people.ldif'), people(1000));
  await runLdapTool('ldapadd', admin, [], task('i', 'import', 'people.ldif'));
  await until(admin, 'i', /^stsTaskDone: [1-9]/m);
  t.true((await found(admin, '(objectClass=person)')) > 1);
  t.is((await runLdapTool('ldapdelete', admin, [`cn=i,cn=tasks,${suffix}`])).status, 0);
  await atrium.recorded(({ action, outcome }) => action === 'task.import' && outcome === 'refused');
  t.is(await found(admin, '(objectClass=person)'), 1, 'the administrator');
});

test('an import adds nothing below what somebody has deleted meanwhile, and nothing to a realm that is being removed', async (t) => {
  const { admin, exchange } = await open(t, { STS_TASKS_ENTRIES_AT_ONCE: '1' });
  const registry = `ou=realms,${suffix}`;
  const unit = (dn: string, ou: string) => `dn: ${dn}\nobjectClass: organizationalUnit\nou: ${ou}\n\n`;
  const below = (dn: string, uid: string) => person(uid).replace(`ou=people,${suffix}`, dn);
  const realm = (id: string) => `dn: cn=${id},${registry}\nobjectClass: stsRealmEntry\ncn: ${id}\nstsRealmId: ${id}\n\n`;
  const made = await runLdapTool('ldapadd', admin, [], `${realm('one')}${realm('two')}`);
  t.is(made.status, 0, made.stderr);
  for (const id of ['one', 'two']) {
    const many = Array.from({ length: 300 }, (_, at) => below(`ou=people,o=${id}`, `p${at}`)).join('');
    const first = unit(`ou=first,ou=people,o=${id}`, 'first');
    writeFileSync(join(exchange, `${id}.ldif`), `${first}${many}${below(`ou=first,ou=people,o=${id}`, 'last')}`);
  }
  const begin = async (id: string) => {
    await runLdapTool('ldapadd', admin, [], task(id, 'import', `${id}.ldif`, `stsTaskRealm: ${id}\n`));
    await until(admin, id, /^stsTaskState: running\n(?:.*\n)*stsTaskDone: [1-9]/m);
  };
  await begin('one');
  t.is((await runLdapTool('ldapdelete', admin, ['ou=first,ou=people,o=one'])).status, 0);
  t.regex(
    await ended(admin, 'one'),
    /^stsTaskResult: .*somebody has deleted an entry that others of the file stand below; nothing of it is left$/m,
  );

  await begin('two');
  const removing = `dn: cn=two,${registry}\nchangetype: modify\nreplace: stsRealmState\nstsRealmState: removing\n`;
  t.is((await runLdapTool('ldapmodify', admin, [], removing)).status, 0);
  t.regex(await ended(admin, 'two'), /^stsTaskResult: .*there is no realm two/m);
});

test('no more tasks wait and are kept than the settings say', async (t) => {
  const { admin, exchange, atrium } = await open(t, {
    STS_TASKS_ENTRIES_AT_ONCE: '1',
    STS_TASKS_WAITING_MAX: '1',
    STS_TASKS_KEPT_MAX: '1',
  });
  writeFileSync(join(exchange, 'people.ldif'), people(1000));
  await runLdapTool('ldapadd', admin, [], `${task('long', 'import', 'people.ldif')}\n${task('next', 'export', 'one.ldif')}`);
  const third = await runLdapTool('ldapadd', admin, [], task('third', 'export', 'two.ldif'));
  t.is(third.status, 11, third.stderr);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-LDAP-9352'));
  await runLdapTool('ldapdelete', admin, [`cn=long,cn=tasks,${suffix}`]);
  await ended(admin, 'next');
  await runLdapTool('ldapadd', admin, [], task('last', 'export', 'three.ldif'));
  await ended(admin, 'last');
  while ((await read(admin, 'next')) !== '');
  t.is(await found(admin, '(objectClass=stsTask)'), 1, 'the oldest that has ended makes way');
});
