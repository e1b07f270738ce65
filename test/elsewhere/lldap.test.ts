import test from 'ava';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { lldapTree } from './lldap.ts';
import { brought, contents, folderFor, noteOf, signIn, started, suffix } from './support.ts';

withLdapUtils(test)(
  'what ldapsearch shows of lldap: people and groups come, their passwords cannot, and everything else that stays is told',
  async (t) => {
    const dataDir = folderFor(t);
    const result = await brought(t, dataDir, { from: 'lldap', ldif: lldapTree });
    t.is(result.from, 'dc=home,dc=arpa');
    t.deepEqual(result.summary.entries, { read: 6, carried: 5 });
    t.like(noteOf(result, 'administrator'), { entries: 1 });
    t.like(noteOf(result, 'passwordNone'), { entries: 2, outcome: 'supplied' });
    t.like(noteOf(result, 'unknownAttribute', 'favouritecolour'), { values: 1 });
    t.like(noteOf(result, 'unknownClass', 'mailAccount'), { entries: 2 });
    t.like(noteOf(result, 'classUnmet', 'posixAccount: uidNumber'), { entries: 2 });
    t.like(noteOf(result, 'classSecond', 'groupOfUniqueNames'), { entries: 3 });
    t.like(noteOf(result, 'superseded', 'uniquemember'), { values: 4 });
    t.like(noteOf(result, 'superseded', 'first_name'), { values: 1 });
    t.like(noteOf(result, 'renamed', 'avatar → jpegPhoto'), { values: 1 });
    t.like(noteOf(result, 'notAllowed', 'uid'), { entries: 3 });
    t.like(noteOf(result, 'group', 'cn=lldap_admin'), { entries: 1 });
    t.like(noteOf(result, 'valueSupplied', 'sn'), { entries: 1 });

    const atrium = await started(t, dataDir);
    t.is(await signIn(atrium, 'bob', 'password'), 49);
    const entries = await contents(atrium);
    t.true((entries.get(`uid=bob,ou=people,${suffix}`) ?? []).includes(`memberof: cn=family,ou=groups,${suffix}`));
    t.true((entries.get(`uid=bob,ou=people,${suffix}`) ?? []).some((value) => value.startsWith('jpegphoto: ')));
    t.true((entries.get(`uid=ann,ou=people,${suffix}`) ?? []).includes('sn: ann'));
    t.true((entries.get(`uid=ann,ou=people,${suffix}`) ?? []).includes('createtimestamp: 20240101120000Z'));
    t.true(entries.has(`cn=nobody,ou=groups,${suffix}`));
  },
);
