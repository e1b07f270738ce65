import test from 'ava';
import { Client } from 'ldapts';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

test('users.create, users.read, users.change and users.delete: what the directory has is what is said', async (t) => {
  const created = await call(t, atrium, 'users.create', {
    json: {
      uid: 'mary',
      name: 'Mary Somerville',
      mail: ['mary@example.com'],
      attributes: { description: ['a; b'], jpegPhoto: [{ base64: '/9j/' }] },
    },
  });
  t.is(created.status, 201);
  t.is(created.headers.get('location'), `/admin-api/users/${created.body.id}`);
  const read = await call(t, atrium, 'users.read', { params: { user: 'mary' } });
  t.is(read.body.dn, created.body.dn);
  t.is(read.body.etag, created.body.etag);
  t.is(read.headers.get('etag'), `"${created.body.etag}"`);
  t.deepEqual(read.body.attributes.sn, ['Somerville']);
  t.deepEqual(read.body.attributes.jpegPhoto, [{ base64: '/9j/' }]);
  t.false('userPassword' in read.body.attributes);
  const changed = await call(t, atrium, 'users.change', {
    params: { user: created.body.id },
    json: { attributes: { description: [], title: ['Dr'] } },
  });
  t.not(changed.body.etag, created.body.etag);
  const after = await call(t, atrium, 'users.read', { params: { user: created.body.dn } });
  t.deepEqual(after.body.attributes.title, ['Dr']);
  t.false('description' in after.body.attributes);
  t.is((await call(t, atrium, 'users.delete', { params: { user: 'mary' } })).status, 200);
  t.is((await call(t, atrium, 'users.delete', { params: { user: 'mary' } })).status, 404);
});

test('If-Match: a lost update is refused with 412, for a change and for a deletion', async (t) => {
  await addPerson(atrium, 'emmy', 'Emmy Noether');
  const { etag } = (await call(t, atrium, 'users.read', { params: { user: 'emmy' } })).body;
  const ifMatch = { 'if-match': `"${etag}"` };
  const change = (title: string) =>
    call(t, atrium, 'users.change', { params: { user: 'emmy' }, json: { attributes: { title: [title] } }, headers: ifMatch });
  const both = await Promise.all([change('one'), change('two')]);
  t.deepEqual(both.map(({ status }) => status).toSorted(), [200, 412]);
  t.is((await call(t, atrium, 'users.delete', { params: { user: 'emmy' }, headers: ifMatch })).status, 412);
  t.is((await call(t, atrium, 'users.delete', { params: { user: 'emmy' }, headers: { 'if-match': 'W/"x"' } })).status, 400);
  t.is((await call(t, atrium, 'users.delete', { params: { user: 'emmy' }, headers: { 'if-match': '*' } })).status, 200);
});

test('users.deleted and users.restore: who was deleted comes back under the same entryUUID', async (t) => {
  await addPerson(atrium, 'hypatia', 'Hypatia Theon');
  const { id } = (await call(t, atrium, 'users.read', { params: { user: 'hypatia' } })).body;
  await call(t, atrium, 'users.delete', { params: { user: 'hypatia' } });
  const { deleted } = (await call(t, atrium, 'users.deleted')).body;
  t.is(deleted.find(({ name }: { name: string }) => name === 'hypatia')?.id, id);
  t.is((await call(t, atrium, 'users.restore', { json: { user: 'hypatia' } })).status, 200);
  t.is((await call(t, atrium, 'users.read', { params: { user: 'hypatia' } })).body.id, id);
  t.is((await call(t, atrium, 'users.restore', { json: { user: 'hypatia' } })).status, 404);
});

test('users.set-password: given or generated, it opens a bind; what it says is not in the audit trail', async (t) => {
  const { dn } = await addPerson(atrium, 'sofia', 'Sofia Kovalevskaya');
  const generated = (await call(t, atrium, 'users.set-password', { json: { user: 'sofia' } })).body.password;
  t.true(generated.length >= 12);
  t.is(
    (await call(t, atrium, 'users.set-password', { json: { user: 'sofia', password: 'Canary-password-1', mustChange: true } })).body
      .password,
    undefined,
  );
  const [entry] = await asAdministrator(
    atrium,
    async (client) => (await client.search(dn, { scope: 'base', attributes: ['pwdReset', 'stsHasPassword'] })).searchEntries,
  );
  t.is(entry?.['pwdReset'], 'TRUE');
  t.false(JSON.stringify(atrium.audit).includes('Canary-password-1'));
  t.false(JSON.stringify(atrium.audit).includes(generated));
});

test('users.issue-password-reset and users.issue-activation: a link is told once, or mailed and never told', async (t) => {
  await addPerson(atrium, 'lise', 'Lise Meitner');
  const activation = await call(t, atrium, 'users.issue-activation', { json: { user: 'lise' } });
  t.regex(activation.body.link, /^http:\/\/.*\/portal\/activate\?link=/);
  const reset = await call(t, atrium, 'users.issue-password-reset', { json: { user: 'lise' } });
  t.regex(reset.body.link, /\/portal\/reset-password\?link=/);
  t.false((await call(t, atrium, 'users.read', { params: { user: 'lise' } })).body.user.hasPassword);
  const mailed = await call(t, atrium, 'users.issue-password-reset', { json: { user: 'lise', deliver: 'mail' } });
  t.is(mailed.status, 400);
  t.regex(mailed.body.errors[0].message, /mail server/);
});

test('users.create-app-password, users.app-passwords and users.revoke-app-password: it opens its door until it is revoked', async (t) => {
  const { dn } = await addPerson(atrium, 'rosa', 'Rosalind Franklin');
  const made = await call(t, atrium, 'users.create-app-password', { json: { user: 'rosa', name: 'mailer', scopes: ['ldap'] } });
  t.is(made.status, 201);
  const bind = async () => {
    const client = new Client({ url: atrium.addresses.ldap ?? '' });
    try {
      await client.bind(dn, made.body.value);
      return true;
    } catch {
      return false;
    } finally {
      await client.unbind();
    }
  };
  t.true(await bind());
  await call(t, atrium, 'users.create-app-password', { json: { user: 'rosa', name: 'other', scopes: ['ldap', 'scim'] } });
  const first = (await call(t, atrium, 'users.app-passwords', { query: { user: 'rosa', limit: '1' } })).body;
  t.is(first.appPasswords.length, 1);
  const second = (await call(t, atrium, 'users.app-passwords', { query: { user: 'rosa', limit: '1', after: first.next } })).body;
  t.is(second.appPasswords.length, 1);
  t.is(second.next, undefined);
  t.is((await call(t, atrium, 'users.revoke-app-password', { json: { user: 'rosa', id: made.body.id } })).body.revoked, 1);
  t.is((await call(t, atrium, 'users.revoke-app-password', { json: { user: 'rosa' } })).body.revoked, 1);
  t.false(JSON.stringify(atrium.audit).includes(made.body.value));
});

test('users.clear-key, users.clear-totp, users.clear-backup-codes and mfa.list: nothing held is nothing removed, and no fault', async (t) => {
  const { dn } = await addPerson(atrium, 'vera', 'Vera Rubin');
  t.is((await call(t, atrium, 'users.clear-key', { json: { user: 'vera' } })).body.removed, 0);
  t.is((await call(t, atrium, 'users.clear-key', { json: { user: 'vera', key: 'AAAA' } })).status, 400);
  t.false((await call(t, atrium, 'users.clear-totp', { json: { user: 'vera' } })).body.removed);
  t.false((await call(t, atrium, 'users.clear-backup-codes', { json: { user: 'vera' } })).body.removed);
  await call(t, atrium, 'users.change', { params: { user: dn }, json: { attributes: { stsMfaRequired: ['TRUE'] } } });
  const { body } = await call(t, atrium, 'mfa.list');
  t.deepEqual(
    body.holders.map(({ uid }: { uid: string }) => uid),
    ['vera'],
  );
  t.true(body.holders[0].required);
  const all: string[] = [];
  let after: string | undefined;
  do {
    const page = (await call(t, atrium, 'mfa.list', { query: { all: 'true', limit: '3', ...(after === undefined ? {} : { after }) } }))
      .body;
    t.true(page.holders.length <= 3);
    all.push(...page.holders.map((holder: { dn: string }) => holder.dn));
    after = page.next;
  } while (after !== undefined);
  t.true(all.includes(dn));
  t.is(new Set(all).size, all.length);
});
