import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { otpauthUri, qrOf } from '#factors';
import { type App, createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, openContext, typeIn } from './browser.ts';
import { type FlowHouse, openHouse } from './house.ts';
import { setAttribute } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';

let house: FlowHouse;
let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = 1_795_000_020_000;

test.before(async () => {
  house = await openHouse(() => nowMs, {
    STS_AUTHN_MFA_STEP_TTL_S: '280',
    STS_SECURITY_RATE_PER_IDENTITY: '3',
    STS_SECURITY_RATE_PER_ADDRESS: '1000',
    STS_TOTP_ENROLMENT_TTL_MINUTES: '2',
  });
  ({ atrium, browser, base } = house);
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

const modify = (dn: string, type: string, ...values: string[]) => setAttribute(atrium, dn, type, values);

async function holder(uid: string, app = createApp()): Promise<{ readonly person: TestPerson; readonly app: App }> {
  const person = await addPerson(atrium, uid, `${uid} Holder`);
  await modify(person.dn, 'stsTotpCredential', app.credential);
  return { person, app };
}

async function begin(t: Parameters<typeof openContext>[0], { uid, password }: TestPerson): Promise<Page> {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(`${base}/portal`);
  await typeIn(page, uid, password);
  return page;
}

async function typeCode(page: Page, code: string): Promise<string> {
  await page.fill('#code', code);
  await Promise.all([page.waitForNavigation(), page.press('#code', 'Enter')]);
  return (await page.locator('.fault').allTextContents()).join();
}

const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

test.serial('once enrolled, a password alone no longer works: the screen asks for a code without a checkbox', async (t) => {
  const { person, app } = await holder('ada');
  const page = await begin(t, person);
  t.regex(page.url(), /\/authn\/totp\?authn=/);
  t.is(await page.textContent('h1'), 'Enter the code from your app');
  t.is(await page.locator('input[type=checkbox]').count(), 0);
  t.is(await page.locator('input:not([type=hidden])').count(), 1);
  for (const [name, value] of [
    ['inputmode', 'numeric'],
    ['autocomplete', 'one-time-code'],
  ] as const)
    t.is(await page.getAttribute('#code', name), value);
  t.notRegex(await page.content(), /<script/);
  await inspect(t, page, 'totp');
  t.false((await page.context().cookies()).some(({ name }) => name === 'sts_session'));

  // Wrong codes keep the step.
  t.regex(await typeCode(page, app.wrong(nowMs)), /not right/);
  await inspect(t, page, 'totp-wrong');
  t.regex(await page.title(), /^The code was not taken/);
  t.is(await page.inputValue('#code'), '');
  const code = app.code(nowMs);
  await typeCode(page, `${code.slice(0, 3)} ${code.slice(3)}`);
  t.is(page.url(), `${base}/portal`);

  // RFC 6238 §5.2.
  const again = await begin(t, person);
  t.regex(await typeCode(again, code), /used already/);
  t.is(codesSince(0).at(-1), 'STS-AUTHN-9311');
  nowMs += 30_000;
  await typeCode(again, app.code(nowMs));
  t.is(again.url(), `${base}/portal`);
});

test.serial(
  'an app is enrolled in two steps: the secret is shown as picture and as text, nothing is written before a code proves it, and that code cannot sign in',
  async (t) => {
    const person = await addPerson(atrium, 'grace', 'Grace Hopper');
    await modify(person.dn, 'stsMfaRequired', 'TRUE');
    const held = () =>
      asAdministrator(atrium, async (client) => {
        const { searchEntries } = await client.search(person.dn, { scope: 'base', attributes: ['stsAuthenticatorApp'] });
        return String(searchEntries[0]?.['stsAuthenticatorApp'] ?? '');
      });
    const page = await begin(t, person);
    t.regex(page.url(), /\/authn\/mfa-setup\?/);
    await Promise.all([page.waitForNavigation(), page.click('button[value=authenticator-app]')]);
    t.is(await page.textContent('h1'), 'Set up your authenticator app');
    await inspect(t, page, 'totp-enrolment');
    t.notRegex(await page.content(), /<script/);

    const shown = (await page.textContent('.secret')) ?? '';
    t.regex(shown.trim(), /^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    t.true((await page.textContent('main'))?.includes('Algorithm SHA1, 6 digits, a new code every 30 seconds.'));
    const secret = shown.replace(/\s/g, '');
    const uri = otpauthUri({ secret, algorithm: 'SHA1', digits: 6, period: 30 }, 'localhost', 'grace');
    t.is(uri, `otpauth://totp/localhost:grace?secret=${secret}&issuer=localhost&algorithm=SHA1&digits=6&period=30`);
    t.is(await page.getAttribute('.qr img', 'src'), await qrOf(uri));

    const app = createApp({ secret });
    t.regex(await typeCode(page, app.wrong(nowMs)), /not right/);
    t.is((await page.textContent('.secret'))?.replace(/\s/g, ''), secret, 'the same secret: it may be in the app already');
    t.is(await held(), '');
    await page.goto(page.url());
    t.is((await page.textContent('.secret'))?.replace(/\s/g, ''), secret);

    const code = app.code(nowMs);
    await typeCode(page, code);
    t.is(await page.textContent('h1'), 'Enter the code from your app');
    t.regex(await held(), /^algorithm=SHA1 digits=6 period=30 added=\d+ lastStep=\d+$/);
    t.regex(await typeCode(page, code), /used already/);
    t.is(await typeCode(page, app.code(nowMs, 1)), '');
    t.is(page.url(), `${base}/portal`);
    const all = JSON.stringify(atrium.audit) + atrium.log();
    t.false(all.includes(secret));
  },
);

test.serial('an unconfirmed secret expires after totp.enrolmentTtlMinutes: nothing is written, and another one is shown', async (t) => {
  const person = await addPerson(atrium, 'edsger', 'Edsger Dijkstra');
  await modify(person.dn, 'stsMfaRequired', 'TRUE');
  const page = await begin(t, person);
  await Promise.all([page.waitForNavigation(), page.click('button[value=authenticator-app]')]);
  const secretOf = async () => ((await page.textContent('.secret')) ?? '').replace(/\s/g, '');
  const first = await secretOf();
  nowMs += 121_000;
  t.regex(await typeCode(page, createApp({ secret: first }).code(nowMs)), /has run out/);
  const second = await secretOf();
  t.not(second, first);
  await typeCode(page, createApp({ secret: second }).code(nowMs));
  t.is(await page.textContent('h1'), 'Enter the code from your app');
});

test.serial('wrong codes are rate limited, and the right one is refused with them; the step is kept', async (t) => {
  const { person, app } = await holder('barbara');
  const page = await begin(t, person);
  for (let tries = 0; tries < 3; tries++) t.regex(await typeCode(page, app.wrong(nowMs)), /not right/);
  await typeCode(page, app.code(nowMs));
  t.regex((await page.textContent('[role=alert]')) ?? '', /Too many attempts/);
  nowMs += 60_000;
  await typeCode(page, app.code(nowMs));
  t.is(page.url(), `${base}/portal`);
});

test.serial('new enrolments have the digest, digits, period and length that the settings say; old ones keep theirs', async (t) => {
  const settings = {
    STS_TOTP_ALGORITHM: 'SHA512',
    STS_TOTP_DIGITS: '8',
    STS_TOTP_PERIOD: '60',
    STS_TOTP_SECRET_BYTES: '35',
    STS_TOTP_ISSUER: 'Our House',
    STS_TOTP_WINDOW: '0',
  };
  const own = await startTestAtrium({ clock: { nowMs: () => nowMs }, settings });
  t.teardown(() => own.stop());
  const outer = [atrium, base] as const;
  [atrium, base] = [own, own.addresses.http ?? ''];
  try {
    const { person, app } = await holder('old');
    const old = await begin(t, person);
    t.regex(await typeCode(old, app.code(nowMs, -1)), /not right/, 'totp.window is for everybody');
    await typeCode(old, app.code(nowMs));
    t.is(old.url(), `${base}/portal`);

    const fresh = await addPerson(own, 'fresh', 'Fresh Person');
    await modify(fresh.dn, 'stsMfaRequired', 'TRUE');
    const page = await begin(t, fresh);
    await Promise.all([page.waitForNavigation(), page.click('button[value=authenticator-app]')]);
    const secret = ((await page.textContent('.secret')) ?? '').replace(/\s/g, '');
    t.is(secret.length, 56);
    t.true((await page.textContent('main'))?.includes('Algorithm SHA512, 8 digits, a new code every 60 seconds.'));
    const shown = { secret, algorithm: 'SHA512', digits: 8, period: 60 } as const;
    t.is(await page.getAttribute('.qr img', 'src'), await qrOf(otpauthUri(shown, 'Our House', 'fresh')));
    const its = createApp(shown);
    await typeCode(page, its.code(nowMs));
    nowMs += 60_000;
    await typeCode(page, its.code(nowMs));
    t.is(page.url(), `${base}/portal`);
  } finally {
    [atrium, base] = outer;
  }
});

test.serial(
  'totp.enabled off: no app is enrolled and no code asked for, and who holds one is not let in with a password alone',
  async (t) => {
    const own = await startTestAtrium({
      clock: { nowMs: () => nowMs },
      settings: { STS_TOTP_ENABLED: 'false', STS_WEBAUTHN_ENABLED: 'false' },
    });
    t.teardown(() => own.stop());
    const outer = [atrium, base] as const;
    [atrium, base] = [own, own.addresses.http ?? ''];
    try {
      const { person } = await holder('ada');
      const page = await begin(t, person);
      t.is(await page.textContent('h1'), 'You cannot sign in here this way');
      t.false((await page.context().cookies()).some(({ name }) => name === 'sts_session'));
      t.true(own.audit.some(({ errorCode, summary }) => errorCode === 'STS-AUTHN-0172' && summary.includes('totp.enabled')));
      const fresh = await addPerson(own, 'fresh', 'Fresh Person');
      await modify(fresh.dn, 'stsMfaRequired', 'TRUE');
      t.is(await (await begin(t, fresh)).textContent('h1'), 'You cannot sign in here this way');
    } finally {
      [atrium, base] = outer;
    }
  },
);

test.serial(
  'a code that cannot be looked at, since no key opens the app’s secret, lets nobody in and is told as what it is (STS-AUTHN-9316)',
  async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'atrium-kek-'));
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
    const outer = [atrium, base] as const;
    const clock = { nowMs: () => nowMs };
    try {
      const before = await startTestAtrium({ dataDir, clock });
      [atrium, base] = [before, before.addresses.http ?? ''];
      const { person, app } = await holder('ada');
      await before.stop();
      const after = await startTestAtrium({ dataDir, clock, settings: { STS_KEYS_KEK: 'another key-encryption key of the same length' } });
      t.teardown(() => after.stop());
      [atrium, base] = [after, after.addresses.http ?? ''];
      const page = await begin(t, person);
      t.regex(page.url(), /\/authn\/totp\?/);
      await typeCode(page, app.code(nowMs));
      t.regex((await page.textContent('[role=alert]')) ?? '', /could not be looked at/);
      t.true(['STS-AUTHN-9315', 'STS-AUTHN-9316'].every((code) => after.audit.some(({ errorCode }) => errorCode === code)));
      t.false((await page.context().cookies()).some(({ name }) => name === 'sts_session'));
    } finally {
      [atrium, base] = outer;
    }
  },
);
