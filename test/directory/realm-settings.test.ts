import test from 'ava';
import { attributesOf, ClientRefusal } from '#client';
import { openWebLayer } from '../support/web-layer.ts';
import { admin, suffix } from './driver.ts';

/** A directory with the realm `acme`, which has settings of its own. */
async function open(t: Parameters<typeof openWebLayer>[0], stsSetting: string[]) {
  const { client } = await openWebLayer(t);
  const acting = client.as({ dn: admin });
  const registry = `ou=realms,${suffix}`;
  if ((await acting.read(registry)) === undefined)
    await acting.add(registry, attributesOf({ objectClass: 'organizationalUnit', ou: 'realms' }));
  await acting.add(`cn=acme,${registry}`, attributesOf({ objectClass: 'stsRealmEntry', cn: 'acme', stsRealmId: 'acme', stsSetting }));
  return { client, acting, both: [suffix, 'o=acme'] as const };
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
