import test from 'ava';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext } from './browser.ts';
import { asAdministrator } from './people.ts';
import { plugIn } from './virtual-key.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = Date.UTC(2026, 10, 22, 12, 0, 0);

test.before(async () => {
  atrium = await startTestAtrium({ clock: { nowMs: () => nowMs }, settings: { STS_GLOBAL_MODE: 'development' } });
  base = atrium.addresses.http ?? '';
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const read = (dn: string, name: string) =>
  asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: [name] });
    return String(searchEntries[0]?.[name] ?? '');
  });

test.serial(
  'development, passwordless box, no primary key: a key is enrolled on the spot, and the first claimant of a name gets it',
  async (t) => {
    const context = await openContext(t, browser);
    const page = await context.newPage();
    await plugIn(page, { transport: 'internal', resident: true });
    await page.goto(`${base}/portal?a=1`);
    await inspect(t, page, 'development-signin-boxes');
    const come = async (button: string) => {
      await page.check('#passwordless');
      await page.fill('#username', 'ada');
      await Promise.all([page.waitForNavigation(), page.press('#username', 'Enter')]);
      t.regex(page.url(), /\/authn\/webauthn\?authn=/);
      await inspect(t, page, `passwordless-${button.split(' ')[0]}`);
      await Promise.all([page.waitForNavigation(), page.click(`button:has-text("${button}")`)]);
    };
    await come('Add a security key');
    t.is(page.url(), `${base}/portal?a=1`);
    t.regex((await page.textContent('section:has(#where)')) ?? '', /This browser\s*Security key/);

    // The entry remembers when, and nothing of a second factor.
    nowMs += 60_000;
    await context.clearCookies();
    await page.goto(`${base}/portal?a=2`);
    await come('Use your security key');
    t.is(page.url(), `${base}/portal?a=2`);
    const dn = `uid=ada,ou=people,${atrium.suffix}`;
    t.is(await read(dn, 'stsLastAuthentication'), '20261122120100Z');
    t.is(await read(dn, 'stsSecondFactorUsed'), '');
    const session = atrium.audit.find(({ summary }) => summary === 'session began by security-key');
    t.truthy(session);

    // Somebody else, with a key of their own, does not get in under that name.
    const other = await openContext(t, browser);
    const theirs = await other.newPage();
    await plugIn(theirs, { transport: 'internal', resident: true });
    await theirs.goto(`${base}/portal`);
    await theirs.check('#passwordless');
    await theirs.fill('#username', 'ada');
    await Promise.all([theirs.waitForNavigation(), theirs.press('#username', 'Enter')]);
    t.is(await theirs.textContent('button[type=submit]'), 'Use your security key');
  },
);
