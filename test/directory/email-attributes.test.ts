import test from 'ava';
import { utf8 } from '#base';
import { type Actor, attributesOf, ClientRefusal } from '#client';
import { openWebLayer } from '../support/web-layer.ts';
import { admin, suffix } from './driver.ts';

const ada = `uid=ada-mail,ou=people,${suffix}`;
const bob = `uid=bob-mail,ou=people,${suffix}`;

async function open(t: Parameters<typeof openWebLayer>[0]) {
  const { client, clock } = await openWebLayer(t);
  const acting = client.as({ dn: admin });
  for (const [dn, uid] of [
    [ada, 'ada-mail'],
    [bob, 'bob-mail'],
  ] as const)
    await acting.add(dn, attributesOf({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, mail: `${uid}@example.org` }));
  const fresh = (dn: string, agoMs = 0) =>
    client.as({ dn, session: { factors: 1, authenticatedMs: clock.nowMs() - agoMs, address: '192.0.2.1', isProtected: true } });
  return { web: client.as('self'), acting, fresh };
}

/** 0, or the code of the refusal. */
async function write(
  actor: Actor,
  dn: string,
  name: string,
  values: readonly string[],
  operation: 'replace' | 'increment' | 'add' = 'replace',
) {
  try {
    await actor.modify(dn, [{ operation, attribute: { description: name, values: values.map(utf8) } }]);
    return 0;
  } catch (error) {
    if (error instanceof ClientRefusal) return error.code;
    throw error;
  }
}

test('a person opts in to an emailed second factor in their own name, freshly; nobody else does for them', async (t) => {
  const { fresh } = await open(t);
  t.is(await write(fresh(ada, 301_000), ada, 'stsEmailFactor', ['TRUE']), 50);
  t.is(await write(fresh(bob), ada, 'stsEmailFactor', ['TRUE']), 50);
  t.is(await write(fresh(ada), ada, 'stsEmailFactor', ['TRUE']), 0);
  t.deepEqual((await fresh(ada).read(ada, ['stsEmailFactor']))?.all('stsEmailFactor'), ['TRUE']);
});

test('nobody vouches for their own address, nor forgives their own failures: the web layer says both, and whoever manages', async (t) => {
  const { web, acting, fresh } = await open(t);
  for (const [name, value] of [
    ['stsVerifiedMail', 'ada-mail@example.org'],
    ['stsEmailFailures', '1'],
    ['stsEmailFirstFailures', '1'],
  ] as const) {
    t.is(await write(fresh(ada), ada, name, [value]), 50, name);
    t.is(await write(fresh(bob), ada, name, [value]), 50, name);
    t.is(await write(web, ada, name, [value]), 0, name);
    t.is(await write(acting, ada, name, []), 0, name);
    t.is(await write(web, ada, name, [value]), 0, name);
    t.deepEqual((await fresh(ada).read(ada, [name]))?.all(name), [value]);
    t.is((await fresh(bob).read(ada, [name]))?.all(name).length ?? 0, 0, name);
  }
  t.is(await write(web, ada, 'stsEmailFailures', ['1'], 'increment'), 0);
  t.deepEqual((await web.read(ada, ['stsEmailFailures']))?.all('stsEmailFailures'), ['2']);
  // And no more than that.
  for (const [name, value] of [
    ['stsEmailFactor', 'TRUE'],
    ['mail', 'eve@example.org'],
    ['stsMfaRequired', 'FALSE'],
  ] as const)
    t.is(await write(web, ada, name, [value]), 50, name);
});
