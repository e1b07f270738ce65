import test, { type ExecutionContext } from 'ava';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { call, openApi } from './api.ts';

interface Kept {
  readonly name: string;
  readonly id: string;
}

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

const groupDn = (cn: string) => `cn=${cn},ou=groups,${atrium.suffix}`;
const applicationDn = (cn: string) => `cn=${cn},ou=applications,${atrium.suffix}`;

async function read(dn: string, ...attributes: string[]): Promise<Record<string, string[]> | undefined> {
  return await asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client
      .search(dn, { scope: 'base', filter: '(objectClass=*)', attributes })
      .catch(() => ({ searchEntries: [] }));
    const [entry] = searchEntries;
    return entry && Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, [value].flat().map(String)]));
  });
}

async function remove(...dns: readonly string[]) {
  await asAdministrator(atrium, async (client) => {
    for (const dn of dns) await client.del(dn);
  });
}

const whole = { query: { limit: '200' } };
const deletedOf = {
  users: async (t: ExecutionContext): Promise<Kept[]> => (await call(t, atrium, 'users.deleted', whole)).body.deleted,
  groups: async (t: ExecutionContext): Promise<Kept[]> => (await call(t, atrium, 'groups.deleted', whole)).body.deleted,
  applications: async (t: ExecutionContext): Promise<Kept[]> => (await call(t, atrium, 'applications.deleted', whole)).body.deleted,
};

async function addGroup(cn: string, ...member: string[]) {
  await asAdministrator(atrium, (client) => client.add(groupDn(cn), { objectClass: 'groupOfNames', cn, member }));
}

test('groups.deleted and groups.restore: a group deleted by a directory tool comes back with its entryUUID, its members, and the groups it was in', async (t) => {
  const [ada, alan, grace] = [
    await addPerson(atrium, 'ada', 'Ada Lovelace'),
    await addPerson(atrium, 'alan', 'Alan Turing'),
    await addPerson(atrium, 'grace', 'Grace Hopper'),
  ];
  await addGroup('engines', ada.dn, alan.dn, grace.dn);
  await addGroup('outer', groupDn('engines'), ada.dn);
  const before = await read(groupDn('engines'), 'entryUUID');
  await remove(groupDn('engines'));
  t.deepEqual((await read(groupDn('outer'), 'member'))?.['member'], [ada.dn]);
  const [told, ...others] = (await deletedOf.groups(t)).filter(({ name }) => name === 'engines');
  t.deepEqual(others, []);
  t.is(told?.id, before?.['entryUUID']?.[0]);
  t.false(
    (await deletedOf.users(t)).some(({ name }) => name === 'engines'),
    'nobody is a group',
  );

  // Meanwhile one is renamed, one goes, and another takes the name of who went.
  await asAdministrator(atrium, (client) => client.modifyDN(alan.dn, 'uid=turing'));
  await remove(grace.dn);
  await addPerson(atrium, 'grace', 'Another Grace');
  const { status, body } = await call(t, atrium, 'groups.restore', { json: { group: 'engines' } });
  t.is(status, 200);
  t.deepEqual(body, { ok: true, dn: groupDn('engines'), named: [groupDn('outer')], lost: [] });
  const after = await read(groupDn('engines'), 'entryUUID', 'member');
  t.deepEqual(after?.['entryUUID'], before?.['entryUUID']);
  t.deepEqual(after?.['member']?.toSorted(), [ada.dn, `uid=turing,ou=people,${atrium.suffix}`].toSorted());
  t.true((await read(groupDn('outer'), 'member'))?.['member']?.includes(groupDn('engines')));
  t.is((await call(t, atrium, 'groups.restore', { json: { group: 'engines' } })).status, 404, 'a second time');
});

test('a group of which nobody is left comes back without members, and its name is not taken from another', async (t) => {
  const { dn } = await addPerson(atrium, 'solo', 'Solo Singer');
  await addGroup('solos', dn);
  await remove(groupDn('solos'), dn);
  const { id } = (await deletedOf.groups(t)).find(({ name }) => name === 'solos') ?? { id: '' };
  await addGroup('solos', atrium.adminDn);
  t.is((await call(t, atrium, 'groups.restore', { json: { group: id } })).status, 409);
  await asAdministrator(atrium, (client) => client.modifyDN(groupDn('solos'), 'cn=others'));
  t.is((await call(t, atrium, 'groups.restore', { json: { group: id } })).status, 200);
  t.deepEqual((await read(groupDn('solos'), 'member'))?.['member'], ['']);
});

test('a group of very many comes back with each of them', async (t) => {
  const names = Array.from({ length: 600 }, (_, nth) => `cn=m${nth},ou=groups,${atrium.suffix}`);
  await asAdministrator(atrium, async (client) => {
    for (const dn of names) await client.add(dn, { objectClass: 'organizationalRole', cn: /cn=(\w+)/.exec(dn)?.[1] ?? '' });
    await client.add(groupDn('many'), {
      objectClass: ['groupOfUniqueNames', 'posixGroup'],
      cn: 'many',
      gidNumber: '1',
      uniqueMember: names,
      memberUid: ['x', 'y'],
    });
  });
  await remove(groupDn('many'), ...names.slice(0, 10));
  t.is((await call(t, atrium, 'groups.restore', { json: { group: groupDn('many') } })).status, 200);
  const back = await read(groupDn('many'), 'uniqueMember', 'memberUid');
  t.deepEqual(back?.['uniqueMember']?.toSorted(), names.slice(10).toSorted());
  t.deepEqual(back?.['memberUid']?.toSorted(), ['x', 'y']);
});

test('applications.deleted and applications.restore: an application comes back with its keys and without its secret', async (t) => {
  const jwks = JSON.stringify({
    keys: [{ kty: 'EC', crv: 'P-256', x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU', y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0' }],
  });
  const made = await call(t, atrium, 'applications.create', {
    json: { name: 'Shop', clientId: 'shop', grantTypes: ['client_credentials'], scopes: ['openid'], attributes: { stsJwks: [jwks] } },
  });
  t.is(made.status, 201, JSON.stringify(made.body));
  await call(t, atrium, 'applications.make-secret', { json: { application: 'shop' } });
  await addGroup('sellers', applicationDn('Shop'), atrium.adminDn);
  t.deepEqual((await read(applicationDn('Shop'), 'stsHasPassword'))?.['stsHasPassword'], ['TRUE']);
  await remove(applicationDn('Shop'));
  const [told] = await deletedOf.applications(t);
  t.is(told?.id, made.body.id);
  t.is(told?.name, 'Shop');
  const restored = await call(t, atrium, 'applications.restore', { json: { application: 'Shop' } });
  t.deepEqual([restored.status, restored.body.named], [200, [groupDn('sellers')]]);
  const { id, attributes } = (await call(t, atrium, 'applications.read', { params: { application: 'shop' } })).body;
  t.is(id, made.body.id);
  t.deepEqual(attributes.stsJwks, [jwks]);
  t.not((await read(applicationDn('Shop'), 'stsHasPassword'))?.['stsHasPassword']?.[0], 'TRUE');
  t.is((await call(t, atrium, 'applications.restore', { json: { application: 'Shop' } })).status, 404);

  await remove(applicationDn('Shop'));
  t.is(
    (await call(t, atrium, 'applications.create', { json: { name: 'Other', clientId: 'shop', grantTypes: ['client_credentials'] } }))
      .status,
    201,
  );
  const refused = await call(t, atrium, 'applications.restore', { json: { application: made.body.id } });
  t.is(refused.status, 409, 'its client id is another’s');
});
