import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Client } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import { ClientRefusal, connectOperators } from '#client';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { issueLink, shownLink, targetOf, tokenOf } from './link-orders.ts';
import { attributeOf, setAttribute } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';
import { addPersonTo, addRealm } from './realms.ts';
import { plugIn } from './virtual-key.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = Date.now();
const fresh = 'Difference-Engine-1822';

test.before(async () => {
  atrium = await startTestAtrium({
    settings: { STS_SECURITY_RATE_PER_IDENTITY: '10000', STS_SECURITY_RATE_PER_ADDRESS: '10000', STS_AUTHN_SESSION_LIFETIME_S: '86400' },
    clock: { nowMs: () => nowMs },
  });
  base = atrium.addresses.http ?? '';
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

/** Adds somebody who has nothing to sign in with. */
async function addInvited(uid: string): Promise<TestPerson> {
  const dn = `uid=${uid},ou=people,${atrium.suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(dn, { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, displayName: uid, mail: `${uid}@example.com` }),
  );
  return { uid, dn, password: fresh };
}

async function openPage(t: ExecutionContext, address: string): Promise<Page> {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(address);
  return page;
}

async function press(page: Page, words: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(`text=${words}`)]);
}

/** From the page that says what was done. */
async function toSignIn(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('main a[role=button]')]);
}

async function fillPassword(page: Page, password: string, again = password): Promise<void> {
  await page.fill('#password', password);
  await page.fill('#again', again);
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
}

const heading = (page: Page) => page.textContent('h1');

/** Whether a name and a password sign in over LDAP. */
async function binds(dn: string, password: string): Promise<boolean> {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  try {
    await client.bind(dn, password);
    return true;
  } catch {
    return false;
  } finally {
    await client.unbind();
  }
}

/** A form of a link's page, sent as its browser would. */
async function sendPassword(link: string, password: string, path = new URL(link).pathname) {
  const page = await ask(base, targetOf(link));
  return await ask(base, path, {
    method: 'POST',
    form: { csrf: hiddenOf(page, 'csrf'), link: hiddenOf(page, 'link'), password, again: password },
  });
}

const refusals = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

test.serial('an activation link lets a person set a password, once; no session comes of it, and then they sign in', async (t) => {
  const ann = await addInvited('ann');
  const { link = '', untilMs } = await issueLink(atrium, 'activation', ann.dn);
  t.is(untilMs, nowMs + 1440 * 60_000);
  t.true(link.startsWith(`${base}/portal/activate?link=`));
  const page = await openPage(t, link);
  t.is(await heading(page), 'Choose how you sign in');
  t.regex((await page.textContent('main')) ?? '', /at least 12 characters.*last 5/s);
  await inspect(t, page, 'link-activate');
  await fillPassword(page, 'short', 'shorter');
  t.regex((await page.textContent('main')) ?? '', /These are not the same/);
  await fillPassword(page, 'short');
  t.regex((await page.textContent('main')) ?? '', /This password was not taken: .*at least 12 characters/);
  await inspect(t, page, 'link-refused');
  await fillPassword(page, fresh);
  t.is(await heading(page), 'You can sign in now');
  t.false(page.url().includes('link='));
  await inspect(t, page, 'link-done');
  t.deepEqual(
    (await page.context().cookies()).map(({ name }) => name),
    [],
  );
  await toSignIn(page);
  await typeIn(page, 'ann', fresh);
  t.is(await heading(page), 'ann');
  const again = await openPage(t, link);
  t.is(await heading(again), 'This link opens nothing');
  await inspect(t, again, 'link-gone');
});

test.serial('opening a link spends nothing, however often it is looked at: only its form does', async (t) => {
  const bea = await addInvited('bea');
  const link = await shownLink(atrium, 'activation', bea.dn);
  for (let i = 0; i < 5; i++) t.is((await ask(base, targetOf(link))).status, 200);
  t.is((await ask(base, targetOf(link), { method: 'HEAD' })).status, 200);
  t.is((await sendPassword(link, fresh)).status, 303);
  t.is((await ask(base, targetOf(link))).status, 410);
});

test.serial('two browsers with one link at once: of many posts one sets its password', async (t) => {
  for (let round = 0; round < 4; round++) {
    const person = await addInvited(`race${round}`);
    const link = await shownLink(atrium, 'activation', person.dn);
    const passwords = Array.from({ length: 6 }, (_, i) => `Difference-Engine-${round}-${i}`);
    const page = await ask(base, targetOf(link));
    const form = { csrf: hiddenOf(page, 'csrf'), link: hiddenOf(page, 'link') };
    const path = new URL(link).pathname;
    const answers = await Promise.all(
      passwords.map((password) => ask(base, path, { method: 'POST', form: { ...form, password, again: password } })),
    );
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 410, 410, 410, 410, 410]);
    const won = passwords[answers.findIndex(({ status }) => status === 303)] ?? '';
    t.true(await binds(person.dn, won));
  }
});

test.serial(
  'an activation link enrols an authenticator app; whoever has no password sets one with the same link, and then both are asked for',
  async (t) => {
    const cleo = await addInvited('cleo');
    const page = await openPage(t, await shownLink(atrium, 'activation', cleo.dn));
    await press(page, 'Set up an authenticator app');
    await press(page, 'Show the key');
    await inspect(t, page, 'link-app');
    const app = createApp({ secret: ((await page.textContent('.secret')) ?? '').replace(/\s/g, '') });
    await page.fill('#code', app.wrong(nowMs));
    await press(page, 'Confirm the app');
    t.regex((await page.textContent('main')) ?? '', /This code is not right/);
    await page.fill('#code', app.code(nowMs));
    await press(page, 'Confirm the app');
    t.regex((await page.textContent('main')) ?? '', /Your authenticator app is confirmed/);
    // Nobody puts another factor in the place of the one that is there now.
    t.false(((await page.textContent('main')) ?? '').includes('Other ways'));
    await fillPassword(page, fresh);
    await toSignIn(page);
    await typeIn(page, 'cleo', fresh);
    t.regex(page.url(), /\/authn\/totp/);
    nowMs += 60_000;
    await page.fill('#code', app.code(nowMs));
    await Promise.all([page.waitForNavigation(), page.press('#code', 'Enter')]);
    t.is(await heading(page), 'cleo');
  },
);

test.serial('of a person who has a password an activation link is spent with the app', async (t) => {
  const dora = await addPerson(atrium, 'dora', 'Dora Doe');
  const link = await shownLink(atrium, 'activation', dora.dn);
  const page = await openPage(t, link);
  await press(page, 'Set up an authenticator app');
  await press(page, 'Show the key');
  const app = createApp({ secret: ((await page.textContent('.secret')) ?? '').replace(/\s/g, '') });
  await page.fill('#code', app.code(nowMs));
  await press(page, 'Confirm the app');
  t.is(await heading(page), 'You can sign in now');
  t.is((await ask(base, targetOf(link))).status, 410);
});

test.serial('an activation link enrols a security key, alone in place of a password', async (t) => {
  const emil = await addInvited('emil');
  const page = await openPage(t, await shownLink(atrium, 'activation', emil.dn));
  await plugIn(page);
  await press(page, 'Use a security key in place of a password');
  await inspect(t, page, 'link-key');
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
  t.is(await heading(page), 'You can sign in now');
  await toSignIn(page);
  await page.fill('#username', 'emil');
  await page.check('#passwordless');
  await Promise.all([page.waitForNavigation(), page.press('#username', 'Enter')]);
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
  t.is(await heading(page), 'emil');
});

test.serial(
  'a reset takes the password away and signs out everywhere; its link sets another, and a second factor that is held is asked for as before',
  async (t) => {
    const finn = await addPerson(atrium, 'finn', 'Finn Fox');
    const app = createApp({ addedMs: nowMs });
    await setAttribute(atrium, finn.dn, 'stsTotpCredential', [app.credential]);
    const page = await openPage(t, `${base}/portal`);
    await typeIn(page, 'finn', finn.password);
    await page.fill('#code', app.code(nowMs));
    await Promise.all([page.waitForNavigation(), page.press('#code', 'Enter')]);
    t.is(await heading(page), 'Finn Fox');

    const { link = '', untilMs } = await issueLink(atrium, 'reset', finn.dn);
    t.is(untilMs, nowMs + 60 * 60_000);
    await page.goto(`${base}/portal`);
    t.regex(page.url(), /\/authn\/login/);
    t.false(await binds(finn.dn, finn.password));
    const refused = await t.throwsAsync<ClientRefusal>(issueLink(atrium, 'activation', finn.dn), { instanceOf: ClientRefusal });
    t.regex(refused?.message ?? '', /holds a security key or an authenticator app/);

    const other = await openPage(t, link);
    t.is(await heading(other), 'Set a new password');
    await inspect(t, other, 'link-reset');
    await fillPassword(other, fresh);
    t.is(await heading(other), 'You can sign in now');
    await toSignIn(other);
    await typeIn(other, 'finn', fresh);
    t.regex(other.url(), /\/authn\/totp/);
  },
);

test.serial('a reset ends LDAP connections of the person, and a sign-in in which the password that is gone was shown', async (t) => {
  const lea = await addPerson(atrium, 'lea', 'Lea Lark');
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  await client.bind(lea.dn, lea.password);
  const connections = () => atrium.audit.filter(({ action, subject }) => action === 'ldap.bind' && subject === lea.dn).length;
  t.is(connections(), 1);
  const app = createApp({ addedMs: nowMs });
  const screen = await openScreen(base);
  await setAttribute(atrium, lea.dn, 'stsTotpCredential', [app.credential]);
  const { location } = await submit(base, screen, 'lea', lea.password);
  t.regex(location, /\/authn\/totp/);
  const cookies = { sts_signin: screen.browser };
  const page = await ask(base, location, { cookies });
  await issueLink(atrium, 'reset', lea.dn);
  const late = await ask(base, location, { method: 'POST', cookies, form: { csrf: hiddenOf(page, 'csrf'), code: app.code(nowMs) } });
  t.is(cookieOf(late, 'sts_session'), undefined);
  t.false(late.status === 303 && late.location.endsWith('/portal'));
  // ldapts connects anew by itself, and is nobody then.
  await t.throwsAsync(client.search(lea.dn, { scope: 'base', attributes: ['pwdChangedTime'] }));
  await client.unbind();
});

test.serial('a new link takes the place of the older of its kind, disabling and deleting end a link, and so does its time', async (t) => {
  const gina = await addPerson(atrium, 'gina', 'Gina Gold');
  const first = await shownLink(atrium, 'reset', gina.dn);
  const second = await shownLink(atrium, 'reset', gina.dn);
  t.is((await ask(base, targetOf(first))).status, 410);
  t.is((await ask(base, targetOf(second))).status, 200);
  await setAttribute(atrium, gina.dn, 'pwdAccountLockedTime', ['000001010000Z']);
  t.is((await ask(base, targetOf(second))).status, 410);
  const refused = await t.throwsAsync<ClientRefusal>(issueLink(atrium, 'reset', gina.dn), { instanceOf: ClientRefusal });
  t.regex(refused?.message ?? '', /disabled/);
  await setAttribute(atrium, gina.dn, 'pwdAccountLockedTime', []);
  const third = await shownLink(atrium, 'reset', gina.dn);
  nowMs += 60 * 60_000;
  t.is((await ask(base, targetOf(third))).status, 410);
  const fourth = await shownLink(atrium, 'reset', gina.dn);
  await asAdministrator(atrium, (client) => client.del(gina.dn));
  t.is((await ask(base, targetOf(fourth))).status, 410);
  t.true(refusals(0).includes('STS-AUTHN-9460'));
});

test.serial('a link is of one realm, one kind and one form: it opens nothing elsewhere', async (t) => {
  const acme = await addRealm(atrium, 'acme');
  const hana = await addPersonTo(atrium, acme, 'hana', 'Hana Hill', 'Analytical-Engine-1843');
  const link = await shownLink(atrium, 'reset', hana.dn);
  t.true(link.startsWith(`${base}/realm/acme/portal/reset-password?link=`));
  const token = tokenOf(link);
  for (const path of ['/portal/reset-password', '/realm/acme/portal/activate', '/portal/activate'])
    t.is((await ask(base, `${path}?link=${token}`)).status, 410, path);
  for (const wrong of ['', 'x', `${token}x`, 'A'.repeat(43), 'A'.repeat(5000), `${token}&link=${token}x`.slice(5)])
    t.is((await ask(base, `/realm/acme/portal/reset-password?link=${encodeURIComponent(wrong)}`)).status, 410, wrong);
  const own = await ask(base, targetOf(link));
  const form = { csrf: hiddenOf(own, 'csrf'), link: token, password: fresh, again: fresh };
  t.is((await ask(base, '/portal/reset-password', { method: 'POST', form })).status, 403);
  t.is((await ask(base, '/realm/acme/portal/reset-password', { method: 'POST', form: { ...form, csrf: '' } })).status, 403);
  t.is((await ask(base, '/realm/acme/portal/reset-password', { method: 'POST', form })).status, 303);
  const screen = await openScreen(base, '/realm/acme/portal');
  t.true((cookieOf(await submit(base, screen, 'hana', fresh), 'sts_session') ?? '') !== '');
});

test.serial('the token of a link is in no log, no audit row and no file; no page of it tells another where it came from', async (t) => {
  const ivan = await addPerson(atrium, 'ivan', 'Ivan Iron');
  const link = await shownLink(atrium, 'reset', ivan.dn);
  const token = tokenOf(link);
  t.is(token.length, 43);
  const answer = await fetch(link);
  t.is(answer.headers.get('referrer-policy'), 'no-referrer');
  t.is(answer.headers.get('cache-control'), 'no-store');
  await sendPassword(link, 'short');
  await sendPassword(link, fresh);
  await ask(base, targetOf(link));
  t.false(atrium.log().includes(token));
  t.false(JSON.stringify(atrium.audit).includes(token));
  for (const file of ['state.sqlite', 'state.sqlite-wal', 'directory.sqlite', 'directory.sqlite-wal', 'audit.sqlite', 'audit.sqlite-wal']) {
    try {
      t.false(readFileSync(join(atrium.dataDir, file)).includes(token), file);
    } catch (error) {
      t.is((error as NodeJS.ErrnoException).code, 'ENOENT');
    }
  }
  t.true(atrium.audit.some(({ action, outcome }) => action === 'person.link' && outcome === 'success'));
  t.true(
    atrium.audit.some(({ action, summary }) => action === 'person.link.use' && summary === 'a reset link was used: a password was set'),
  );
});

test.serial(
  'app passwords go on working after a reset, and a button of the link’s page revokes them all, also of who holds a second factor',
  async (t) => {
    const kai = await addPerson(atrium, 'kai', 'Kai Kelp');
    await setAttribute(atrium, kai.dn, 'stsTotpCredential', [createApp({ addedMs: nowMs }).credential]);
    const socketPath = decodeURIComponent((atrium.addresses.operators ?? '').replace('ldapi://', ''));
    await using operators = await connectOperators({ socketPath });
    const { value } = await operators.actor.makeAppPassword({ dn: kai.dn, name: 'Mail on <b>phone</b>', scopes: ['ldap'] });
    const { link = '' } = await issueLink(atrium, 'reset', kai.dn);
    t.true(await binds(kai.dn, value));
    const page = await openPage(t, link);
    t.regex((await page.textContent('main')) ?? '', /They go on working with a new password.*Mail on <b>phone<\/b>/s);
    await inspect(t, page, 'link-reset-app-passwords');
    await press(page, 'Revoke all app passwords');
    t.regex((await page.textContent('main')) ?? '', /Your app passwords are revoked/);
    t.false((await page.textContent('main'))?.includes('phone'));
    t.false(await binds(kai.dn, value));
    // The link is as good as before.
    await page.fill('#password', fresh);
    await page.fill('#again', fresh);
    await Promise.all([page.waitForNavigation(), page.click('main form button')]);
    t.is(await heading(page), 'You can sign in now');
  },
);

test.serial('pwdReset is settled by the link, and the password that is set is kept out of the history’s reach', async (t) => {
  const jane = await addPerson(atrium, 'jane', 'Jane Jet');
  await setAttribute(atrium, jane.dn, 'pwdReset', ['TRUE']);
  const link = await shownLink(atrium, 'reset', jane.dn);
  t.regex((await sendPassword(link, jane.password)).body, /one of the last 5 passwords/);
  t.is((await sendPassword(link, fresh)).status, 303);
  t.deepEqual(await attributeOf(atrium, jane.dn, 'pwdReset'), []);
  t.true(await binds(jane.dn, fresh));
});
