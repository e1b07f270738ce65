import test from 'ava';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { brought, contents, folderFor, noteOf, signIn, started, suffix } from './support.ts';

// As lldap answers `ldapsearch -LLL`: no entry above those of people and groups, names of attributes as it has them, no password.
const person = (uid: string, ...more: string[]) => `dn: uid=${uid},ou=people,dc=home,dc=arpa
objectclass: inetOrgPerson
objectclass: posixAccount
objectclass: mailAccount
objectclass: person
uid: ${uid}
mail: ${uid}@home.arpa
${more.map((line) => `${line}\n`).join('')}createtimestamp: 20240101120000Z
entryuuid: 0b0c9ea2-7f2a-3a6b-9a43-${uid
  .padEnd(12, '0')
  .replaceAll(/[^0-9a-f]/g, '1')
  .slice(0, 12)}
`;
const group = (cn: string, ...members: string[]) => `dn: cn=${cn},ou=groups,dc=home,dc=arpa
objectclass: groupOfUniqueNames
objectclass: groupOfNames
cn: ${cn}
uid: ${cn}
${members.map((uid) => `member: uid=${uid},ou=people,dc=home,dc=arpa\n`).join('')}${members.map((uid) => `uniquemember: uid=${uid},ou=people,dc=home,dc=arpa\n`).join('')}entryuuid: 1b0c9ea2-7f2a-3a6b-9a43-${cn
  .padEnd(12, '0')
  .replaceAll(/[^0-9a-f]/g, '1')
  .slice(0, 12)}
`;
const ldif = [
  person('admin', 'cn: Administrator'),
  person('bob', 'givenname: Bob', 'sn: Builder', 'cn: Bob Builder', 'favouritecolour: blue'),
  person('ann'),
  group('lldap_admin', 'admin', 'bob'),
  group('family', 'bob', 'ann'),
  group('nobody'),
].join('\n');

withLdapUtils(test)(
  'what ldapsearch shows of lldap: people and groups come, their passwords cannot, and everything else that stays is told',
  async (t) => {
    const dataDir = folderFor(t);
    const result = await brought(t, dataDir, { from: 'lldap', ldif });
    t.is(result.from, 'dc=home,dc=arpa');
    t.deepEqual(result.summary.entries, { read: 6, carried: 5 });
    t.like(noteOf(result, 'administrator'), { entries: 1 });
    t.like(noteOf(result, 'passwordNone'), { entries: 2, outcome: 'supplied' });
    t.like(noteOf(result, 'unknownAttribute', 'favouritecolour'), { values: 1 });
    t.like(noteOf(result, 'unknownClass', 'mailAccount'), { entries: 2 });
    t.like(noteOf(result, 'classUnmet', 'posixAccount: uidNumber'), { entries: 2 });
    t.like(noteOf(result, 'classSecond', 'groupOfUniqueNames'), { entries: 3 });
    t.like(noteOf(result, 'superseded', 'uniquemember'), { values: 4 });
    t.like(noteOf(result, 'notAllowed', 'uid'), { entries: 3 });
    t.like(noteOf(result, 'group', 'cn=lldap_admin'), { entries: 1 });
    t.like(noteOf(result, 'valueSupplied', 'sn'), { entries: 1 });

    const atrium = await started(t, dataDir);
    t.is(await signIn(atrium, 'bob', 'password'), 49);
    const entries = await contents(atrium);
    t.true((entries.get(`uid=bob,ou=people,${suffix}`) ?? []).includes(`memberof: cn=family,ou=groups,${suffix}`));
    t.true((entries.get(`uid=ann,ou=people,${suffix}`) ?? []).includes('sn: ann'));
    t.true((entries.get(`uid=ann,ou=people,${suffix}`) ?? []).includes('createtimestamp: 20240101120000Z'));
    t.true(entries.has(`cn=nobody,ou=groups,${suffix}`));
  },
);
