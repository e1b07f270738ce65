import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { type LdapTool, type LdapUtilsTarget, runLdapTool, searchWithLdapsearch, withLdapUtils } from '../support/ldap-utils.ts';

const ldapTest = withLdapUtils(test);

let furnished: ReturnType<typeof furnish> | undefined;
/** The service of this file, with two people, and the ways to reach it. Each test adds what it changes. */
const serve = () => {
  furnished ??= furnish();
  return furnished;
};
test.after.always(async () => (await furnished)?.atrium[Symbol.asyncDispose]());

async function furnish() {
  const atrium = await startTestAtrium();
  const { suffix } = atrium;
  const people = `ou=people,${suffix}`;
  const { ldap = '', ldaps = '', operators = '' } = atrium.addresses;
  const as = { dn: atrium.adminDn, password: atrium.adminPassword };
  const anonymous: LdapUtilsTarget = { url: ldap };
  const plain: LdapUtilsTarget = { url: ldap, ...as };
  const tls: LdapUtilsTarget = { url: ldaps, ...as, caFile: join(atrium.dataDir, 'tls', 'ca.pem') };
  const socket: LdapUtilsTarget = { url: operators, external: true };
  const added = await runLdapTool('ldapadd', socket, [], twoPeople(people));
  if (added.status !== 0) throw new Error(added.stderr);
  return { atrium, suffix, people, as, anonymous, plain, tls, socket };
}

/** Katherine has a password, Dorothy has none. */
const twoPeople = (people: string) => `dn: uid=katherine,${people}
objectClass: inetOrgPerson
uid: katherine
cn: Katherine Johnson
cn;lang-fr:: S2F0aGVyaW5lLCBtYXRow6ltYXRpY2llbm5l
sn: Johnson
mail: katherine@example.com
userPassword: Trajectory of 1953

dn: uid=dorothy,${people}
objectClass: inetOrgPerson
uid: dorothy
cn: Dorothy Vaughan
sn: Vaughan
`;

const grace = (people: string, uid = 'grace') => `dn: uid=${uid},${people}
objectClass: inetOrgPerson
uid: ${uid}
cn: Grace Hopper
sn: Hopper
mail: ${uid}@example.com
userPassword: Nanosecond-of-1906
`;

const doors = ['plain', 'tls', 'socket'] as const;

for (const door of doors) {
  ldapTest(`the whole life of an entry over ${{ plain: 'ldap', tls: 'ldaps', socket: 'ldapi with EXTERNAL' }[door]}`, async (t) => {
    const house = await serve();
    const { people } = house;
    const target = house[door];
    const dn = `uid=grace-${door},${people}`;
    const renamed = `uid=ghopper-${door},${people}`;
    const run = async (tool: LdapTool, args: readonly string[], input = '') => {
      const { status, stderr } = await runLdapTool(tool, target, args, input);
      return [status, stderr];
    };
    const read = async (base: string, ...attributes: string[]) => {
      const entries = await searchWithLdapsearch(target, ['-b', base, '-s', 'base', '(objectClass=*)', ...attributes]);
      return entries.map((entry) =>
        Object.fromEntries(entry.attributes.map((a) => [a.description, a.values.map((v) => Buffer.from(v).toString())])),
      );
    };

    t.deepEqual(await run('ldapadd', [], grace(people, `grace-${door}`)), [0, '']);
    t.deepEqual(await read(dn, 'cn', 'mail'), [{ cn: ['Grace Hopper'], mail: [`grace-${door}@example.com`] }]);
    t.is((await run('ldapadd', [], grace(people, `grace-${door}`)))[0], 68);

    const change = `dn: ${dn}
changetype: modify
replace: mail
mail: hopper-${door}@example.com
-
add: telephoneNumber
telephoneNumber: +1 202 555 0106
-
`;
    t.deepEqual(await run('ldapmodify', [], change), [0, '']);
    t.deepEqual(await read(dn, 'mail', 'telephoneNumber'), [
      { mail: [`hopper-${door}@example.com`], telephoneNumber: ['+1 202 555 0106'] },
    ]);

    t.is((await run('ldapcompare', [dn, 'sn:HOPPER']))[0], 6);
    t.is((await run('ldapcompare', [dn, 'sn:Johnson']))[0], 5);

    t.deepEqual(await run('ldapmodrdn', ['-r', dn, `uid=ghopper-${door}`]), [0, '']);
    t.deepEqual(await read(renamed, 'uid'), [{ uid: [`ghopper-${door}`] }]);
    t.is((await runLdapTool('ldapsearch', target, ['-b', dn, '-s', 'base'])).status, 32);

    t.deepEqual(await run('ldapdelete', [renamed]), [0, '']);
    t.is((await run('ldapdelete', [renamed]))[0], 32);
  });
}

ldapTest('ldapwhoami says who one is, by every door', async (t) => {
  const { anonymous, plain, tls, socket, as } = await serve();
  const said = async (target: LdapUtilsTarget) => {
    const { status, stdout } = await runLdapTool('ldapwhoami', target, []);
    return [status, stdout.trim()];
  };
  t.deepEqual(await said(anonymous), [0, 'anonymous']);
  t.deepEqual(await said(plain), [0, `dn:${as.dn}`]);
  t.deepEqual(await said(tls), [0, `dn:${as.dn}`]);
  t.deepEqual(await said(socket), [0, 'u:operator']);
});

ldapTest('a person who was just added signs in with the password of the LDIF, and it is readable by nobody', async (t) => {
  const { plain, socket, people } = await serve();
  await runLdapTool('ldapadd', plain, [], grace(people));
  const dn = `uid=grace,${people}`;
  t.is((await runLdapTool('ldapwhoami', { url: plain.url, dn, password: 'Nanosecond-of-1906' }, [])).stdout, `dn:${dn}\n`);
  for (const target of [plain, socket, { url: plain.url, dn, password: 'Nanosecond-of-1906' }]) {
    const { status, stdout } = await runLdapTool('ldapsearch', target, [
      '-LLL',
      '-b',
      dn,
      '-s',
      'base',
      '(objectClass=*)',
      '*',
      '+',
      'userPassword',
    ]);
    t.is(status, 0);
    t.regex(stdout, /^uid: grace$/m);
    t.notRegex(stdout, /userPassword/i);
  }
});

ldapTest('wrong password, unknown person and no password in the entry: invalidCredentials (49), the same words', async (t) => {
  const { plain, people } = await serve();
  const words = new Set<string>();
  for (const [uid, password] of [
    ['katherine', 'wrong'],
    ['nobody', 'Trajectory of 1953'],
    ['dorothy', 'anything'],
  ] as const) {
    const { status, stderr } = await runLdapTool('ldapwhoami', { url: plain.url, dn: `uid=${uid},${people}`, password }, []);
    t.is(status, 49);
    words.add(stderr);
  }
  t.is(words.size, 1);
});

ldapTest('a DN without a password is no sign-in: unwillingToPerform (53), RFC 4513 §5.1.2', async (t) => {
  const { plain, people } = await serve();
  t.is((await runLdapTool('ldapwhoami', { url: plain.url, dn: `uid=katherine,${people}`, password: '' }, [])).status, 53);
});

ldapTest('ldaps: a client that does not trust the authority refuses the server', async (t) => {
  const { tls, as } = await serve();
  const { status, stderr } = await runLdapTool('ldapwhoami', { url: tls.url, ...as, caFile: '/dev/null' }, []);
  t.is(status, 255);
  t.regex(stderr, /Can't contact LDAP server/);
});

ldapTest('the schema speaks: which attribute, and why', async (t) => {
  const { plain, people } = await serve();
  const wrong: readonly [title: string, ldif: string, status: number, why: RegExp][] = [
    ['an attribute that must be there', `dn: uid=x,${people}\nobjectClass: inetOrgPerson\nuid: x\ncn: X\n`, 65, /\bsn\b/],
    ['an attribute that may not', `${grace(people, 'wrong')}uidNumber: 7\n`, 65, /uidNumber/],
    ['an attribute that does not exist', `${grace(people, 'wrong')}favouriteColour: teal\n`, 17, /favouriteColour/],
    ['a value that does not fit', `${grace(people, 'wrong')}manager: not a name\n`, 21, /manager/],
    ['a class that does not exist', `dn: cn=x,${people}\nobjectClass: starship\ncn: x\n`, 21, /objectClass/],
    ['a parent that does not exist', `dn: uid=x,ou=nowhere,${people}\nobjectClass: inetOrgPerson\nuid: x\ncn: X\nsn: X\n`, 32, /./],
  ];
  for (const [title, ldif, status, why] of wrong) {
    const ran = await runLdapTool('ldapadd', plain, [], ldif);
    t.is(ran.status, status, `${title}: ${ran.stderr}`);
    t.regex(ran.stderr, why, title);
  }
});

ldapTest('a modify is done whole or not at all', async (t) => {
  const { plain, people } = await serve();
  const dn = `uid=katherine,${people}`;
  const change = `dn: ${dn}\nchangetype: modify\nreplace: mail\nmail: new@example.com\n-\ndelete: description\ndescription: never there\n-\n`;
  t.is((await runLdapTool('ldapmodify', plain, [], change)).status, 16);
  const [entry] = await searchWithLdapsearch(plain, ['-b', dn, '-s', 'base', '(objectClass=*)', 'mail']);
  t.deepEqual(
    entry?.attributes.map(({ values }) => values.map((value) => Buffer.from(value).toString())),
    [['katherine@example.com']],
  );
});

ldapTest('an entry that holds others is not deleted: notAllowedOnNonLeaf (66)', async (t) => {
  const { plain, people } = await serve();
  t.is((await runLdapTool('ldapdelete', plain, [people])).status, 66);
});

ldapTest('anonymous sees root DSE and subschema and nothing else, and writes nothing', async (t) => {
  const { anonymous, people, suffix } = await serve();
  const rootDse = await runLdapTool('ldapsearch', anonymous, ['-LLL', '-b', '', '-s', 'base', '(objectClass=*)', '+']);
  t.is(rootDse.status, 0);
  t.regex(rootDse.stdout, new RegExp(`^namingContexts: ${suffix}$`, 'm'));
  t.regex(rootDse.stdout, /^supportedLDAPVersion: 3$/m);
  const subschema = await runLdapTool('ldapsearch', anonymous, [
    '-LLL',
    '-b',
    'cn=subschema',
    '-s',
    'base',
    '(objectClass=subschema)',
    'objectClasses',
  ]);
  t.regex(subschema.stdout.replace(/\n /g, ''), /NAME 'inetOrgPerson'/);

  const { stdout } = await runLdapTool('ldapsearch', anonymous, ['-LLL', '-b', suffix, '(uid=katherine)']);
  t.notRegex(stdout, /katherine/);
  t.not((await runLdapTool('ldapadd', anonymous, [], grace(people, 'stranger'))).status, 0);
});

ldapTest('a person writes a few attributes of their own and none of another’s', async (t) => {
  const { plain, people } = await serve();
  const katherine = { url: plain.url, dn: `uid=katherine,${people}`, password: 'Trajectory of 1953' };
  const write = (uid: string, attribute: string) =>
    runLdapTool(
      'ldapmodify',
      katherine,
      [],
      `dn: uid=${uid},${people}\nchangetype: modify\nreplace: ${attribute}\n${attribute}: +44 20 7946 0000\n-\n`,
    );
  t.is((await write('katherine', 'telephoneNumber')).status, 0);
  t.is((await write('katherine', 'employeeNumber')).status, 50);
  t.is((await write('dorothy', 'telephoneNumber')).status, 50);
});

ldapTest('size limit, types only, selection and options', async (t) => {
  const { plain, people } = await serve();
  const limited = await runLdapTool('ldapsearch', plain, [
    '-LLL',
    '-z',
    '1',
    '-b',
    people,
    '-s',
    'one',
    '(objectClass=inetOrgPerson)',
    '1.1',
  ]);
  t.is(limited.status, 4);
  t.is(limited.stdout.match(/^dn: /gm)?.length, 1);
  t.notRegex(limited.stdout, /^cn:/m);

  const types = await runLdapTool('ldapsearch', plain, [
    '-LLL',
    '-A',
    '-b',
    `uid=katherine,${people}`,
    '-s',
    'base',
    '(objectClass=*)',
    'cn',
    'mail',
  ]);
  t.regex(types.stdout, /^mail:$/m);
  t.notRegex(types.stdout, /example\.com$/m);

  const optioned = await runLdapTool('ldapsearch', plain, [
    '-LLL',
    '-b',
    `uid=katherine,${people}`,
    '-s',
    'base',
    '(objectClass=*)',
    'cn;lang-fr',
  ]);
  t.regex(optioned.stdout, /^cn;lang-fr:: /m);
  t.notRegex(optioned.stdout, /^cn: /m);
});

ldapTest('broken names and filters are refused in the protocol’s words', async (t) => {
  const { plain } = await serve();
  t.is((await runLdapTool('ldapsearch', plain, ['-b', 'no name', '(cn=a)'])).status, 34);
  t.is((await runLdapTool('ldapdelete', plain, ['cn=a+'])).status, 34);
  t.is((await runLdapTool('ldapcompare', plain, ['uid=nobody,ou=nowhere', 'cn:a'])).status, 32);
});

ldapTest('a control that is not known: refused when it is critical (12), ignored when not (RFC 4511 §4.1.11)', async (t) => {
  const { plain, people } = await serve();
  const search = (control: string) => runLdapTool('ldapsearch', plain, ['-LLL', '-E', control, '-b', people, '-s', 'base', '1.1']);
  t.is((await search('!1.2.3.4.5.6')).status, 12);
  t.is((await search('1.2.3.4.5.6')).status, 0);
});
