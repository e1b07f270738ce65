import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { schema, suffix } from '../directory/driver.ts';
import { differsFromSlapd } from '../equality/compare.ts';
import { type LdapUtilsTarget, runLdapTool, searchWithLdapsearch } from '../support/ldap-utils.ts';
import { randomNumbers } from '../support/people.ts';
import { withPrograms } from '../support/programs.ts';
import { createAtrium, createProxy } from './peers.ts';
import { createWorkload } from './workload.ts';

const people = `ou=people,${suffix}`;
const ada = `uid=ada,${people}`;
const adaPassword = 'Lovelace-1815-engine';

const searches: readonly (readonly string[])[] = [
  ['-b', suffix, '(objectClass=*)', '*', 'entryUUID', 'entryCSN', 'structuralObjectClass', 'createTimestamp'],
  ['-b', suffix, '-s', 'base', '(objectClass=*)', '*', 'contextCSN', 'hasSubordinates'],
  ['-b', people, '-s', 'one', '(|(uid=a*)(mail=*@example.com))', 'mail', 'uid'],
  ['-b', people, '-s', 'children', '(&(objectClass=inetOrgPerson)(!(uidNumber>=1010)))', 'cn', 'uidNumber'],
  ['-b', suffix, '(member=uid=member 1 0,ou=people,dc=example,dc=com)', 'cn'],
  ['-b', suffix, '(description=*changed*)', 'objectClass'],
  ['-b', suffix, '(ou:dn:=people)', 'objectClass'],
  ['-b', suffix, '(sn~=sur3)', 'sn'],
  ['-b', suffix, '(uid=nobody at all)'],
];

const refusedRequests: readonly (readonly ['ldapdelete' | 'ldapsearch' | 'ldapcompare', ...string[]])[] = [
  ['ldapdelete', people],
  ['ldapdelete', `uid=nobody,${people}`],
  ['ldapsearch', '-LLL', '-b', `ou=none,${suffix}`],
  ['ldapsearch', '-LLL', '-b', suffix, '-z', '1', '(objectClass=*)', '1.1'],
  ['ldapcompare', ada, 'sn:Lovelace'],
  ['ldapcompare', ada, 'sn:Other'],
  ['ldapcompare', ada, 'title:none'],
];

withPrograms(
  test,
  'slapd',
  'ldapsearch',
)('slapd’s back-ldap in front of Atrium answers and writes as Atrium does, to an administrator, a person and nobody', async (t) => {
  t.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'atrium-proxy-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const atrium = await createAtrium(folder);
  const proxy = await createProxy(folder, atrium);
  t.teardown(async () => {
    await proxy.stop();
    await atrium.stop();
  });
  await atrium.start();
  await proxy.start();

  const workload = createWorkload(randomNumbers(84_118));
  const person = ['objectClass: inetOrgPerson', 'uid: ada', 'cn: Ada', 'sn: Lovelace', `userPassword: ${adaPassword}`];
  const add = [`dn: ${ada}`, 'changetype: add', ...person, '', ''].join('\n');
  // Written by the one and by the other: each sees what came by the other.
  for (const [target, ldif] of [
    [proxy, add],
    [proxy, workload.batch(40)],
    [atrium, workload.batch(20)],
    [proxy, workload.batch(20)],
  ] as const) {
    const { status, stderr } = await runLdapTool('ldapmodify', target.as, [], ldif);
    t.is(status, 0, `${stderr}\n${ldif}`);
  }

  const askers: readonly Partial<LdapUtilsTarget>[] = [atrium.as, { dn: ada, password: adaPassword }, {}];
  for (const { dn, password } of askers) {
    const who = dn === undefined || password === undefined ? {} : { dn, password };
    const [direct, through] = [atrium, proxy].map(({ as: { url } }) => ({ url, ...who })) as [LdapUtilsTarget, LdapUtilsTarget];
    for (const search of searches) {
      const [expected, found] = await Promise.all([direct, through].map((target) => searchWithLdapsearch(target, search)));
      const answers = (entries: typeof found = []) => ({ result: { code: 0, matchedDN: '', diagnostic: '' }, entries });
      t.is(differsFromSlapd(schema, answers(found), answers(expected)), undefined, `${dn}: ${search.join(' ')}`);
    }
    for (const [tool, ...args] of refusedRequests) {
      const [expected, found] = await Promise.all([direct, through].map((target) => runLdapTool(tool, target, args)));
      t.is(found?.status, expected?.status, `${dn}: ${tool} ${args.join(' ')}: ${expected?.stderr} ${found?.stderr}`);
    }
  }
  const wrong = await Promise.all(
    [atrium, proxy].map(({ as: { url } }) => runLdapTool('ldapwhoami', { url, dn: ada, password: 'wrong' }, [])),
  );
  t.deepEqual(
    wrong.map(({ status }) => status),
    [49, 49],
  );
});
