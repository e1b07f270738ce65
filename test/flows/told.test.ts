import { createHash } from 'node:crypto';
import test from 'ava';
import { Attribute, Change, Control } from 'ldapts';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type Received, startSmtp, type TestSmtp } from '../support/smtp.ts';
import { beginRaw, isIn, mailedSettings, setAttribute } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';
import { addPersonTo, addRealm } from './realms.ts';

let smtp: TestSmtp;
let atrium: TestAtrium;
let base: string;
let nowMs = 1_795_000_020_000;
const ends: (() => unknown)[] = [];

test.before(async () => {
  smtp = await startSmtp({ teardown: (end) => void ends.push(end) });
  atrium = await startTestAtrium({
    // Changes come in threads, too.
    settings: { ...mailedSettings(smtp), STS_MAIL_TELL_OF_CHANGES: 'true', STS_LDAP_WORKERS: '1' },
    clock: { nowMs: () => nowMs },
  });
  base = atrium.addresses.http ?? '';
});

test.after.always(async () => {
  await atrium?.[Symbol.asyncDispose]();
  for (const end of ends.reverse()) await end();
});

/** An administrator brings a hash (draft-zeilenga-ldap-relax). */
const relax = new Control('1.3.6.1.4.1.4203.666.5.12', { critical: true });

const byOwn = 'by you, or by somebody who was signed in as you';
const byOther = 'by somebody who manages accounts';

/** What a mail says has changed, and by whom. */
function toldBy({ text }: Received): readonly [what: string, by: string] {
  const words = text.replace(/\r\n/g, ' ');
  return [/how you sign in to [^:]+: (.*?) {2}It was/.exec(words)?.[1] ?? text, /It was done (.*?), on/.exec(words)?.[1] ?? ''];
}

async function portalPassword({ uid, password }: TestPerson, fresh: string): Promise<void> {
  const sts_session = cookieOf(await submit(base, await openScreen(base), uid, password), 'sts_session') ?? '';
  const csrf = hiddenOf(await ask(base, '/portal/password', { cookies: { sts_session } }), 'csrf');
  const form = { csrf, old: password, password: fresh, again: fresh };
  await ask(base, '/portal/password', { method: 'POST', cookies: { sts_session }, form });
}

test.serial('a password that its person changes on the portal is told to them, once', async (t) => {
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  await portalPassword(ada, 'Another-password-7');
  const mail = await smtp.next();
  t.deepEqual(mail.to, ['ada@example.com']);
  t.is(mail.subject, 'Your account at example.com has changed');
  t.deepEqual(toldBy(mail), ['The password was changed.', byOwn]);
  t.true(mail.text.includes('2026-11-18 11:07 UTC'), mail.text);
  t.false(mail.raw.includes('Another-password-7'));
});

test.serial(
  'whoever changes what somebody signs in with, by LDAP too, they are told; a new person is not, and a mail is not written for what is no change',
  async (t) => {
    const bob = await addPerson(atrium, 'bob', 'Bob Managed');
    const none = { stsRecoveryCode: [], stsDelegate: [], stsEmailFactor: [] };
    const uuid = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
    const steps: readonly (readonly [type: string, values: readonly string[], what: string])[] = [
      ['userPassword', ['Another-password-7'], 'The password was changed.'],
      ['stsRecoveryCode', ['ABCDEFGH23', 'BCDEFGHJ34'], 'Recovery codes were made.'],
      ['stsRecoveryCode', ['CDEFGHJK45', 'DEFGHJKL56'], 'New recovery codes were made; the old ones do not work any more.'],
      ['stsRecoveryCode', none.stsRecoveryCode, 'The recovery codes were removed.'],
      ['stsDelegate', [uuid], 'Somebody may act for you now.'],
      ['stsDelegate', none.stsDelegate, 'Nobody may act for you any more.'],
      ['stsEmailFactor', ['TRUE'], 'Codes by mail were turned on.'],
      ['stsEmailFactor', ['FALSE'], 'Codes by mail were turned off.'],
      ['stsCredentialId', ['one'], 'A security key was added.'],
      ['stsCredentialId', ['one', 'two'], 'A security key was added.'],
      ['stsCredentialId', ['two'], 'A security key was removed.'],
      ['userPassword', [], 'The password was taken away.'],
      ['userPassword', ['Another-password-8'], 'A password was set.'],
    ];
    for (const [type, values, what] of steps) {
      // Nothing to be told of comes between.
      await setAttribute(atrium, bob.dn, 'title', [`before ${what}`]);
      await setAttribute(atrium, bob.dn, type, values);
      const mail = await smtp.next();
      t.deepEqual([mail.to, toldBy(mail)], [['bob@example.com'], [what, byOther]]);
    }
  },
);

test.serial('an app password that is made or revoked is told to its person', async (t) => {
  const { uid, password } = await addPerson(atrium, 'abe', 'Abe Apps');
  const sts_session = cookieOf(await submit(base, await openScreen(base), uid, password), 'sts_session') ?? '';
  const page = '/portal/app-passwords';
  const csrf = hiddenOf(await ask(base, page, { cookies: { sts_session } }), 'csrf');
  await ask(base, page, { method: 'POST', cookies: { sts_session }, form: { csrf, name: 'phone', program: 'mail', scope: 'ldap' } });
  t.deepEqual(toldBy(await smtp.next()), ['An app password was made.', byOwn]);
  await ask(base, `${page}/revoke`, { method: 'POST', cookies: { sts_session }, form: { csrf, all: 'yes' } });
  t.deepEqual(toldBy(await smtp.next()), ['An app password was revoked.', byOwn]);
});

test.serial('a change of the address is told to the old one, and what changes together is told together', async (t) => {
  const { dn } = await addPerson(atrium, 'cy', 'Cy Moves');
  await setAttribute(atrium, dn, 'mail', ['new@example.com']);
  const moved = await smtp.next();
  t.deepEqual([moved.to, toldBy(moved)[0]], [['cy@example.com'], 'The mail addresses of the account were changed.']);
  await setAttribute(atrium, dn, 'userPassword', ['Another-password-7']);
  t.deepEqual((await smtp.next()).to, ['new@example.com']);
  await setAttribute(atrium, dn, 'mail', ['new@example.com', 'other@example.com']);
  t.deepEqual((await smtp.next()).to, ['new@example.com'], 'one that is added is told where one was');
  await setAttribute(atrium, dn, 'mail', []);
  t.deepEqual([(await smtp.next()).to, (await smtp.next()).to].flat().toSorted(), ['new@example.com', 'other@example.com']);
});

test.serial(
  'what the service rewrites by itself is no change: a hash of another system that is renewed, a recovery code that is spent',
  async (t) => {
    const digest = createHash('sha1').update('Another-password-7').update('salt').digest();
    const hash = `{SSHA}${Buffer.concat([digest, Buffer.from('salt')]).toString('base64')}`;
    const { dn } = await addPerson(atrium, 'dora', 'Dora Imported');
    await asAdministrator(atrium, (client) =>
      client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type: 'userPassword', values: [hash] }) }), [
        relax,
      ]),
    );
    t.is(toldBy(await smtp.next())[0], 'The password was changed.');
    nowMs += 1000;
    // Renewed by the first right bind.
    const sts_session = cookieOf(await submit(base, await openScreen(base), 'dora', 'Another-password-7'), 'sts_session');
    t.truthy(sts_session);
    t.true(atrium.audit.some(({ action, summary }) => action === 'directory.renewHash' && summary.includes(dn)));
    await setAttribute(atrium, dn, 'stsEmailFactor', ['TRUE']);
    t.is(toldBy(await smtp.next())[0], 'Codes by mail were turned on.', 'nothing came before it');

    const finn = await addPerson(atrium, 'finn', 'Finn Spends');
    await setAttribute(atrium, finn.dn, 'stsTotpCredential', [createApp().credential]);
    t.is(toldBy(await smtp.next())[0], 'An authenticator app was added.');
    await setAttribute(atrium, finn.dn, 'stsRecoveryCode', ['ABCDEFGH23', 'BCDEFGHJ34']);
    t.is(toldBy(await smtp.next())[0], 'Recovery codes were made.');
    for (const code of ['ABCDEFGH23', 'BCDEFGHJ34']) {
      const sign = await beginRaw(base);
      await sign.post('/authn/login', { username: finn.uid, password: finn.password });
      await sign.get('/authn/backup-code');
      t.true(isIn(await sign.post('/authn/backup-code', { code })), 'the set is used up in the end');
    }
    await setAttribute(atrium, finn.dn, 'stsTotpCredential', []);
    t.is(toldBy(await smtp.next())[0], 'The authenticator app was removed.', 'nothing came before it');
  },
);

test.serial('mail.tellOfChanges: a realm that does not want it tells nobody, and one without a mail server keeps nothing', async (t) => {
  const quiet = await addRealm(atrium, 'quiet', { stsSetting: 'mail.tellOfChanges=false' });
  const silent = await addRealm(atrium, 'silent', { stsSetting: 'mail.smtpHost=' });
  for (const realm of [quiet, silent]) {
    const { dn } = await addPersonTo(atrium, realm, 'eve', 'Eve Quiet', 'Correct-horse-7-battery');
    await setAttribute(atrium, dn, 'mail', ['eve@example.com']);
    await setAttribute(atrium, dn, 'userPassword', ['Another-password-7']);
  }
  const acme = await addRealm(atrium, 'acme', { displayName: 'Acme Ltd' });
  const { dn } = await addPersonTo(atrium, acme, 'eve', 'Eve Told', 'Correct-horse-7-battery');
  await setAttribute(atrium, dn, 'mail', ['eve@acme.example']);
  await setAttribute(atrium, dn, 'userPassword', ['Another-password-7']);
  const mail = await smtp.next();
  t.deepEqual([mail.to, mail.subject], [['eve@acme.example'], 'Your account at Acme Ltd has changed']);
});

test.serial('nobody keeps the notice from its reader by having codes mailed first: it is counted apart', async (t) => {
  const few = await addRealm(atrium, 'few', { stsSetting: 'mail.perAddressPerHour=1' });
  const { uid, dn, password } = await addPersonTo(atrium, few, 'flo', 'Flo Flooded', 'Correct-horse-7-battery');
  await setAttribute(atrium, dn, 'mail', ['flo@example.com']);
  const sts_session = cookieOf(await submit(base, await openScreen(base, '/realm/few/portal'), uid, password), 'sts_session') ?? '';
  const page = '/realm/few/portal/mfa/email';
  const csrf = hiddenOf(await ask(base, page, { cookies: { sts_session } }), 'csrf');
  const form = { csrf, do: 'send', address: 'flo@example.com' };
  for (let sent = 0; sent < 3; sent++) await ask(base, page, { method: 'POST', cookies: { sts_session }, form });
  t.true((await smtp.next()).subject.startsWith('Confirm your mail address'));
  await setAttribute(atrium, dn, 'userPassword', ['Another-password-7']);
  const mail = await smtp.next();
  t.deepEqual([mail.to, toldBy(mail)[0]], [['flo@example.com'], 'The password was changed.']);
});
