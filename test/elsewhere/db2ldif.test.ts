import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { brought, contents, folderFor, noteOf, signIn, started, suffix } from './support.ts';

// Written by Debian's ns-slapd: remake-389.ts makes it anew.
const folder = join(import.meta.dirname, '../fixtures/elsewhere');
const ldif = readFileSync(join(folder, 'db2ldif.ldif'), 'utf8');
const schemas = [{ name: '99user.ldif', text: readFileSync(join(folder, '99user.ldif'), 'utf8') }];

withLdapUtils(test)(
  'a db2ldif of 389 Directory Server: people sign in with their old passwords, what cannot be carried over is told',
  async (t) => {
    const dataDir = folderFor(t);
    const result = await brought(t, dataDir, { from: 'db2ldif', ldif, schemas });
    t.is(result.from, 'dc=old,dc=example');
    // Roles, classes of service and a local password policy stay behind.
    t.deepEqual(result.summary.entries, { read: 14, carried: 9 });
    t.like(noteOf(result, 'role', 'nsRoleDefinition'), { entries: 1 });
    t.like(noteOf(result, 'role', 'cosSuperDefinition'), { entries: 1 });
    t.like(noteOf(result, 'role', 'costemplate'), { entries: 1 });
    t.like(noteOf(result, 'role', 'nsRoleDN'), { entries: 1, values: 1 });
    t.like(noteOf(result, 'policy', 'passwordpolicy'), { entries: 1 });
    t.like(noteOf(result, 'access', 'aci'), { entries: 3, values: 3 });
    t.like(noteOf(result, 'renamed', 'nsUniqueId → entryUUID'), { entries: 9 });
    t.like(noteOf(result, 'locked', 'nsAccountLock → pwdAccountLockedTime'), { entries: 1 });
    for (const kept of ['passwordHistory', 'passwordRetryCount', 'retryCountResetTime', 'accountUnlockTime', 'passwordGraceUserTime'])
      t.like(noteOf(result, 'passwordState', kept), { entries: 1, values: 1 });
    t.like(noteOf(result, 'unknownClass', 'nsPerson'), { entries: 1 });
    t.like(noteOf(result, 'classSupplied', 'inetOrgPerson'), { entries: 1 });
    t.like(noteOf(result, 'valueSupplied', 'sn'), { entries: 1 });
    t.like(noteOf(result, 'valueSupplied', 'member: the group itself'), { entries: 1 });
    t.is(noteOf(result, 'passwordHash'), undefined);

    const atrium = await started(t, dataDir);
    t.is(await signIn(atrium, 'ada', 'ada horse'), 0, '{PBKDF2-SHA512}');
    t.is(await signIn(atrium, 'ada', 'emmy horse'), 49);
    t.is(await signIn(atrium, 'carl', 'crypt horse'), 0, '{CRYPT}');
    t.is(await signIn(atrium, 'emmy', 'emmy horse'), 49, 'locked there, disabled here');
    t.is(await signIn(atrium, 'max', 'new max horse'), 0);
    t.is(await signIn(atrium, 'max', 'max horse'), 49);
    const entries = await contents(atrium);
    const ada = entries.get(`uid=ada,ou=people,${suffix}`) ?? [];
    const [, a, b] = /uid=ada,[\s\S]*?nsUniqueId: (\w{8})-(\w{4})/.exec(ldif) ?? [];
    t.true(ada.some((value) => value.startsWith(`entryuuid: ${a}-${b}-`)));
    t.true(ada.includes('examplebadge: B-1815') && ada.includes('cn;lang-fr: Ada la Comtesse'));
    t.true((entries.get(`cn=empty,ou=groups,${suffix}`) ?? []).includes(`member: cn=empty,ou=groups,${suffix}`));
  },
);
