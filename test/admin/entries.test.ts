import test from 'ava';
import type { TestAtrium } from '../support/atrium.ts';
import { call, openApi } from './api.ts';

let atrium: TestAtrium;
test.before(async () => {
  atrium = await openApi();
});
test.after.always(() => atrium?.[Symbol.asyncDispose]());

test('any entry of the realm is read, added, found, changed, renamed and deleted, as the schema allows it', async (t) => {
  const above = `ou=groups,${atrium.suffix}`;
  const dn = `ou=rooms,${above}`;
  const made = await call(t, atrium, 'entries.create', {
    json: { dn, attributes: { objectClass: ['organizationalUnit'], ou: ['rooms'] } },
  });
  t.is(made.status, 201);
  const refused = await call(t, atrium, 'entries.create', {
    json: { dn: `cn=x,${above}`, attributes: { objectClass: ['person'], cn: ['x'] } },
  });
  t.is(refused.status, 400);

  const changed = await call(t, atrium, 'entries.change', { json: { dn, attributes: { description: ['Where we meet'] } } });
  t.is(changed.status, 200);
  const read = await call(t, atrium, 'entries.read', { query: { dn } });
  t.deepEqual(read.body.attributes.description, ['Where we meet']);
  const stale = await call(t, atrium, 'entries.change', {
    json: { dn, attributes: { description: [] } },
    headers: { 'if-match': `"${made.body.etag}"` },
  });
  t.is(stale.status, 412);
  t.is((await call(t, atrium, 'entries.change', { json: { dn, attributes: {} } })).status, 400);

  const found = await call(t, atrium, 'entries.search', { query: { base: above, filter: '(description=Where*)' } });
  t.deepEqual(
    found.body.entries.map((each: { readonly dn: string }) => each.dn),
    [dn],
  );
  const words = await call(t, atrium, 'entries.search', { query: { q: 'rooms' } });
  t.is(words.body.entries.length, 1);

  const renamed = await call(t, atrium, 'entries.rename', { json: { dn, newRdn: 'ou=places' } });
  t.is(renamed.body.dn, `ou=places,${above}`);
  t.is((await call(t, atrium, 'entries.rename', { json: { dn: renamed.body.dn, newRdn: 'no name' } })).status, 400);
  t.is((await call(t, atrium, 'entries.delete', { query: { dn: renamed.body.dn } })).status, 200);
  t.is((await call(t, atrium, 'entries.read', { query: { dn: renamed.body.dn } })).status, 404);
});

test('entries of elsewhere are not there', async (t) => {
  for (const dn of ['cn=Subschema', 'dc=com', 'cn=x,o=other'])
    t.is((await call(t, atrium, 'entries.read', { query: { dn } })).status, 404, dn);
  t.is((await call(t, atrium, 'entries.read', { query: { dn: 'no name' } })).status, 400);
  t.is((await call(t, atrium, 'entries.search', { query: { base: 'dc=org' } })).status, 404);
});

test('the Location of what was made answers a GET', async (t) => {
  const made: readonly (readonly [name: string, json: object])[] = [
    ['entries.create', { dn: `ou=a & b,ou=groups,${atrium.suffix}`, attributes: { objectClass: ['organizationalUnit'] } }],
    ['access.create', { name: 'located', order: 7, who: ['anonymous'], rights: ['read'], effect: 'deny', attributes: ['mail'] }],
    ['users.create', { uid: 'located', name: 'Lo Cated' }],
    ['groups.create', { name: 'located', members: [`uid=located,ou=people,${atrium.suffix}`] }],
    ['applications.create', { name: 'located', clientId: 'located', redirectUris: ['https://located.example/back'] }],
  ];
  for (const [name, json] of made) {
    const answer = await call(t, atrium, name, { json });
    t.is(answer.status, 201, `${name}: ${JSON.stringify(answer.body)}`);
    const read = await fetch(`${atrium.addresses.http}${answer.headers.get('location')}`);
    t.is(read.status, 200, name);
    const { dn } = (await read.json()) as { dn: string };
    t.is(dn, answer.body.dn);
  }
});

test('a refusal of the directory names the member that it is about', async (t) => {
  const uris = ['https://fields.example/back'];
  const refused: readonly (readonly [
    name: string,
    json: object,
    field: string,
    says: RegExp,
    params?: Readonly<Record<string, string>>,
  ])[] = [
    ['applications.create', { name: 'fields', clientId: 'f', redirectUris: ['zzz'] }, 'redirectUris', /^zzz is no absolute address$/],
    ['applications.create', { name: 'fields', clientId: 'f', redirectUris: uris, grantTypes: ['foo'] }, 'grantTypes', /^foo is none of/],
    ['groups.create', { name: 'fields' }, 'members', /requires attribute 'member'/],
    ['users.create', { uid: 'fields', name: 'Fi Elds', attributes: { nope: ['x'] } }, 'attributes.nope', /^nope: /],
    ['users.create', { uid: 'admin', name: 'Ad Min' }, 'uid', /taken/],
    ['users.change', { attributes: { title: [''] } }, 'attributes.title', /syntax/, { user: 'admin' }],
  ];
  for (const [name, json, field, says, params = {}] of refused) {
    const { body } = await call(t, atrium, name, { json, params });
    t.is(body.errors[0].field, field, JSON.stringify(body));
    t.regex(body.errors[0].message, says);
  }
});

test('a value that another entry has is told by the member that brought it: a mail address, a client id', async (t) => {
  const uris = ['https://taken.example/back'];
  const twice: readonly (readonly [name: string, one: object, other: object, field: string])[] = [
    ['users.create', { uid: 'taken1', name: 'Ta Ken', mail: ['t@x.org'] }, { uid: 'taken2', name: 'Ta Ken', mail: ['T@x.org'] }, 'mail'],
    [
      'applications.create',
      { name: 'taken1', clientId: 'taken', redirectUris: uris },
      { name: 'taken2', clientId: 'taken', redirectUris: uris },
      'clientId',
    ],
  ];
  for (const [name, one, other, field] of twice) {
    t.is((await call(t, atrium, name, { json: one })).status, 201);
    const { status, body } = await call(t, atrium, name, { json: other });
    t.is(status, 409);
    t.deepEqual(body.errors, [{ field, message: 'another entry has this value (some attributes not unique)' }]);
  }
  const dn = `uid=taken3,ou=people,${atrium.suffix}`;
  const octets = `dn: ${dn}\nobjectClass: inetOrgPerson\nuid: taken3\ncn: Ta Ken\nsn: Ken\nmail: t@x.org\n`;
  const { status, body } = await call(t, atrium, 'ldif.import', { octets });
  t.is(status, 409);
  t.deepEqual(body.errors[0], { field: 'line 1', message: `${dn}: mail: another entry has this value (some attributes not unique)` });
});
