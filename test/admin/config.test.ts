import test from 'ava';
import { checkSetting, type SettingRow } from '#catalogue';
import { settings as rows } from '../../src/settings.ts';
import { testEnvironment } from '../support/atrium.ts';
import { call, openApi } from './api.ts';

const given = { STS_TOTP_WINDOW: '2', STS_KEYS_KEK: 'a key-encryption key of forty octets or so' };
const atrium = await openApi({ settings: given });
/** What the environment gives stays as it is. */
const environment = new Set([...Object.keys(testEnvironment('')), ...Object.keys(given)]);
test.after.always(() => atrium[Symbol.asyncDispose]());

const setting = (body: { settings: { name: string }[] }, name: string) => body.settings.find((each) => each.name === name);

test.serial('config.list: each setting with what is in force, who says so, and whether it can be changed; never a secret', async (t) => {
  const { body } = await call(t, atrium, 'config.list');
  t.true(body.settings.length > 150);
  t.like(setting(body, 'totp.window'), { value: 2, from: 'environment', changeable: false });
  t.like(setting(body, 'totp.digits'), { value: 6, from: 'built-in', changeable: true });
  t.like(setting(body, 'ldap.port'), { changeable: false });
  t.false('value' in (setting(body, 'keys.kek') ?? {}));
  t.false(JSON.stringify(body).includes('forty octets'));
});

test.serial('config.set and config.reset: a change is in force with its answer, and its reset with its own', async (t) => {
  const set = await call(t, atrium, 'config.set', { json: { name: 'totp.digits', value: 8 } });
  t.like(set.body, { realm: 'default', changed: true, setting: { name: 'totp.digits', value: 8, from: 'stored' } });
  t.false((await call(t, atrium, 'config.set', { json: { name: 'totp.digits', value: '8' } })).body.changed);
  t.is(setting((await call(t, atrium, 'totp.settings')).body, 'totp.digits')?.['value' as never], 8 as never);
  const list = await call(t, atrium, 'config.set', { json: { name: 'security.rateLimitTrustedAddresses', value: ['10.0.0.0/8', '::1'] } });
  t.deepEqual(list.body.setting.value, ['10.0.0.0/8', '::1']);
  t.like((await call(t, atrium, 'config.reset', { json: { name: 'totp.digits' } })).body.setting, { value: 6, from: 'built-in' });
  const nothing = await call(t, atrium, 'config.reset', { json: { name: 'totp.digits' } });
  t.is(nothing.status, 400);
  t.true(atrium.audit.some(({ errorCode, action }) => errorCode === 'STS-CORE-0007' && action === 'admin.config.reset'));
  t.is((await call(t, atrium, 'config.reset', { json: { name: 'security.rateLimitTrustedAddresses' } })).status, 200);
});

test.serial('config.set: what the table does not take is refused in words, with the member', async (t) => {
  const refused: readonly (readonly [name: string, value: unknown, says: RegExp])[] = [
    ['totp.digits', 'many', /integer/],
    ['totp.window', 1, /given by the environment/],
    ['ldap.port', 390, /at the start only/],
    ['keys.kek', 'x'.repeat(40), /secret/],
    ['no.such', 1, /no\.such/],
    ['__proto__', 1, /__proto__/],
    ['adminApi.authRequired', false, /environment|start/],
  ];
  for (const [name, value, says] of refused) {
    const { status, body } = await call(t, atrium, 'config.set', { json: { name, value } });
    t.is(status, 400, name);
    t.regex(body.errors[0].message, says);
  }
  for (const json of [{}, { name: 'totp.digits' }, { name: 'totp.digits', value: null }, { name: 'totp.digits', value: 7, extra: 1 }, []])
    t.is((await call(t, atrium, 'config.set', { json })).status, 400);
});

test.serial('a setting that there is not is refused by the directory, STS-CORE-0004; who resets one is told so, too', async (t) => {
  const { body } = await call(t, atrium, 'config.set', { json: { name: 'nope.x', value: 1 } });
  t.is(body.errors[0].field, 'name');
  t.true(atrium.audit.some(({ errorCode, summary }) => errorCode === 'STS-CORE-0004' && summary.includes('nope.x')));
  t.is((await call(t, atrium, 'config.reset', { json: { name: 'nope.x' } })).status, 400);
  t.true(atrium.audit.some(({ errorCode, action }) => errorCode === 'STS-API-9060' && action === 'admin.config.reset'));
  for (const name of ['totp.digits=8', 'totp.digits ', ''])
    t.is((await call(t, atrium, 'config.set', { json: { name, value: '' } })).body.errors[0].field, 'name');
});

test.serial(
  'If-Match of settings, policies and realms: a change of anything newer is refused with 412, also of what was not there',
  async (t) => {
    const rows = [
      ['config.list', 'config.set', { name: 'totp.digits', value: 8 }, { name: 'totp.digits', value: 7 }],
      ['policies.show', 'policies.save-authn-policy', { emailCodeAttempts: 3 }, { emailCodeAttempts: 4 }],
      ['policies.show', 'policies.save-password-policy', { minLength: 13 }, { minLength: 14 }],
    ] as const;
    for (const [reads, writes, one, other] of rows) {
      const { body, headers } = await call(t, atrium, reads);
      const tag = reads === 'config.list' ? body.etag : body[writes.includes('authn') ? 'authn' : 'password'].etag;
      t.is(headers.get('etag'), reads === 'config.list' ? `"${tag}"` : null);
      const ifMatch = (each: string) => ({ headers: { 'if-match': `"${each}"` } });
      t.is((await call(t, atrium, writes, { json: one, ...ifMatch('bogus') })).status, 412, writes);
      const first = await call(t, atrium, writes, { json: one, ...ifMatch(tag) });
      t.is(first.status, 200, writes);
      t.is((await call(t, atrium, writes, { json: other, ...ifMatch(tag) })).status, 412, writes);
      const [, newer = ''] = /^"(.*)"$/.exec(first.headers.get('etag') ?? '') ?? [];
      t.is((await call(t, atrium, writes, { json: other, ...ifMatch(newer) })).status, 200, writes);
    }
    t.is((await call(t, atrium, 'policies.reset-password-policy', { json: {}, headers: { 'if-match': '"bogus"' } })).status, 412);
    for (const name of ['policies.reset-password-policy', 'policies.reset-authn-policy']) await call(t, atrium, name, { json: {} });
    await call(t, atrium, 'config.reset', { json: { name: 'totp.digits' } });
    const made = await call(t, atrium, 'realms.create', { json: { id: 'tagged' } });
    const change = (tag: string) =>
      call(t, atrium, 'realms.change', { params: { id: 'tagged' }, json: { name: 'Tagged' }, headers: { 'if-match': `"${tag}"` } });
    t.is((await change('bogus')).status, 412);
    t.is((await change(made.body.realm.etag)).status, 200);
    t.is((await change(made.body.realm.etag)).status, 412);
  },
);

test.serial('config.set with a realm sets it there alone; in the realm’s own path nobody sets another’s', async (t) => {
  t.is((await call(t, atrium, 'realms.create', { json: { id: 'acme' } })).status, 201);
  const set = await call(t, atrium, 'config.set', { json: { realm: 'acme', name: 'totp.digits', value: 7 } });
  t.like(set.body, { realm: 'acme', setting: { value: 7, from: 'own' } });
  t.like(setting((await call(t, atrium, 'totp.settings')).body, 'totp.digits'), { value: 6 });
  t.like(setting((await call(t, atrium, 'totp.settings', { prefix: '/realm/acme' })).body, 'totp.digits'), { value: 7, from: 'own' });
  t.like(setting((await call(t, atrium, 'totp.settings', { prefix: '/realm/acme' })).body, 'totp.window'), {
    value: 2,
    from: 'default realm',
  });
  // What the service sets while it runs holds in realms that do not set it.
  await call(t, atrium, 'config.set', { json: { name: 'totp.issuer', value: 'Everybody' } });
  t.like(setting((await call(t, atrium, 'totp.settings', { prefix: '/realm/acme' })).body, 'totp.issuer'), { value: 'Everybody' });
  await call(t, atrium, 'config.reset', { json: { name: 'totp.issuer' } });
  const process = await call(t, atrium, 'config.set', { json: { realm: 'acme', name: 'ldap.idleTimeoutS', value: 7 } });
  t.is(process.status, 400);
  t.is((await call(t, atrium, 'config.reset', { json: { realm: 'acme', name: 'totp.digits' } })).status, 200);
  const none = await call(t, atrium, 'config.reset', { json: { realm: 'acme', name: 'totp.digits' } });
  t.is(none.status, 400);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-CORE-0016'));
  for (const realm of ['nowhere', 'default'])
    t.is((await call(t, atrium, 'config.set', { prefix: '/realm/acme', json: { realm, name: 'totp.digits', value: 7 } })).status, 400);
  // Its administrator has no right in the default realm, where its entry stands.
  const own = await call(t, atrium, 'config.set', { prefix: '/realm/acme', json: { name: 'totp.digits', value: 7 } });
  t.true([403, 404].includes(own.status));
});

test.serial('webauthn.settings and backup-codes.settings: the settings of each mechanism', async (t) => {
  const keys = (await call(t, atrium, 'webauthn.settings')).body.settings as { name: string }[];
  t.true(keys.length >= 13 && keys.every(({ name }) => name.startsWith('webauthn.')));
  t.is((await call(t, atrium, 'backup-codes.settings')).body.settings.length, 4);
});

test.serial('many who set settings at once all do', async (t) => {
  const names = ['totp.digits', 'totp.period', 'backupCodes.count', 'backupCodes.length', 'authn.pendingTtlS', 'mail.queueMax'];
  const done = await Promise.all(
    names.map((name) => call(t, atrium, 'config.set', { json: { name, value: name === 'totp.digits' ? 8 : 60 } })),
  );
  const refused = done.flatMap(({ status, body }, at) => (status === 200 ? [] : [`${names[at]}: ${body.errors[0].message}`]));
  t.true(
    refused.every((each) => /integer from/.test(each)),
    refused.join('; '),
  );
  for (const [at, { status }] of done.entries()) if (status === 200) await call(t, atrium, 'config.reset', { json: { name: names[at] } });
});

test.serial('many who set the same setting at once all do, whether it was set before or not', async (t) => {
  for (const round of [1, 2, 3]) {
    const values = Array.from({ length: 20 }, (_, at) => 6 + (at % 3));
    const done = await Promise.all(values.map((value) => call(t, atrium, 'config.set', { json: { name: 'totp.digits', value } })));
    t.deepEqual([...new Set(done.map(({ status, body }) => `${status} ${JSON.stringify(body.errors)}`))], ['200 undefined'], `${round}`);
    t.is((await call(t, atrium, 'config.reset', { json: { name: 'totp.digits' } })).status, 200);
  }
});

test.serial('policies: a realm saves its own, whole; reset returns it to following; nonsense is told by its member', async (t) => {
  const first = await call(t, atrium, 'policies.show');
  t.is(first.body.authn.from, 'built-in');
  const saved = await call(t, atrium, 'policies.save-authn-policy', { prefix: '/realm/acme', json: { requireSecondFactor: 'always' } });
  t.like(saved.body.authn, { from: 'own', requireSecondFactor: 'always', firstFactors: first.body.authn.firstFactors });
  t.is((await call(t, atrium, 'policies.show')).body.authn.requireSecondFactor, 'if-held');
  const wrong = await call(t, atrium, 'policies.save-authn-policy', { json: { firstFactors: ['authenticator-app'] } });
  t.is(wrong.status, 400);
  t.is(wrong.body.errors[0].field, 'firstFactors');
  const mail = await call(t, atrium, 'policies.save-authn-policy', { json: { secondFactors: ['email-code'] } });
  t.is(mail.status, 400);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-0244'));
  const reset = await call(t, atrium, 'policies.reset-authn-policy', { prefix: '/realm/acme', json: {} });
  t.like(reset.body, { changed: true, authn: { from: 'built-in' } });
  t.false((await call(t, atrium, 'policies.reset-authn-policy', { prefix: '/realm/acme', json: {} })).body.changed);
  const words = await call(t, atrium, 'policies.save-password-policy', { json: { minLength: 20, maxAgeS: 86_400 } });
  t.like(words.body.password, { minLength: 20, minSymbols: 1, maxAgeS: 86_400, from: 'own' });
  t.is((await call(t, atrium, 'policies.save-password-policy', { json: { minLength: 0 } })).status, 400);
  t.true((await call(t, atrium, 'policies.reset-password-policy', { json: {} })).body.changed);
});

/** Another value than the one in force that fits the row; nothing where none of a few does. */
function another(row: SettingRow, now: unknown): unknown {
  const numbers = typeof now === 'number' ? [now + 1, now - 1] : [];
  const lists = (row.values ?? []).map((each) => [each]);
  const tried = [...numbers, ...(row.kind === 'boolean' ? [now !== true] : []), ...(row.kind === 'list' ? lists : (row.values ?? []))];
  const texts = [
    'localhost',
    'x',
    'https://localhost:1',
    'a@example.com',
    'ldap://localhost',
    '127.0.0.1',
    '/nowhere',
    '00000000-0000-0000-0000-000000000001',
  ];
  const fits = (value: unknown) => checkSetting(row, value).kind === 'fit' && JSON.stringify(value) !== JSON.stringify(now);
  return [...tried, ...texts, ...texts.map((each) => [each])].find(
    (value) => Array.isArray(value) === (row.kind === 'list') && fits(value),
  );
}

test.serial(
  'every setting whose row says `runtime` is set while the service runs, is in force with the answer, and is reset; no other is taken',
  async (t) => {
    const before = (await call(t, atrium, 'config.list')).body.settings as { name: string; value: unknown; changeable: boolean }[];
    const untried: string[] = [];
    let walked = 0;
    for (const { name, value, changeable } of before) {
      const row: SettingRow = rows[name as keyof typeof rows];
      const other = another(row, value);
      if (other === undefined) untried.push(name);
      if (other === undefined) continue;
      const { status, body } = await call(t, atrium, 'config.set', { json: { name, value: other } });
      t.is(status, changeable ? 200 : 400, name);
      t.is(changeable, row.applies === 'runtime' && row.kind !== 'secret' && !environment.has(row.env), name);
      if (!changeable) continue;
      walked++;
      t.deepEqual(body.setting.value, other, name);
      t.deepEqual((await call(t, atrium, 'config.reset', { json: { name } })).body.setting.value, value, name);
    }
    t.true(walked > 150, String(walked));
    t.deepEqual(
      untried.filter((name) => rows[name as keyof typeof rows].applies === 'runtime'),
      [],
    );
  },
);
