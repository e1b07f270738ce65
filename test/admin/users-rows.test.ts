import test, { type ExecutionContext } from 'ava';
import { Client } from 'ldapts';
import { printSecurityKey } from '#holdings';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { createApp } from '../support/app.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi({ settings: { STS_CREDENTIALS_FACTOR_SCAN_LIMIT: '4' } });
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

test('users.connections: how many LDAP connections there are as somebody, in every thread', async (t) => {
  const threads = await openApi({ settings: { STS_LDAP_WORKERS: '2' } });
  t.teardown(() => threads[Symbol.asyncDispose]());
  const { dn, password } = await addPerson(threads, 'hedy', 'Hedy Lamarr');
  const connections = async (more: Readonly<Record<string, string>> = {}) =>
    (await call(t, threads, 'users.connections', { query: { user: 'hedy', ...more } })).body.connections;
  t.is(await connections(), 0);
  const clients = Array.from({ length: 8 }, () => new Client({ url: threads.addresses.ldap ?? '' }));
  t.teardown(() => Promise.all(clients.map((client) => client.unbind())));
  for (const client of clients) await client.bind(dn, password);
  t.is(await connections(), 8);
  t.is(await connections({ appPassword: 'one of theirs' }), 0, 'none came in with it');
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
  const held = await everybody(t, {});
  t.true(held.find(({ uid }) => uid === 'vera')?.required);
  t.true(held.every((holder) => holder.uid !== 'emmy'));
  const all = (await everybody(t, { all: 'true', limit: '3' })).map((holder) => holder.dn);
  t.true(all.includes(dn));
  t.is(new Set(all).size, all.length);
});

interface Holder {
  readonly dn: string;
  readonly uid?: string;
  readonly required: boolean;
}

/** All pages of the roster. */
async function everybody(t: ExecutionContext, query: Readonly<Record<string, string>>): Promise<readonly Holder[]> {
  const all: Holder[] = [];
  let after: string | undefined;
  do {
    const { body } = await call(t, atrium, 'mfa.list', { query: { ...query, ...(after === undefined ? {} : { after }) } });
    t.true(body.read <= 4);
    all.push(...body.holders);
    after = body.next;
  } while (after !== undefined);
  return all;
}

test('credentials.factorScanLimit bounds what one call of the roster reads: the next goes on', async (t) => {
  for (const uid of ['many-a', 'many-b', 'many-c', 'many-d']) await addPerson(atrium, uid, `Many ${uid}`);
  const { body } = await call(t, atrium, 'mfa.list');
  t.is(body.read, 4);
  t.is(typeof body.next, 'string');
});

test('users.clear-key, clear-totp and clear-backup-codes take away what is held, one key or all, and nothing else', async (t) => {
  const { dn } = await addPerson(atrium, 'cecilia', 'Cecilia Payne');
  const [one, two, three] = [1, 2, 3].map((at) => Buffer.alloc(16, at));
  const key = (id: Buffer | undefined) =>
    printSecurityKey({
      ...{ id: id?.toString('base64url') ?? '', role: 'mfa', name: 'Key', publicKey: 'AAAA', algorithm: -7, counter: 0 },
      ...{
        aaguid: '00000000-0000-0000-0000-000000000000',
        transports: [],
        backupEligible: false,
        backedUp: false,
        addedMs: 1_795_000_000_000,
      },
      attestation: { format: 'packed', proved: 'trusted', model: 'Solo' },
    });
  const keys = [one, two, three];
  await call(t, atrium, 'users.change', {
    params: { user: dn },
    json: {
      attributes: {
        objectClass: ['inetOrgPerson', 'stsCredentialHolder'],
        stsCredentialId: keys.map((id) => ({ base64: id?.toString('base64') })),
        stsWebauthnCredential: keys.map(key),
        stsTotpCredential: [createApp().credential],
        stsRecoveryCode: ['ABCDEFGHJK', 'BCDEFGHJKL'],
      },
    },
  });
  const user = async () => (await call(t, atrium, 'users.read', { params: { user: 'cecilia' } })).body.user;
  const before = await user();
  t.deepEqual([before.keys.length, before.keys[0].attestation, before.keys[0].model], [3, 'trusted', 'Solo']);
  t.deepEqual([before.authenticatorApp, before.recoveryCodesLeft], [true, 2]);
  t.is((await call(t, atrium, 'users.clear-key', { json: { user: 'cecilia', key: one?.toString('base64url') } })).body.removed, 1);
  t.is((await user()).keys.length, 2);
  t.is((await call(t, atrium, 'users.clear-key', { json: { user: 'cecilia' } })).body.removed, 2);
  t.true((await call(t, atrium, 'users.clear-backup-codes', { json: { user: 'cecilia' } })).body.removed);
  t.true((await user()).authenticatorApp);
  t.true((await call(t, atrium, 'users.clear-totp', { json: { user: 'cecilia' } })).body.removed);
  const after = await user();
  t.deepEqual([after.keys, after.authenticatorApp, after.recoveryCodesLeft], [[], false, undefined]);
  t.true(after.hasPassword);
});
