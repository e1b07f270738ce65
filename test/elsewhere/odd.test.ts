import { join } from 'node:path';
import test from 'ava';
import { LdifError } from '#ldap';
import { testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { bring, brought, contents, folderFor, noteOf, signIn, started, suffix, written } from './support.ts';

const old = 'dc=old,dc=example';
const top = `dn: ${old}\nobjectClass: dcObject\nobjectClass: organization\ndc: old\no: Old\n`;
const ou = (name: string) => `dn: ou=${name},${old}\nobjectClass: organizationalUnit\nou: ${name}\n`;
const person = (uid: string, ...more: string[]) =>
  `dn: uid=${uid},ou=people,${old}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more.map((line) => `${line}\n`).join('')}`;
const horse = '{SSHA}kQmHF8jcbM2LQQtVNkcNVuPyMfpzYWx0';

const withTools = withLdapUtils(test);

withTools('an entry of the built-in administrator’s name stays behind: nobody becomes administrator by an import', async (t) => {
  const dataDir = folderFor(t);
  const ldif = [top, ou('people'), person('admin', 'userPassword: their own'), person('ada', 'userPassword: her own')].join('\n');
  const result = await brought(t, dataDir, { from: 'slapcat', ldif });
  t.like(noteOf(result, 'administrator'), { entries: 1, values: 5 });
  const atrium = await started(t, dataDir);
  t.is(await signIn(atrium, 'admin', 'their own'), 49);
  t.is(await signIn(atrium, 'admin', atrium.adminPassword), 0);
  t.is(await signIn(atrium, 'ada', 'her own'), 0);
});

withTools('who may act for whom in another server may not here: authzTo and authzFrom stay behind', async (t) => {
  const dataDir = folderFor(t);
  const ldif = [
    top,
    ou('people'),
    person('ada', 'authzTo: dn.regex:.*', 'userPassword: her own'),
    person('eve', `authzFrom: dn:uid=ada,ou=people,${old}`),
  ].join('\n');
  const result = await brought(t, dataDir, { from: 'slapcat', ldif });
  t.like(noteOf(result, 'access', 'authzTo'), { values: 1 });
  t.like(noteOf(result, 'access', 'authzFrom'), { values: 1 });
  const atrium = await started(t, dataDir);
  const ada = { url: atrium.addresses.ldap ?? '', dn: `uid=ada,ou=people,${suffix}`, password: 'her own' };
  t.not((await runLdapTool('ldapwhoami', ada, ['-e', `!authzid=dn:uid=eve,ou=people,${suffix}`])).status, 0);
});

withTools('--to: a tree comes into a realm that stands already, beside what it begins with', async (t) => {
  const dataDir = folderFor(t);
  const first = await started(t, dataDir);
  const operators = { url: first.addresses.operators ?? '', external: true as const };
  const made = await runLdapTool(
    'ldapadd',
    operators,
    [],
    `dn: cn=acme,ou=realms,${suffix}\nobjectClass: stsRealmEntry\ncn: acme\nstsRealmId: acme\n`,
  );
  t.is(made.status, 0, made.stderr);
  await first.stop();

  t.deepEqual(await bring(dataDir, { from: 'slapcat', ldif: top, to: 'nobody' }), { kind: 'absent' });
  const ldif = [
    top,
    ou('people'),
    ou('groups'),
    ou('rest'),
    person('ada', `manager: uid=ada,ou=people,${old}`, `userPassword: her own`),
  ].join('\n');
  const result = await brought(t, dataDir, { from: 'slapcat', ldif, to: 'acme' });
  t.is(result.to, 'o=acme');
  t.like(noteOf(result, 'standing'), { entries: 3 }, 'an empty one, too');
  t.deepEqual(result.summary.entries, { read: 5, carried: 2 });
  const atrium = await started(t, dataDir);
  const dn = 'uid=ada,ou=people,o=acme';
  t.is((await runLdapTool('ldapwhoami', { url: atrium.addresses.ldap ?? '', dn, password: 'her own' }, [])).status, 0);
  const entries = await contents({ ...atrium, suffix: 'o=acme' });
  t.true((entries.get(dn) ?? []).includes(`manager: ${dn}`));
});

withTools(
  'into a running service a tree comes by a task, with what it needs of its schema and the report that a stopped folder gives; a dry run tells the same and writes nothing',
  async (t) => {
    const dataDir = folderFor(t);
    const people = [person('ada', 'objectClass: shod', 'shoe: 37', `userPassword: ${horse}`), person('bob', 'nonsense: x')];
    const file = written(dataDir, 'tree.ldif', [top, ou('people'), ...people].join('\n'));
    const schema = written(
      dataDir,
      'own.schema',
      `attributetype ( 1.3.6.1.4.1.32473.7.1 NAME 'shoe' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )\nobjectclass ( 1.3.6.1.4.1.32473.7.2 NAME 'shod' SUP top AUXILIARY MAY shoe )\n`,
    );
    const importing = (data: string, ...more: string[]) =>
      runCli(['import', '--from', 'slapcat', '--schema', schema, ...more, file], testEnvironment(join(dataDir, data)));
    await (await started(t, join(dataDir, 'other'))).stop();
    const stopped = await importing('other');
    t.is(stopped.status, 0, stopped.stderr);

    const atrium = await started(t, join(dataDir, 'data'));
    const dry = await importing('data', '--dry-run');
    t.is(dry.stdout, `${stopped.stdout}\nNothing was written.\n`, dry.stderr);
    t.false((await contents(atrium)).has(`uid=ada,ou=people,${suffix}`));
    const running = await importing('data');
    t.is(running.status, 0, running.stderr);
    t.is(running.stdout, stopped.stdout);
    t.regex(running.stderr, /^task import-.*\n2 entries added\n2 of 4 entries carried over\n$/);
    const ada = (await contents(atrium)).get(`uid=ada,ou=people,${suffix}`) ?? [];
    t.true(ada.includes('shoe: 37') && ada.includes('objectclass: shod'), ada.join());
    const again = await importing('data');
    t.is(again.status, 1, 'who is there already is refused');
    t.regex(again.stderr, /uid=ada.*\n.*nothing was added: 2 would be refused/s);
    t.is((await importing('data', '--to', 'nowhere')).status, 3);
  },
);

test('what is no entry, what cannot be read, and trees without a suffix in common are refused whole', async (t) => {
  const dataDir = folderFor(t);
  const changes = await t.throwsAsync(bring(dataDir, { from: 'slapcat', ldif: `dn: ${old}\nchangetype: delete\n` }), {
    instanceOf: LdifError,
  });
  t.regex(changes.message, /line 1/);
  await t.throwsAsync(bring(dataDir, { from: 'slapcat', ldif: `${top}\ndn: ou=x,${old}\nno colon here\n` }), { instanceOf: LdifError });
  await t.throwsAsync(bring(dataDir, { from: 'lldap', ldif: '\n' }), { instanceOf: LdifError });
  t.is((await bring(dataDir, { from: 'slapcat', ldif: `${top}\ndn: o=other\nobjectClass: organization\no: other\n` })).kind, 'refused');
  const unread = { name: 'own.schema', text: 'attributetype ( nonsense' };
  t.like(noteOf(await brought(t, dataDir, { from: 'slapcat', ldif: top, schemas: [unread], dryRun: true }), 'definition', '( nonsense'), {
    entries: 1,
  });
});

test('an entry that is left out takes what stands below it along, and each is told', async (t) => {
  const ldif = [
    top,
    `dn: cn=odd,${old}\nobjectClass: nobodysClass\nodd: x\n`,
    `dn: uid=below,cn=odd,${old}\nobjectClass: account\nuid: below\n`,
    `dn: uid=lost,ou=nowhere,${old}\nobjectClass: account\nuid: lost\n`,
    `dn: odd=name,${old}\nobjectClass: account\nuid: odd\n`,
  ].join('\n');
  const result = await brought(t, folderFor(t), { from: 'slapcat', ldif, dryRun: true });
  t.deepEqual(result.summary.entries, { read: 5, carried: 1 });
  t.like(noteOf(result, 'orphan'), { entries: 2 });
  t.like(noteOf(result, 'name'), { entries: 1 });
  t.is(result.summary.notes.filter(({ kind }) => kind === 'refused').length, 1);
});

test('a name with control characters does not reach a terminal', async (t) => {
  const dataDir = folderFor(t);
  const dn = Buffer.from(`cn=\u001b[2J\u0007bell,${old}`).toString('base64');
  const file = written(dataDir, 'tree.ldif', `${top}\ndn:: ${dn}\nobjectClass: nobodysClass\ncn: x\n`);
  const { status, stdout, stderr } = await runCli(
    ['import', '--from', 'slapcat', '--dry-run', file],
    testEnvironment(join(dataDir, 'data')),
  );
  t.is(status, 0, stderr);
  t.regex(stdout, /bell/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  t.notRegex(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f]/);
});

test('a hash in an imported tree is judged when it is presented, and not before: a bad one costs nobody the import', async (t) => {
  const hashes = [
    horse,
    '{SSHA}x',
    '{CRYPT}$6$rounds=999999999$salt$x',
    '{ARGON2}$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA',
    '{crypt}$1$abc$def',
  ];
  const ldif = [top, ou('people'), ...hashes.map((hash, at) => person(`p${at}`, `userPassword: ${hash}`))].join('\n');
  const result = await brought(t, folderFor(t), { from: 'slapcat', ldif });
  t.is(result.summary.entries.carried, 7);
  t.like(noteOf(result, 'passwordHash', '{SSHA}'), { values: 1 });
  t.like(noteOf(result, 'passwordHash', '{ARGON2}$argon2id$'), { values: 1 });
  t.like(noteOf(result, 'passwordHash', '{CRYPT}$1$'), { values: 1 });
  t.like(noteOf(result, 'passwordNone'), { entries: 4 });
});
