// What services of an ordinary Linux machine ask a directory, as they send it. Sources, as they were read:
// - github.com/SSSD/sssd at 9238b41: sdap_get_rootdse_send and paging (sdap_async.c), users_get_send and groups_get_send (ldap_id.c),
//   sdap_initgr_rfc2307bis (sdap_async_initgroups.c), the maps of rfc2307bis (ldap_opts.c);
// - github.com/arthurdejong/nss-pam-ldapd at 8ddb983: passwd.c, group.c, pam.c, myldap.c;
// - Postfix, ldap_table(5), and Dovecot, passdb and userdb ldap: the queries of their manuals.
import test from 'ava';
import { encodeBer } from '#ldap';
import { departments } from '../support/departments.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { generatePeople } from '../support/people.ts';
import { worldSeed } from './lab/world.ts';
import { connectProgram, type Program, startPeopled, type Told } from './replay.ts';

const ldapTest = withLdapUtils(test);

let started: ReturnType<typeof startPeopled> | undefined;
const serve = () => {
  started ??= startPeopled(30);
  return started;
};
test.after.always(async () => (await started)?.[Symbol.asyncDispose]());

/** Someone to look up: the third of the generated people, whom everybody may read. */
const [, , someone] = [...generatePeople({ count: 30, seed: worldSeed, suffix: 'dc=example,dc=com' })];
const of = (name: string) => Buffer.from(someone?.attributes.find(({ description }) => description === name)?.values[0] ?? []).toString();

/** A connection of a service that signed in with the rights of an ordinary person. */
async function connect(): Promise<{
  readonly service: Program;
  readonly suffix: string;
  readonly people: string;
  readonly groups: string;
}> {
  const atrium = await serve();
  const service = await connectProgram(atrium);
  await service.bind(...reader(atrium.suffix));
  return { service, suffix: atrium.suffix, people: `ou=people,${atrium.suffix}`, groups: `ou=groups,${atrium.suffix}` };
}

const reader = (suffix: string) => [`uid=jmueller,ou=people,${suffix}`, 'Schlüssel-7-Brücke'] as const;
const only = ({ entries }: Told) => [...entries.values()][0] ?? {};
const gidOf = (name: string) => String(30_001 + departments.findIndex((department) => department.name === name));

/** The attributes of sssd's map of users for rfc2307bis, those that no directory here has among them. */
const sssdUser =
  'objectClass uid userPassword uidNumber gidNumber gecos homeDirectory loginShell krbPrincipalName cn memberOf modifyTimestamp ' +
  'shadowLastChange shadowMin shadowMax shadowWarning shadowInactive shadowExpire shadowFlag krbLastPwdChange krbPasswordExpiration ' +
  'pwdAttribute authorizedService accountExpires userAccountControl nsAccountLock host rhost loginDisabled loginExpirationTime ' +
  'loginAllowedTimeMap sshPublicKey userCertificate;binary mail';

ldapTest('sssd: the root DSE, asked for with names that belong to other servers', async (t) => {
  const { service, suffix } = await connect();
  const features = ['supportedControl', 'supportedExtension', 'supportedFeatures', 'supportedLDAPVersion', 'supportedSASLMechanisms'];
  const foreign = ['domainControllerFunctionality', 'defaultNamingContext', 'lastUSN', 'highestCommittedUSN'];
  const attributes = ['*', 'altServer', 'namingContexts', ...features, ...foreign];
  const told = await service.ask({ base: '', scope: 'base', filter: '(objectclass=*)', attributes });
  t.deepEqual([told.code, only(told)['namingContexts'], only(told)['supportedLDAPVersion']], [0, [suffix], ['3']]);
});

ldapTest('sssd: getent passwd by name and by number, and everybody by pages', async (t) => {
  const { service, suffix, people } = await connect();
  const asked = { base: suffix, scope: 'sub', attributes: sssdUser.split(' ') } as const;
  const filter = (by: string) => `(&(${by})(objectclass=posixAccount)(uid=*)(&(uidNumber=*)(!(uidNumber=0))))`;
  const byName = await service.askPaged({ ...asked, filter: filter(`uid=${of('uid')}`) }, 1000);
  t.deepEqual([...byName.entries.keys()], [`uid=${of('uid')},${people}`]);
  for (const name of ['uidNumber', 'gidNumber', 'gecos', 'homeDirectory', 'loginShell']) t.deepEqual(only(byName)[name], [of(name)], name);
  t.is(only(byName)['userPassword'], undefined);
  t.deepEqual(only(await service.ask({ ...asked, filter: filter(`uidNumber=${of('uidNumber')}`) }))['uid'], [of('uid')]);
  t.is((await service.ask({ ...asked, filter: filter('uid=nobody') })).entries.size, 0);
  const everybody = await service.askPaged(
    { ...asked, base: people, filter: '(&(objectclass=posixAccount)(uid=*)(uidNumber=*)(gidNumber=*))' },
    7,
  );
  t.deepEqual([everybody.entries.size, everybody.pages], [30, 5]);
});

ldapTest('sssd: getent group, and the groups of someone by member, each then asked for its own', async (t) => {
  const { service, suffix, people, groups } = await connect();
  const attributes = ['objectClass', 'cn', 'userPassword', 'gidNumber', 'member', 'modifyTimestamp'];
  const asked = { base: suffix, scope: 'sub', attributes } as const;
  const posix = '(cn=*)(&(gidNumber=*)(!(gidNumber=0)))';
  const engineering = only(await service.ask({ ...asked, filter: `(&(cn=engineering)(objectClass=posixGroup)${posix})` }));
  t.deepEqual(engineering['gidNumber'], [gidOf('Engineering')]);
  const member = engineering['member']?.find((dn) => dn.endsWith(people)) ?? '';
  const ofMember = await service.askPaged({ ...asked, filter: `(&(member=${member})(objectClass=posixGroup)(cn=*))` }, 1000);
  t.true(ofMember.entries.has(`cn=engineering,${groups}`));
  const above = await service.ask({ ...asked, filter: `(&(member=cn=engineering,${groups})(objectClass=posixGroup)(cn=*))` });
  t.deepEqual([...above.entries.keys()], [`cn=all-staff,${groups}`]);
});

ldapTest('sssd: members of a group by dereferencing, one search for all of them', async (t) => {
  const { service, groups } = await connect();
  const value = encodeBer((ber) =>
    ber.sequence(() =>
      ber.sequence(() => {
        ber.string('member');
        ber.sequence(() => {
          for (const name of ['objectClass', 'uid', 'cn', 'gidNumber']) ber.string(name);
        });
      }),
    ),
  );
  const control = { oid: '1.3.6.1.4.1.4203.666.5.16', critical: false, value };
  const told = await service.ask({
    base: `cn=leads,${groups}`,
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: ['member'],
    controls: [control],
  });
  t.is(told.code, 0);
  const [answer, ...more] = told.entryControls;
  t.deepEqual([answer?.oid, more.length], [control.oid, 0]);
  for (const member of only(told)['member'] ?? []) t.true(Buffer.from(answer?.value ?? []).includes(member), member);
});

ldapTest('nslcd: passwd, group and the groups of a member, by its default maps', async (t) => {
  const { service, suffix, people } = await connect();
  const passwd = {
    base: suffix,
    scope: 'sub',
    attributes: ['uid', 'uidNumber', 'gidNumber', 'gecos', 'cn', 'homeDirectory', 'loginShell', 'objectClass'],
  } as const;
  t.deepEqual(only(await service.ask({ ...passwd, filter: `(&(objectClass=posixAccount)(uid=${of('uid')}))` }))['uidNumber'], [
    of('uidNumber'),
  ]);
  t.deepEqual(only(await service.ask({ ...passwd, filter: `(&(objectClass=posixAccount)(uidNumber=${of('uidNumber')}))` }))['uid'], [
    of('uid'),
  ]);
  const group = { base: suffix, scope: 'sub', attributes: ['cn', 'userPassword', 'memberUid', 'gidNumber', 'member'] } as const;
  const gid = gidOf('Engineering');
  const byGid = only(await service.ask({ ...group, filter: `(&(objectClass=posixGroup)(gidNumber=${gid}))` }));
  t.deepEqual(byGid['cn'], ['engineering']);
  const dn = byGid['member']?.find((name) => name.endsWith(people)) ?? '';
  const uid = /^uid=([^,]+)/.exec(dn)?.[1] ?? '';
  const ofMember = await service.ask({ ...group, filter: `(&(objectClass=posixGroup)(|(memberUid=${uid})(member=${dn})))` });
  t.true([...ofMember.entries.values()].some(({ cn }) => cn?.includes('engineering')));
});

ldapTest(
  'nslcd: a log-in binds as the person and reads their own entry on that connection, asking for no attribute but “dn”',
  async (t) => {
    const { people } = await connect();
    const session = await connectProgram(await serve());
    const dn = `uid=jmueller,${people}`;
    t.is(await session.bind(dn, 'wrong'), 49);
    t.is(await session.bind(dn, 'Schlüssel-7-Brücke'), 0);
    const own = await session.ask({ base: dn, scope: 'base', filter: '(objectClass=*)', attributes: ['dn'] });
    t.deepEqual([own.code, [...own.entries]], [0, [[dn, {}]]]);
  },
);

ldapTest('Postfix: an address leads to its mailbox, and a group to the addresses of its members', async (t) => {
  const { service, suffix, groups } = await connect();
  const alias = {
    base: suffix,
    scope: 'sub',
    filter: '(&(objectClass=inetOrgPerson)(mail=juergen.mueller@example.com))',
    attributes: ['uid'],
  } as const;
  t.deepEqual(only(await service.ask(alias)), { uid: ['jmueller'] });
  t.is((await service.ask({ ...alias, filter: '(&(objectClass=inetOrgPerson)(mail=nobody@example.com))' })).entries.size, 0);
  // special_result_attribute = member, leaf_result_attribute = mail: each member is read by its DN.
  const attributes = ['mail', 'member'];
  const group = await service.ask({ base: groups, scope: 'sub', filter: '(&(objectClass=groupOfNames)(cn=leads))', attributes });
  const addresses: string[] = [];
  for (const base of only(group)['member'] ?? []) {
    addresses.push(...(only(await service.ask({ base, scope: 'base', filter: '(objectclass=*)', attributes }))['mail'] ?? []));
  }
  t.is(addresses.length, only(group)['member']?.length ?? 0);
  t.true(addresses.every((address) => address.endsWith('@example.com')));
});

ldapTest(
  'Dovecot: looks someone up, binds as them on the same connection and comes back to its own name; and by a template of DNs',
  async (t) => {
    const { service, suffix, people } = await connect();
    const asked = { base: suffix, scope: 'sub', filter: `(&(objectClass=posixAccount)(uid=${of('uid')}))` } as const;
    // pass_attrs asks for the password too, and gets none: auth_bind judges it.
    const found = await service.ask({ ...asked, filter: '(uid=jmueller)', attributes: ['uid', 'userPassword'] });
    t.deepEqual(only(found), { uid: ['jmueller'] });
    const [dn = ''] = found.entries.keys();
    t.is(await service.bind(dn, 'wrong'), 49);
    t.is(await service.bind(dn, 'Schlüssel-7-Brücke'), 0);
    t.is(await service.bind(...reader(suffix)), 0);
    const account = only(await service.ask({ ...asked, attributes: ['homeDirectory', 'uidNumber', 'gidNumber'] }));
    t.deepEqual(account, { homeDirectory: [of('homeDirectory')], uidNumber: [of('uidNumber')], gidNumber: [of('gidNumber')] });
    t.is((await service.ask({ ...asked, filter: '(objectClass=posixAccount)', attributes: ['uid'] })).entries.size, 30);
    const template = await connectProgram(await serve());
    t.is(await template.bind(`uid=jmueller,${people}`, 'Schlüssel-7-Brücke'), 0);
    t.is(await template.bind(`uid=no one,${people}`, 'Schlüssel-7-Brücke'), 49);
  },
);
