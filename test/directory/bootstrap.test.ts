import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Refusal } from '#catalogue';
import { bootstrap, openEngine } from '#directory';
import { observe } from '../support/observed.ts';
import { admin, emptyHouse, suffix } from './driver.ts';

const seed = readFileSync(join(import.meta.dirname, '../../ldif/default-realm.ldif'), 'utf8');

test('the first start of an empty folder makes the realm and an administrator whose generated password is told once', async (t) => {
  const house = emptyHouse(t);
  const made = await bootstrap(house.engine, { seed });
  t.is(made.kind, 'made');
  if (made.kind !== 'made' || made.password === undefined) return t.fail('no password');
  t.is(made.administrator, admin);
  t.regex(made.password, /^(?:[A-Za-z2-9]{4}-){4}[A-Za-z2-9]{4}$/);
  const client = house.connect();
  t.is((await client.bind(admin, made.password)).code, 0);
  t.deepEqual((await client.search(suffix, '(objectClass=organizationalUnit)', { scope: 'one' })).dns, [
    `ou=people,${suffix}`,
    `ou=groups,${suffix}`,
    `ou=applications,${suffix}`,
    `ou=authnPolicies,${suffix}`,
    `ou=passwordPolicies,${suffix}`,
    `ou=accessRules,${suffix}`,
    `ou=trustAnchors,${suffix}`,
    `ou=policies,${suffix}`,
    `ou=realms,${suffix}`,
  ]);
  t.deepEqual(await bootstrap(house.engine, { seed }), { kind: 'present' });
});

test('in a new realm uid, mail and uidNumber stand in one entry only, until an administrator says otherwise', async (t) => {
  const house = emptyHouse(t);
  await bootstrap(house.engine, { seed });
  const operator = house.operator();
  const someone = (uid: string, more: Record<string, string>, ou = 'people') =>
    operator.add(`uid=${uid},ou=${ou},${suffix}`, {
      objectClass: ['inetOrgPerson', 'posixAccount'],
      cn: uid,
      sn: uid,
      gidNumber: '1',
      homeDirectory: '/',
      ...more,
    });
  t.is((await someone('one', { mail: 'one@example.com', uidNumber: '7' })).code, 0);
  t.is((await someone('two', { mail: 'ONE@example.com', uidNumber: '8' })).code, 19);
  t.is((await someone('two', { mail: 'two@example.com', uidNumber: '7' })).code, 19);
  t.is((await someone('one', { mail: 'two@example.com', uidNumber: '8' }, 'applications')).code, 19);
  const policy = `cn=names and numbers,ou=policies,${suffix}`;
  t.is((await operator.modify(policy, ['delete', 'stsUniqueAttribute', 'mail'])).code, 0);
  t.is((await someone('two', { mail: 'one@example.com', uidNumber: '8' })).code, 0);
});

test('a configured first password is taken and never told', async (t) => {
  const house = emptyHouse(t, { 'admin.bootstrapPassword': 'chosen by the operator', 'admin.bootstrapUsername': 'root' });
  t.like(await bootstrap(house.engine, { seed }), { kind: 'made', password: undefined });
  t.is((await house.connect().bind(`uid=root,ou=people,${suffix}`, 'chosen by the operator')).code, 0);
});

for (const other of ['o=Acme', 'dc=example,dc=org', 'o=Acme\\, Inc.']) {
  test(`a realm can stand under ${other}`, async (t) => {
    const house = emptyHouse(t, { 'realms.defaultSuffix': other });
    const made = await bootstrap(house.engine, { seed });
    if (made.kind !== 'made' || made.password === undefined) return t.fail('no password');
    const client = house.connect();
    t.is((await client.bind(made.administrator, made.password)).code, 0);
    t.is((await client.search(other, '(ou=people)')).entries.length, 1);
  });
}

test('a suffix that cannot name a realm stops the start and says why', async (t) => {
  for (const unfit of ['nonsense', 'nosuchattribute=x', 'o=Größe']) {
    const error = await t.throwsAsync(async () => bootstrap(emptyHouse(t, { 'realms.defaultSuffix': unfit }).engine, { seed }), {
      instanceOf: Refusal,
    });
    observe(error.row.code);
    t.is(error.row.code, 'STS-LDAP-9033');
  }
});

for (const other of [`ou=people,${suffix}`, 'dc=com', 'dc=example,dc=org'])
  test(`the suffix cannot become ${other} where another realm stands`, async (t) => {
    const { engine } = emptyHouse(t);
    await bootstrap(engine, { seed });
    const moved = openEngine({ ...engine, settings: { ...engine.settings, 'realms.defaultSuffix': other } });
    const error = await t.throwsAsync(bootstrap(moved, { seed }), { instanceOf: Refusal });
    t.is(error?.row.code, 'STS-LDAP-9033');
  });
