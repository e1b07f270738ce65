import test from 'ava';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { inspect, openContext } from './browser.ts';
import { openMailedHouse } from './house.ts';
import { attributeOf, beginRaw, codeOf, isIn, linkOf, mailedSettings, setAttribute, setPolicy } from './mailed.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask } from './raw.ts';

const codePath = '/authn/email-code';
const linkPath = '/authn/email-link';

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
  await setAttribute(atrium, ada.dn, 'stsVerifiedMail', ['ada@example.com']);
  await setPolicy(atrium, { stsFirstFactor: ['password', 'email-code', 'email-link'] });
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

/** What was recorded since. */
const actionsSince = (from: number) => atrium.audit.slice(from).map(({ action, errorCode }) => `${action} ${errorCode ?? 'ok'}`);

/** Answers without what differs by chance. */
function plain(sign: { readonly id: string; readonly browser: string }, name: string, body: string): string {
  return body
    .replaceAll(sign.id, 'ID')
    .replaceAll(name, 'NAME')
    .replace(/name="csrf" value="[^"]*"/g, 'CSRF');
}

test.serial('an emailed code alone signs in: otp, one factor, read from the mail that a real SMTP server took', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  await Promise.all([page.waitForNavigation(), page.click('text=Get a code by mail')]);
  await inspect(t, page, 'email-ask');
  await page.fill('#username', 'ada');
  await Promise.all([page.waitForNavigation(), page.click('text=Mail me a code')]);
  t.regex((await page.textContent('main')) ?? '', /If ada is known here with a confirmed mail address, a mail is on its way/);
  await inspect(t, page, 'email-code');
  const mail = await smtp.next();
  t.deepEqual(mail.to, ['ada@example.com']);
  // The mail never contains more than it must.
  for (const secret of ['ada', 'Lovelace', ada.password, 'http']) t.false(mail.text.includes(secret), secret);
  await page.fill('#code', `${codeOf(mail).slice(0, 3)} ${codeOf(mail).slice(3)}`);
  await Promise.all([page.waitForNavigation(), page.click('text=Continue')]);
  t.is(page.url(), `${base}/portal`);
  t.is(await page.textContent('h1'), 'Ada Lovelace');
});

test.serial(
  'as a first factor answer, work and words are the same whether or not the account exists or has a verified address; nothing is mailed to who has none',
  async (t) => {
    await addPerson(atrium, 'unverified', 'Una Verified');
    const disabled = await addPerson(atrium, 'disabled', 'Dis Abled');
    await setAttribute(atrium, disabled.dn, 'stsVerifiedMail', ['disabled@example.com']);
    await setAttribute(atrium, disabled.dn, 'pwdAccountLockedTime', ['000001010000Z']);
    const failing = await addPerson(atrium, 'failing', 'Fai Ling');
    await setAttribute(atrium, failing.dn, 'stsVerifiedMail', ['failing@example.com']);
    await setAttribute(atrium, failing.dn, 'stsEmailFirstFailures', ['10']);
    for (const path of [codePath, linkPath]) {
      const journey = async (name: string) => {
        const sign = await beginRaw(base);
        const from = atrium.audit.length;
        await sign.get(path);
        const sent = await sign.post(path, { username: name });
        const page = await sign.get(path);
        const wrong = await sign.post(path, path === codePath ? { code: '000000' } : { token: 'A'.repeat(43) });
        return {
          sent: [sent.status, sent.location.replaceAll(sign.id, 'ID'), sent.setCookies.length],
          page: [page.status, plain(sign, name.slice(0, 256), page.body)],
          wrong: [wrong.status, plain(sign, name.slice(0, 256), wrong.body)],
          actions: actionsSince(from)
            .filter((action) => action.startsWith('signin.'))
            .map((action) => action.replace('STS-AUTHN-9393', 'ok')),
        };
      };
      const before = smtp.received.length;
      const known = await journey('ada');
      await smtp.next();
      t.deepEqual(known.actions, ['signin.email.send ok', 'signin.email STS-AUTHN-9390']);
      for (const name of [
        'nobody',
        'unverified',
        'disabled',
        ...(path === codePath ? ['failing'] : []),
        'x)(uid=*',
        'q'.repeat(300),
        'ädä\u0000',
      ])
        t.deepEqual(await journey(name), known, name);
      t.is(smtp.received.length, before + 1, path);
    }
    t.true(atrium.audit.some(({ errorCode, subject }) => errorCode === 'STS-AUTHN-9393' && subject === ''));
  },
);

test.serial('a code for a name that nobody has signs nobody in, whatever is typed', async (t) => {
  const sign = await beginRaw(base);
  await sign.send(codePath, 'nobody');
  for (let i = 0; i < 5; i++) t.false(isIn(await sign.post(codePath, { code: String(100_000 + i) })));
});

test.serial('a code is single use; a new one replaces the last; and it is kept as a scrypt hash alone', async (t) => {
  const first = await beginRaw(base);
  await first.send(codePath, 'ada');
  const one = codeOf(await smtp.next());
  await first.post(codePath, { again: '1', code: '' });
  const two = codeOf(await smtp.next());
  t.regex((await first.post(codePath, { code: one })).body, one === two ? /./ : /This code is not right/);
  t.true(isIn(await first.post(codePath, { code: two })));
  // The sign-in is over; in another one the same code is worth nothing.
  t.is((await first.post(codePath, { code: two })).status, 400);
  const second = await beginRaw(base);
  await second.send(codePath, 'ada');
  const three = codeOf(await smtp.next());
  if (two !== three) t.false(isIn(await second.post(codePath, { code: two })));
  t.true(isIn(await second.post(codePath, { code: three })));
});

test.serial('two browsers with one code at once: of two posts one goes on', async (t) => {
  for (let i = 0; i < 5; i++) {
    const sign = await beginRaw(base);
    await sign.send(codePath, 'ada');
    const code = codeOf(await smtp.next());
    const answers = await Promise.all(Array.from({ length: 6 }, () => sign.post(codePath, { code })));
    t.is(answers.filter(isIn).length, 1);
  }
});

test.serial('a step ends after stsEmailCodeAttempts wrong codes, however many come at once: the right one comes too late', async (t) => {
  const sign = await beginRaw(base);
  await sign.send(codePath, 'ada');
  const code = codeOf(await smtp.next());
  const from = atrium.audit.length;
  const wrong = Array.from({ length: 40 }, (_, i) => String((Number(code) + 1 + i) % 1_000_000).padStart(6, '0'));
  await Promise.all(wrong.map((each) => sign.post(codePath, { code: each })));
  const judged = actionsSince(from);
  t.is(judged.filter((action) => action === 'signin.email STS-AUTHN-9390').length, 4);
  t.is(judged.filter((action) => action === 'signin.email STS-AUTHN-9392').length, 1);
  t.false(isIn(await sign.post(codePath, { code })));
  await setAttribute(atrium, ada.dn, 'stsEmailFirstFailures', []);
});

test.serial('a code is good for stsEmailCodeTtl and no longer', async (t) => {
  const sign = await beginRaw(base);
  await sign.send(codePath, 'ada');
  const mail = await smtp.next();
  t.regex(mail.text, /for 10 minutes/);
  nowMs += 599_999;
  const other = await beginRaw(base);
  await other.send(codePath, 'ada');
  await smtp.next();
  nowMs += 1;
  t.false(isIn(await sign.post(codePath, { code: codeOf(mail) })));
});

test.serial('consecutive failures turn the emailed factor off; a right code before that begins the count anew', async (t) => {
  const grace = await addPerson(atrium, 'grace', 'Grace Hopper');
  await setAttribute(atrium, grace.dn, 'stsVerifiedMail', ['grace@example.com']);
  const failures = async () => await attributeOf(atrium, grace.dn, 'stsEmailFirstFailures');
  const guess = async (times: number) => {
    const sign = await beginRaw(base);
    await sign.send(codePath, 'grace');
    const code = codeOf(await smtp.next());
    for (let i = 0; i < times; i++) await sign.post(codePath, { code: String((Number(code) + 1 + i) % 1_000_000).padStart(6, '0') });
    return { sign, code };
  };
  const { sign, code } = await guess(4);
  t.true(isIn(await sign.post(codePath, { code })));
  t.deepEqual(await failures(), []);
  const from = atrium.audit.length;
  await guess(5);
  const { sign: last, code: right } = await guess(4);
  t.deepEqual(
    actionsSince(from).filter((action) => action.endsWith('9394')),
    [],
  );
  await last.post(codePath, { code: String((Number(right) + 77) % 1_000_000).padStart(6, '0') });
  // What is counted is written behind the answer; the next one waits for it.
  const after = await beginRaw(base);
  const sent = smtp.received.length;
  await after.send(codePath, 'grace');
  await after.post(codePath, { code: right });
  t.deepEqual(await failures(), ['10']);
  t.is(actionsSince(from).filter((action) => action === 'factor.email STS-AUTHN-9394').length, 1);
  t.is(smtp.received.length, sent);
  t.false(isIn(await last.post(codePath, { code: right })));
  // Whoever did that knew nothing but a name: the second factor is as it was, and a link, which nobody guesses, is still a first one.
  t.deepEqual(await attributeOf(atrium, grace.dn, 'stsEmailFailures'), []);
  const byLink = await beginRaw(base);
  await byLink.send(linkPath, 'grace');
  for (let i = 0; i < 3; i++) await byLink.post(linkPath, { token: 'A'.repeat(43) });
  t.deepEqual(await failures(), ['10']);
  const token = new URL(linkOf(await smtp.next())).searchParams.get('token') ?? '';
  t.true(isIn(await byLink.post(linkPath, { token })));
});

test.serial(
  'wrong codes of a mailed first factor are not held against the second: who knows a name alone turns nobody’s second factor off',
  async (t) => {
    const mia = await addPerson(atrium, 'mia', 'Mia Mailed');
    await setAttribute(atrium, mia.dn, 'stsVerifiedMail', ['mia@example.com']);
    await setAttribute(atrium, mia.dn, 'stsEmailFactor', ['TRUE']);
    // As many as turn the first factor off: after them nothing is mailed any more.
    for (let round = 0; round < 2; round++) {
      const sign = await beginRaw(base);
      await sign.send(codePath, 'mia');
      await smtp.next();
      for (let i = 0; i < 5; i++) await sign.post(codePath, { code: `00000${i}` });
    }
    t.deepEqual(await attributeOf(atrium, mia.dn, 'stsEmailFailures'), []);
  },
);

test.serial(
  'a link finishes the sign-in only in the browser that asked for it, and only on Continue: opening it spends nothing',
  async (t) => {
    const context = await openContext(t, browser);
    const page = await context.newPage();
    await page.goto(base);
    await Promise.all([page.waitForNavigation(), page.click('text=Get a link by mail')]);
    await page.fill('#username', 'ada');
    await Promise.all([page.waitForNavigation(), page.click('text=Mail me a link')]);
    await inspect(t, page, 'email-link-sent');
    const link = linkOf(await smtp.next());
    t.true(link.startsWith(`${base}/authn/email-link?authn=`));

    // A scanner of mail opens it, with no cookie; another browser does.
    const target = link.slice(base.length);
    for (let i = 0; i < 3; i++) {
      const scanned = await ask(base, target);
      t.is(scanned.status, 403);
      t.deepEqual(scanned.setCookies, []);
    }
    const elsewhere = await (await openContext(t, browser)).newPage();
    await elsewhere.goto(link);
    t.is(await elsewhere.textContent('h1'), 'Open the link in the other browser');
    t.is(await elsewhere.locator('form').count(), 0);
    await inspect(t, elsewhere, 'email-link-elsewhere');
    const token = new URL(link).searchParams.get('token') ?? '';
    t.is((await ask(base, target, { method: 'POST', form: { token } })).status, 403);

    const opened = await context.newPage();
    await opened.goto(link);
    await opened.reload();
    t.is(await opened.textContent('h1'), 'Continue signing in');
    await inspect(t, opened, 'email-link-opened');
    t.deepEqual(
      (await context.cookies()).filter(({ name }) => name === 'sts_session'),
      [],
    );
    await Promise.all([opened.waitForNavigation(), opened.click('button:text-is("Continue")')]);
    t.is(opened.url(), `${base}/portal`);
    // Spent.
    const again = await opened.goto(link);
    t.is(again?.status(), 400);
  },
);

test.serial('GET mails nothing, however often it is asked', async (t) => {
  const sign = await beginRaw(base);
  const before = atrium.audit.length;
  for (const path of [codePath, linkPath, `${codePath}?username=ada&again=1`]) await sign.get(path);
  t.deepEqual(actionsSince(before), []);
});

test.serial('sign-in rate limits apply: to the name, whether or not anybody has it, and before anything is mailed or judged', async (t) => {
  await using strict = await startTestAtrium({ settings: { ...mailedSettings(smtp), STS_SECURITY_RATE_PER_IDENTITY: '3' } });
  const at = strict.addresses.http ?? '';
  await addPerson(strict, 'ada', 'Ada Lovelace');
  await setPolicy(strict, { stsFirstFactor: ['password', 'email-code'] });
  const journey = async (name: string) => {
    const sign = await beginRaw(at);
    await sign.send(codePath, name);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await sign.post(codePath, { code: `00000${i}` })).status);
    const limited = await sign.post(codePath, { again: '1', code: '' });
    t.regex(limited.retryAfter, /^\d+$/);
    return [...statuses, limited.status];
  };
  t.deepEqual(await journey('ada'), [200, 200, 429, 429]);
  t.deepEqual(await journey('nobody'), [200, 200, 429, 429]);
});

test.serial('off by default: where the policy names no emailed mechanism, or the realm has no mail server, there is none', async (t) => {
  await using silent = await startTestAtrium();
  const at = silent.addresses.http ?? '';
  const tries = async () => {
    const sign = await beginRaw(at);
    const page = await sign.get('/authn/login');
    const post = await sign.post(codePath, { username: 'ada' });
    return [/by mail/.test(page.body), post.status, post.location.startsWith('/authn/email')];
  };
  t.deepEqual(await tries(), [false, 403, false]);
  // 0244: no policy turns on what cannot be.
  await t.throwsAsync(setPolicy(silent, { stsFirstFactor: ['password', 'email-code'] }));
  t.deepEqual(await tries(), [false, 403, false]);
});

test.serial('STS-AUTHN-9332: where only mailed factors begin a sign-in, a demand for a hardware key is refused in words', async (t) => {
  await setPolicy(atrium, { stsFirstFactor: ['email-code'] });
  const from = atrium.audit.length;
  const { location } = await ask(base, '/portal?acr_values=hwk');
  const answer = await ask(base, location);
  t.is(answer.status, 403);
  t.regex(answer.body, /An emailed code or link is not enough/);
  t.deepEqual(actionsSince(from), ['signin.policy STS-AUTHN-9332']);
  await setPolicy(atrium, { stsFirstFactor: ['password', 'email-code', 'email-link'] });
});

test.serial('a name that a mail was asked for opens no step of a key: the first screen’s box asks for that', async (t) => {
  const sign = await beginRaw(base);
  await sign.send('/authn/email-code', 'ada');
  t.regex((await sign.get('/authn/webauthn')).location, /^\/authn\/login\?/);
});

test.serial('what is tried by a mail address is counted alike whether somebody has it, as a factor or not, or nobody', async (t) => {
  const limits = { STS_SECURITY_RATE_PER_IDENTITY: '4' };
  await using strict = await startTestAtrium({ settings: { ...mailedSettings(smtp), ...limits }, clock: { nowMs: () => nowMs } });
  await addPerson(strict, 'una', 'Una Verified');
  const known = await addPerson(strict, 'kim', 'Kim Known');
  await setAttribute(strict, known.dn, 'stsVerifiedMail', ['kim@example.com']);
  await setPolicy(strict, { stsFirstFactor: ['password', 'email-code'] });
  for (const name of ['una@example.com', 'kim@example.com', 'nobody@example.com']) {
    const sign = await beginRaw(strict.addresses.http ?? '');
    await sign.send(codePath, name);
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await sign.post(codePath, { code: String(100_000 + i) })).status);
    t.deepEqual(statuses, [200, 200, 200, 429], name);
  }
});
