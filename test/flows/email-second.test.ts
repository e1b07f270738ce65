import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { printSecurityKey } from '#holdings';
import { createApp } from '../support/app.ts';
import type { TestAtrium } from '../support/atrium.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { inspect, openContext, typeIn } from './browser.ts';
import { openMailedHouse } from './house.ts';
import { attributeOf, beginRaw, codeOf, isIn, linkOf, setAttribute, setPolicy } from './mailed.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask } from './raw.ts';

const own = '/portal/mfa/email';
const codePath = '/authn/email-code';

let smtp: TestSmtp;
let house: Awaited<ReturnType<typeof openMailedHouse>>;
let atrium: TestAtrium;
let browser: Browser;
let ada: TestPerson;
let base: string;
let nowMs = Date.now();

test.before(async () => {
  house = await openMailedHouse(() => nowMs);
  ({ atrium, browser, base, smtp } = house);
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  await setPolicy(atrium, {
    stsFirstFactor: ['password', 'security-key', 'email-code'],
    stsSecondFactor: ['security-key', 'authenticator-app', 'recovery-code', 'email-code', 'email-link'],
  });
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

const main = async (page: Page) => (await page.textContent('main')) ?? '';
const press = (page: Page, words: string) => Promise.all([page.waitForNavigation(), page.click(`button:text-is("${words}")`)]);

/** Whoever has a verified address and wants it as a factor. */
async function addReader(uid: string): Promise<TestPerson> {
  const person = await addPerson(atrium, uid, `${uid} Reader`);
  await setAttribute(atrium, person.dn, 'stsVerifiedMail', [`${uid}@example.com`]);
  await setAttribute(atrium, person.dn, 'stsEmailFactor', ['TRUE']);
  return person;
}

/** Signs in with the password, and says where that leads. */
async function withPassword(person: TestPerson) {
  const sign = await beginRaw(base);
  const answer = await sign.post('/authn/login', { username: person.uid, password: person.password });
  return { sign, answer };
}

test.serial('an address is verified by a code sent to it, and the person opts in: then it is asked for after the password', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(`${base}${own}`);
  await typeIn(page, 'ada', ada.password);
  t.is(page.url(), base + own);
  t.regex(await main(page), /not confirmed/);
  t.is(await page.locator('button:text-is("Turn on")').count(), 0);
  await inspect(t, page, 'email-own');

  await press(page, 'Mail a code to ada@example.com');
  const mail = await smtp.next();
  t.regex(mail.subject, /Confirm your mail address/);
  await inspect(t, page, 'email-own-code');
  await page.fill('#code', '12345');
  await press(page, 'Confirm the address');
  t.regex(await main(page), /A code has six digits/);
  await page.fill('#code', codeOf(mail));
  await press(page, 'Confirm the address');
  t.regex(await main(page), /The address is confirmed\./);
  t.deepEqual(await attributeOf(atrium, ada.dn, 'stsVerifiedMail'), ['ada@example.com']);
  await press(page, 'Turn on');
  t.regex(await main(page), /Codes by mail are on/);
  t.deepEqual(await attributeOf(atrium, ada.dn, 'stsEmailFactor'), ['TRUE']);
  await inspect(t, page, 'email-own-on');
  t.notRegex(await main(page), /To confirm an address/, 'all are confirmed');
  await page.goto(`${base}/portal/mfa`);
  t.regex(await main(page), /On\. After your password you can have a code or a link mailed to ada@example\.com/);
  await Promise.all([page.waitForNavigation(), page.click('text=Your codes by mail')]);
  t.is(page.url(), base + own);

  const next = await (await openContext(t, browser)).newPage();
  await next.goto(`${base}/portal?acr_values=mfa`);
  await typeIn(next, 'ada', ada.password);
  t.regex(await main(next), /We can mail you a code that works once\. It goes to a•••@example\.com\./);
  await inspect(t, next, 'email-second');
  await press(next, 'Mail me a code');
  await next.fill('#code', codeOf(await smtp.next()));
  await press(next, 'Continue');
  // `mfa` is met: the portal does not ask again.
  t.is(next.url(), `${base}/portal?acr_values=mfa`);
  t.is(await next.textContent('h1'), 'Ada Lovelace');
});

test.serial('a link as a second factor leads back to the browser in which the password was typed', async (t) => {
  const bea = await addReader('bea');
  const { sign, answer } = await withPassword(bea);
  t.regex(answer.location, /^\/authn\/email-code\?/);
  await sign.get('/authn/email-link');
  await sign.post('/authn/email-link', {});
  const link = linkOf(await smtp.next());
  const token = new URL(link).searchParams.get('token') ?? '';
  const opened = await sign.get(`/authn/email-link?token=${token}`);
  t.regex(opened.body, /Press Continue/);
  t.is((await ask(base, link.slice(base.length))).status, 403);
  t.true(isIn(await sign.post('/authn/email-link', { token })));
});

test.serial('a person holding a key is asked for that first and offered email as a way round', async (t) => {
  const kay = await addReader('kay');
  const id = Buffer.from('a credential of kay').toString('base64url');
  await setAttribute(atrium, kay.dn, 'objectClass', ['inetOrgPerson', 'stsCredentialHolder']);
  await setAttribute(atrium, kay.dn, 'stsCredentialId', ['a credential of kay']);
  await setAttribute(atrium, kay.dn, 'stsWebauthnCredential', [
    printSecurityKey({
      id,
      role: 'mfa',
      name: 'Key',
      publicKey: 'AAAA',
      algorithm: -7,
      counter: 0,
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: [],
      backupEligible: false,
      backedUp: false,
      attestation: { format: 'none', proved: 'untrusted' },
      addedMs: 1,
    }),
  ]);
  const { sign, answer } = await withPassword(kay);
  t.regex(answer.location, /^\/authn\/webauthn\?/);
  t.regex((await sign.get('/authn/webauthn')).body, /href="\/authn\/email-code\?[^"]*">Get a code by mail/);
  await sign.get(codePath);
  await sign.send(codePath);
  t.true(isIn(await sign.post(codePath, { code: codeOf(await smtp.next()) })));
});

test.serial('a person holding an app is asked for that first and offered email as a way round', async (t) => {
  const amy = await addReader('amy');
  await setAttribute(atrium, amy.dn, 'stsTotpCredential', [createApp().credential]);
  const { sign, answer } = await withPassword(amy);
  t.regex(answer.location, /^\/authn\/totp\?/);
  t.regex((await sign.get('/authn/totp')).body, /href="\/authn\/email-code\?[^"]*">Get a code by mail/);
  await sign.get(codePath);
  await sign.send(codePath);
  t.true(isIn(await sign.post(codePath, { code: codeOf(await smtp.next()) })));
});

test.serial('never the second factor after an emailed first one', async (t) => {
  const eve = await addReader('eve');
  await setAttribute(atrium, eve.dn, 'stsMfaRequired', ['TRUE']);
  const sign = await beginRaw(base);
  await sign.get(codePath);
  await sign.send(codePath, 'eve');
  const proven = await sign.post(codePath, { code: codeOf(await smtp.next()) });
  t.false(isIn(proven));
  t.false(proven.location.startsWith('/authn/email'));
  for (const path of [codePath, '/authn/email-link']) {
    const before = smtp.received.length;
    await sign.get(path);
    await sign.post(path, {});
    t.is(smtp.received.length, before, path);
  }
});

test.serial('who has not opted in, or whose address is not verified any more, is asked for nothing by mail', async (t) => {
  const joe = await addReader('joe');
  t.regex((await withPassword(joe)).answer.location, /email-code/);
  await setAttribute(atrium, joe.dn, 'stsEmailFactor', ['FALSE']);
  t.true(isIn((await withPassword(joe)).answer));
  await setAttribute(atrium, joe.dn, 'stsEmailFactor', ['TRUE']);
  await setAttribute(atrium, joe.dn, 'mail', ['other@example.com']);
  t.true(isIn((await withPassword(joe)).answer));
});

test.serial('after stsEmailCodeAttempts wrong codes the step ends, and the sign-in begins anew with the password', async (t) => {
  const max = await addReader('max');
  await setPolicy(atrium, { stsEmailCodeAttempts: ['2'] });
  const { sign } = await withPassword(max);
  await sign.get(codePath);
  await sign.send(codePath);
  const code = codeOf(await smtp.next());
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  t.regex((await sign.post(codePath, { code: wrong })).body, /You can try it once more/);
  const ended = await sign.post(codePath, { code: wrong });
  t.is(ended.status, 403);
  t.regex(ended.body, /Too many wrong codes/);
  t.regex((await sign.get('/authn/email-link')).location, /^\/authn\/login\?/);
  t.false(isIn(await sign.post(codePath, { code })));
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9392'));
  await setPolicy(atrium, { stsEmailCodeAttempts: [] });
});

test.serial('a code waits no longer than its step: authn.mfaStepTtlS is said in the mail', async (t) => {
  const tim = await addReader('tim');
  const { sign } = await withPassword(tim);
  await sign.get(codePath);
  await sign.send(codePath);
  t.regex((await smtp.next()).text, /for 5 minutes/);
});

/** Signs in and has a form's token of the own page. */
async function signedIn(person: TestPerson) {
  const { answer } = await withPassword(person);
  const session = /sts_session=([^;]*)/.exec(answer.setCookies.join())?.[1] ?? '';
  const cookies = { sts_session: session };
  const page = await ask(base, own, { cookies });
  const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
  return { post: (form: Record<string, string>) => ask(base, own, { method: 'POST', cookies, form: { csrf, ...form } }), page };
}

test.serial('nobody verifies an address that is not theirs, or not theirs any more', async (t) => {
  const una = await addPerson(atrium, 'una', 'Una Other');
  const { post } = await signedIn(una);
  const before = smtp.received.length;
  for (const address of ['ada@example.com', 'una@example.com\r\nBcc: eve@example.org', 'una@example.com,ada@example.com', ''])
    t.is((await post({ do: 'send', address })).status, 403, address);
  t.is(smtp.received.length, before);
  await post({ do: 'send', address: 'una@example.com' });
  const code = codeOf(await smtp.next());
  await setAttribute(atrium, una.dn, 'mail', ['new@example.com']);
  t.regex((await post({ do: 'confirm', code })).body, /used before, is too old/);
  t.deepEqual(await attributeOf(atrium, una.dn, 'stsVerifiedMail'), []);
  // Nor opts in without one, nor by any other word.
  for (const act of ['on', 'constructor', '__proto__', '']) t.is((await post({ do: act })).status, 403, act);
  t.deepEqual(await attributeOf(atrium, una.dn, 'stsEmailFactor'), []);
});

test.serial('factors are changed by who has just authenticated: after 300 s the page asks to sign in again', async (t) => {
  const flo = await addPerson(atrium, 'flo', 'Flo Fresh');
  const { post } = await signedIn(flo);
  nowMs += 300_001;
  const later = await post({ do: 'send', address: 'flo@example.com' });
  t.is(later.status, 303);
  t.regex(later.location, /^\/authn\/login\?/);
});

test.serial('the page needs a session, and its form a token of it', async (t) => {
  t.regex((await ask(base, own)).location, /^\/authn\/login\?/);
  t.regex((await ask(base, own, { method: 'POST', form: { do: 'on' } })).location, /^\/authn\/login\?/);
  const gil = await addPerson(atrium, 'gil', 'Gil Own');
  const { post } = await signedIn(gil);
  t.is((await post({ csrf: 'none', do: 'send', address: 'gil@example.com' })).status, 403);
});

test.serial(
  'a factor that was turned off for failures lets no password in alone, and works again when an address is verified anew',
  async (t) => {
    const ron = await addPerson(atrium, 'ron', 'Ron Wrong');
    const { post } = await signedIn(ron);
    await setAttribute(atrium, ron.dn, 'stsVerifiedMail', ['ron@example.com']);
    await setAttribute(atrium, ron.dn, 'stsEmailFactor', ['TRUE']);
    await setAttribute(atrium, ron.dn, 'stsEmailFailures', ['10']);
    const { answer } = await withPassword(ron);
    t.is(answer.status, 403);
    t.false(isIn(answer));
    t.true(atrium.audit.some(({ errorCode, summary }) => errorCode === 'STS-AUTHN-0172' && /stsEmailFailures/.test(summary ?? '')));
    t.regex((await post({ do: 'off-and-on' })).body, /too many codes in a row were wrong/);
    await post({ do: 'send', address: 'ron@example.com' });
    t.is((await post({ do: 'confirm', code: codeOf(await smtp.next()) })).status, 303);
    t.deepEqual(await attributeOf(atrium, ron.dn, 'stsEmailFailures'), []);
    t.regex((await withPassword(ron)).answer.location, /email-code/);
  },
);
