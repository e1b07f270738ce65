import test from 'ava';
import { utf8 } from '#base';
import { attributesOf, ClientRefusal } from '#client';
import { openWebLayer } from '../support/web-layer.ts';
import { admin, suffix } from './driver.ts';

/** A directory with the realm `acme`, which has settings of its own. */
async function open(t: Parameters<typeof openWebLayer>[0], stsSetting: string[]) {
  const { client, house } = await openWebLayer(t);
  const acting = client.as({ dn: admin });
  const registry = `ou=realms,${suffix}`;
  if ((await acting.read(registry)) === undefined)
    await acting.add(registry, attributesOf({ objectClass: 'organizationalUnit', ou: 'realms' }));
  await acting.add(
    `cn=acme,${registry}`,
    attributesOf({ objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme', ...(stsSetting.length > 0 && { stsSetting }) }),
  );
  return { client, engine: house.engine, acting, both: [suffix, 'o=acme'] as const };
}

test('ldap.dynamicTtlS of a realm is how long its dynamic entries have, and no others', async (t) => {
  const { acting, both } = await open(t, ['ldap.dynamicTtlS=77']);
  const lives = [];
  for (const each of both) {
    const dn = `cn=meeting,ou=groups,${each}`;
    await acting.add(dn, attributesOf({ objectClass: ['applicationProcess', 'dynamicObject'], cn: 'meeting' }));
    lives.push((await acting.read(dn, ['entryTtl']))?.one('entryTtl'));
  }
  t.deepEqual(lives, ['3600', '77']);
});

test('ldap.referencesNothing of a realm is what its groups without members name', async (t) => {
  const { acting, both } = await open(t, ['ldap.referencesNothing=cn=nobody at all']);
  const members = [];
  for (const each of both) {
    const [person, group] = [`uid=gone,ou=people,${each}`, `cn=alone,ou=groups,${each}`];
    await acting.add(person, attributesOf({ objectClass: 'inetOrgPerson', uid: 'gone', cn: 'G', sn: 'G' }));
    await acting.add(group, attributesOf({ objectClass: 'groupOfNames', cn: 'alone', member: person }));
    await acting.delete(person);
    members.push((await acting.read(group, ['member']))?.one('member'));
  }
  t.deepEqual(members, ['', 'cn=nobody at all']);
});

test('a realm sets nothing that is of the whole service', async (t) => {
  const refused = await t.throwsAsync(open(t, ['ldap.clientCertificateRule=uid']), { instanceOf: ClientRefusal });
  t.is(refused.code, 19);
  t.regex(refused.diagnostic, /ldap\.clientCertificateRule is of the whole service/);
});

test("a realm with no password policy of its own follows the default realm's; removing its own returns it to following", async (t) => {
  const { engine, acting, both } = await open(t, []);
  const [standing, acme] = both;
  const dn = `uid=eve,ou=people,${acme}`;
  await acting.add(dn, attributesOf({ objectClass: 'inetOrgPerson', uid: 'eve', cn: 'E', sn: 'E' }));
  await acting.add(`ou=passwordPolicies,${standing}`, attributesOf({ objectClass: 'organizationalUnit', ou: 'passwordPolicies' }));
  let count = 0;
  /** Sets a password and says for which mechanisms it left a verifier. */
  const verifiers = async () => {
    const value = utf8(`Analytical-Engine-${++count}`);
    await acting.modify(dn, [{ operation: 'replace', attribute: { description: 'userPassword', values: [value] } }]);
    const uuid = (await acting.read(dn, ['entryUUID']))?.one('entryUUID') ?? '';
    const secret = Buffer.from(engine.store.snapshot().byUuid(uuid)?.secret ?? []).toString('latin1');
    return [...new Set([...secret.matchAll(/SCRAM-SHA-(?:256|1)/g)].map(([name]) => name))];
  };
  const save = (below: string, more: Readonly<Record<string, string>>) =>
    acting.add(`cn=default,ou=passwordPolicies,${below}`, attributesOf({ objectClass: 'stsPasswordPolicy', cn: 'default', ...more }));

  t.deepEqual(await verifiers(), [], 'built-in: none');
  await save(standing, { stsScramMechanism: 'SCRAM-SHA-256' });
  t.deepEqual(await verifiers(), ['SCRAM-SHA-256'], "the default realm's");
  await save(acme, { stsScramMechanism: 'SCRAM-SHA-1' });
  t.deepEqual(await verifiers(), ['SCRAM-SHA-1'], 'its own');
  await acting.delete(`cn=default,ou=passwordPolicies,${acme}`);
  t.deepEqual(await verifiers(), ['SCRAM-SHA-256'], "the default realm's again");
  await save(acme, {});
  t.deepEqual(await verifiers(), [], 'its own, which wants none');
});

test('ldap.searchSizeLimit of a realm limits who searches in it, and nobody in another', async (t) => {
  const { client, acting, both } = await open(t, ['ldap.searchSizeLimit=1']);
  const whole = [];
  for (const each of both) {
    for (const uid of ['one', 'two']) {
      await acting.add(`uid=${uid},ou=people,${each}`, attributesOf({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid }));
    }
    const filter = { kind: 'present', description: 'uid' } as const;
    const asked = { base: `ou=people,${each}`, scope: 'sub', filter, attributes: ['uid'] } as const;
    whole.push((await client.as({ dn: `uid=one,ou=people,${each}` }).search(asked)).complete);
    // Who may do everything has no limits but their own.
    t.true((await acting.search(asked)).complete);
  }
  t.deepEqual(whole, [true, false]);
});
