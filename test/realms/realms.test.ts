import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { createLog } from '#audit';
import { utf8 } from '#base';
import { readSettings, type SettingRows } from '#catalogue';
import { attributesOf, type DirectoryClient } from '#client';
import { directorySettings } from '#directory';
import { builtInAuthnPolicy, policySettings } from '#policy';
import { openRealms } from '#realms';
import { admin, suffix } from '../directory/driver.ts';
import { observeLog } from '../support/observed.ts';
import { openWebLayer } from '../support/web-layer.ts';

const domain = suffix.replaceAll('dc=', '').replaceAll(',', '.');
const rows = { ...policySettings, ...directorySettings } as const satisfies SettingRows;

async function open(t: ExecutionContext) {
  const { client, clock, house } = await openWebLayer(t);
  let searches = 0;
  const counted: Pick<DirectoryClient, 'as'> = {
    as: (who) => {
      searches++;
      return client.as(who);
    },
  };
  const governing = () => house.engine.store.governing;
  const stream = new PassThrough();
  let logged = '';
  stream.on('data', (chunk: Buffer) => {
    logged += String(chunk);
    observeLog(String(chunk));
  });
  const log = createLog({ json: true, level: 'debug', stream, clock });
  const { values } = readSettings(rows, { environment: { STS_LDAP_DYNAMIC_TTL_S: '77' } });
  const acting = client.as({ dn: admin });
  await acting.add(`ou=realms,${suffix}`, attributesOf({ objectClass: 'organizationalUnit', ou: 'realms' }));
  return {
    realms: (own: SettingRows = rows) =>
      openRealms({ client: counted, suffix, rows: own as typeof rows, settings: values, log, governing }),
    /** Searches that were made meanwhile. */
    searchesOf: async (act: () => Promise<unknown>) => {
      const before = searches;
      await act();
      return searches - before;
    },
    acting,
    add: (id: string, more: Readonly<Record<string, string | string[]>> = {}) =>
      acting.add(`cn=${id},ou=realms,${suffix}`, attributesOf({ objectClass: 'stsRealmEntry', cn: id, stsRealmId: id, ...more })),
    replace: (id: string, description: string, ...values: string[]) =>
      acting.modify(`cn=${id},ou=realms,${suffix}`, [{ operation: 'replace', attribute: { description, values: values.map(utf8) } }]),
    logged: () => logged,
  };
}

test('a realm is what its entry says at this moment: its name, suffix, mode and state', async (t) => {
  const { realms, add, acting, replace } = await open(t);
  const { find, standing, now } = realms();
  t.like(standing, { id: 'default', suffix, prefix: '', mode: 'product', removing: false });
  t.is(await find('acme'), undefined);
  await add('acme');
  const standingThere = { id: 'acme', name: 'acme', suffix: 'o=acme', mode: 'product', prefix: '/realm/acme', removing: false } as const;
  t.deepEqual(await find('acme'), standingThere);
  t.is(await find('acme'), await find('acme'), 'the same object as long as the entry says the same');
  await replace('acme', 'displayName', 'Acme Ltd');
  await replace('acme', 'stsRealmMode', 'development');
  t.deepEqual(await find('acme'), { ...standingThere, name: 'Acme Ltd', mode: 'development' });
  t.is(await now(standing), standing);

  await add('domain', { associatedDomain: 'sub.acme.test' });
  t.like(await find('domain'), { name: 'sub.acme.test', suffix: 'dc=sub,dc=acme,dc=test' });
  await replace('acme', 'stsRealmState', 'removing');
  t.true((await find('acme'))?.removing);
  for (const none of ['default', 'none', 'realms', 'acme,ou=x']) t.is(await find(none), undefined, none);
  t.truthy(acting);
});

test("the settings in force in a realm are its own, and else those of the service, which are the default realm's", async (t) => {
  const { realms, add, replace } = await open(t);
  const { find, settingsOf } = realms();
  await add('acme', { stsSetting: ['ldap.searchSizeLimit=3', 'ldap.anonymousRead=public'] });
  await find('acme');
  t.like(settingsOf('acme'), { 'ldap.searchSizeLimit': 3, 'ldap.anonymousRead': 'public', 'ldap.dynamicTtlS': 77 });
  t.like(settingsOf('default'), { 'ldap.searchSizeLimit': 1000, 'ldap.dynamicTtlS': 77 });
  await replace('acme', 'stsSetting', 'ldap.searchSizeLimit=4');
  await find('acme');
  t.like(settingsOf('acme'), { 'ldap.searchSizeLimit': 4, 'ldap.anonymousRead': 'none' });
  t.is(settingsOf('unheard-of'), settingsOf('default'));
});

test('STS-CORE-0008: a stored setting that no longer passes its check is told once and not applied', async (t) => {
  const { realms, add, logged } = await open(t);
  await add('acme', { stsSetting: ['ldap.searchSizeLimit=300', 'ldap.dynamicTtlS=60'] });
  // A later version with other bounds.
  const { find, settingsOf } = realms({ ...rows, 'ldap.searchSizeLimit': { ...rows['ldap.searchSizeLimit'], max: 200 } });
  await find('acme');
  await find('acme');
  t.is(logged().match(/\[STS-CORE-0008\] realm acme: ldap\.searchSizeLimit must be an integer from \d to 200/g)?.length, 1);
  t.like(settingsOf('acme'), { 'ldap.searchSizeLimit': 1000, 'ldap.dynamicTtlS': 60 });
});

test("a realm with no authentication policy of its own follows the default realm's; removing its own returns it to following", async (t) => {
  const { realms, add, acting } = await open(t);
  const { find, standing, authnPolicy } = realms();
  await add('acme', { associatedDomain: `acme.${domain}` });
  const acme = await find('acme');
  if (acme === undefined) return t.fail();
  const save = async (below: string, word: string) => {
    await acting.add(
      `cn=default,ou=authnPolicies,${below}`,
      attributesOf({ objectClass: 'stsAuthnPolicy', cn: 'default', stsRequireSecondFactor: word }),
    );
  };
  // The furnished directory has none; a realm that is made has.
  await acting.add(`ou=authnPolicies,${suffix}`, attributesOf({ objectClass: 'organizationalUnit', ou: 'authnPolicies' }));
  t.deepEqual(await authnPolicy(acme), { value: builtInAuthnPolicy, from: 'built-in' });
  await save(suffix, 'always');
  t.like(await authnPolicy(acme), { value: { requireSecondFactor: 'always' }, from: 'default realm' });
  t.like(await authnPolicy(standing), { value: { requireSecondFactor: 'always' }, from: 'own' });
  await save(acme.suffix, 'if-held');
  t.like(await authnPolicy(acme), { value: { requireSecondFactor: 'if-held' }, from: 'own' });
  await acting.delete(`cn=default,ou=authnPolicies,${acme.suffix}`);
  t.like(await authnPolicy(acme), { from: 'default realm' });
});

test('a realm and its policies are read again from the first step after a change of any of them, and not before', async (t) => {
  const { realms, add, acting, replace, searchesOf } = await open(t);
  const { find, authnPolicy } = realms();
  await add('acme', { associatedDomain: `acme.${domain}` });
  const acme = await find('acme');
  if (acme === undefined) return t.fail();
  const policyDn = `cn=default,ou=authnPolicies,${acme.suffix}`;
  const step = async () => [await find('acme'), (await authnPolicy(acme)).value.requireSecondFactor];
  await step();
  t.is(await searchesOf(step), 0);
  await acting.modify(admin, [{ operation: 'replace', attribute: { description: 'description', values: [utf8('changed')] } }]);
  t.is(await searchesOf(step), 0, 'what changes somebody alone changes no policy');
  await acting.add(policyDn, attributesOf({ objectClass: 'stsAuthnPolicy', cn: 'default', stsRequireSecondFactor: 'always' }));
  t.is((await step())[1], 'always');
  t.is(await searchesOf(step), 0);
  await acting.modify(policyDn, [
    { operation: 'replace', attribute: { description: 'stsRequireSecondFactor', values: [utf8('if-held')] } },
  ]);
  t.is((await step())[1], 'if-held');
  await acting.delete(policyDn);
  t.is((await step())[1], builtInAuthnPolicy.requireSecondFactor);
  await replace('acme', 'stsRealmState', 'removing');
  t.like((await step())[0], { removing: true });
});

test('a change that comes while a realm is read is there when it is asked for again', async (t) => {
  const { realms, add, replace } = await open(t);
  const { find } = realms();
  await add('acme');
  for (const name of ['one', 'two', 'three']) {
    await Promise.all([find('acme'), replace('acme', 'displayName', name), find('acme')]);
    t.is((await find('acme'))?.name, name);
  }
});
