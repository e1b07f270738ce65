import test from 'ava';
import { Attribute, Change, Client } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;

test.before(async () => {
  atrium = await startTestAtrium();
  base = atrium.addresses.http ?? '';
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);
const modify = (dn: string, type: string, values: string[]) =>
  asAdministrator(atrium, (client) =>
    client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) })),
  );

async function mustChange(uid: string): Promise<TestPerson> {
  const person = await addPerson(atrium, uid, `${uid} Reset`);
  await modify(person.dn, 'pwdReset', ['TRUE']);
  return person;
}

async function change(page: Page, password: string, again = password): Promise<void> {
  await page.fill('#password', password);
  await page.fill('#again', again);
  await Promise.all([page.waitForNavigation(), page.press('#again', 'Enter')]);
}

async function binds({ dn }: TestPerson, password: string): Promise<boolean> {
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

test.serial('pwdReset: a page is drawn in place of a session, and the sign-in continues when the password is changed', async (t) => {
  const eve = await mustChange('eve');
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(`${base}/portal?a=1`);
  await typeIn(page, eve.uid, eve.password);
  t.regex(page.url(), /\/authn\/password-change\?authn=/);
  t.is(await page.textContent('h1'), 'Choose a new password');
  t.false((await context.cookies()).some(({ name }) => name === 'sts_session'));
  await inspect(t, page, 'password-change');

  await change(page, 'Difference-Engine-1822', 'Difference-Engine-1823');
  t.true((await page.textContent('#again-fault'))?.includes('not the same'));
  t.is(await page.inputValue('#password'), '');
  await inspect(t, page, 'password-change-fault');

  const from = atrium.audit.length;
  await change(page, eve.password);
  t.true((await page.textContent('#password-fault'))?.includes('the new password is the one that must be changed'));
  t.true(codesSince(from).includes('STS-AUTHN-9335'));

  await change(page, 'Difference-Engine-1822');
  t.is(page.url(), `${base}/portal?a=1`);
  t.deepEqual([await binds(eve, eve.password), await binds(eve, 'Difference-Engine-1822')], [false, true]);
});

test.serial('pwdReset: no way leads past the page, and another browser cannot go on with it', async (t) => {
  const mia = await mustChange('mia');
  const screen = await openScreen(base);
  const answer = await submit(base, screen, mia.uid, mia.password);
  t.regex(answer.location, /^\/authn\/password-change\?authn=/);
  t.is(cookieOf(answer, 'sts_session'), undefined);
  // Neither the first step, nor one that this person is not asked for, gives a session.
  const own = { sts_signin: screen.browser };
  t.is((await ask(base, answer.location.replace('password-change', 'mfa-setup'), { cookies: own })).location, answer.location);
  t.is((await ask(base, screen.target, { cookies: own })).status, 200);

  const from = atrium.audit.length;
  const other = await openScreen(base);
  for (const cookies of [{}, { sts_signin: other.browser }]) {
    const foreign = await ask(base, answer.location, { cookies });
    t.is(foreign.status, 403);
    t.false(foreign.body.includes('name="password"'));
  }
  t.deepEqual(codesSince(from), ['STS-AUTHN-9334', 'STS-AUTHN-9334']);

  const page = await ask(base, answer.location, { cookies: own });
  const send = (form: Readonly<Record<string, string>>) => ask(base, answer.location, { method: 'POST', cookies: own, form });
  t.is((await send({ password: 'Stolen-Form-of-1', again: 'Stolen-Form-of-1' })).status, 403);
  t.is((await send({ csrf: hiddenOf(page, 'csrf'), password: 'Own-Form-of-Mia-2', again: 'Own-Form-of-Mia-2' })).status, 303);
  t.true(await binds(mia, 'Own-Form-of-Mia-2'));
});

const since = 'pwdChangedTime: 20200101000000Z';

/** Somebody who has had their password since long ago, with what else an entry may have. */
async function longAgo(uid: string, ...more: readonly string[]): Promise<TestPerson> {
  const dn = `uid=${uid},ou=people,${atrium.suffix}`;
  const password = 'Analytical-Engine-1843';
  const lines = [
    `dn: ${dn}`,
    'objectClass: inetOrgPerson',
    `uid: ${uid}`,
    `cn: ${uid}`,
    `sn: ${uid}`,
    `userPassword: ${password}`,
    since,
    ...more,
    '',
  ];
  const { status, stderr } = await runCli(['import', '-'], testEnvironment(atrium.dataDir), lines.join('\n'));
  if (status !== 0) throw new Error(stderr);
  return { uid, dn, password };
}

test.serial(
  'an expired password and pwdReset: the password is changed, and the second factor is asked for before there is a session',
  async (t) => {
    await asAdministrator(atrium, (client) =>
      client.add(`cn=default,ou=passwordPolicies,${atrium.suffix}`, {
        objectClass: 'stsPasswordPolicy',
        cn: 'default',
        pwdMaxAge: '86400',
        pwdGraceAuthNLimit: '1',
      }),
    );
    const app = createApp();
    const people = [await longAgo('old'), await longAgo('both', 'pwdReset: TRUE'), await mustChange('reset')];
    for (const [at, person] of people.entries()) {
      await modify(person.dn, 'stsTotpCredential', [app.credential]);
      const page = await (await openContext(t, browser)).newPage();
      await page.goto(`${base}/portal`);
      await typeIn(page, person.uid, person.password);
      t.regex(page.url(), /\/authn\/password-change\?authn=/, person.uid);
      await change(page, person.password);
      t.true((await page.textContent('#password-fault'))?.includes('the new password is the one that must be changed'), person.uid);
      await change(page, 'short');
      t.true((await page.textContent('#password-fault'))?.includes('at least 12 characters'), person.uid);
      await change(page, `Difference-Engine-${at}`);
      t.regex(page.url(), /\/authn\/totp\?authn=/, person.uid);
      t.false(
        (await page.context().cookies()).some(({ name }) => name === 'sts_session'),
        person.uid,
      );
      await page.fill('#code', app.code(Date.now()));
      await Promise.all([page.waitForNavigation(), page.press('#code', 'Enter')]);
      t.is(page.url(), `${base}/portal`, person.uid);
      // Once is enough.
      const again = await (await openContext(t, browser)).newPage();
      await again.goto(`${base}/portal`);
      await typeIn(again, person.uid, `Difference-Engine-${at}`);
      t.regex(again.url(), /\/authn\/totp\?authn=/, person.uid);
    }
  },
);

test.serial('pwdReset: what the directory does not take is told in its words, and the sign-in waits', async (t) => {
  const ida = await mustChange('ida');
  const screen = await openScreen(base);
  const { location } = await submit(base, screen, ida.uid, ida.password);
  const cookies = { sts_signin: screen.browser };
  const csrf = hiddenOf(await ask(base, location, { cookies }), 'csrf');
  // Meanwhile their realm lets them choose none.
  await asAdministrator(atrium, (client) =>
    client.add(`cn=fixed,ou=accessRules,${atrium.suffix}`, {
      objectClass: 'stsAccessRule',
      cn: 'fixed',
      stsRuleOrder: '1',
      stsRuleEffect: 'deny',
      stsRuleWho: `dn:${ida.dn}`,
      stsRuleAttribute: 'userPassword',
      stsRuleRight: 'write',
    }),
  );
  const from = atrium.audit.length;
  const late = await ask(base, location, { method: 'POST', cookies, form: { csrf, password: 'Too-Late-1', again: 'Too-Late-1' } });
  t.is(late.status, 503);
  t.true(codesSince(from).includes('STS-AUTHN-9336'));
  t.is(cookieOf(late, 'sts_session'), undefined);
  // Disabled: what was begun is over.
  await modify(ida.dn, 'pwdAccountLockedTime', ['000001010000Z']);
  const form = { csrf, password: 'Too-Late-to-be-1', again: 'Too-Late-to-be-1' };
  t.is((await ask(base, location, { method: 'POST', cookies, form })).status, 400);
});
