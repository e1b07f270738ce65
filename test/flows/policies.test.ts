import test from 'ava';
import { Attribute, Change } from 'ldapts';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext } from './browser.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, hiddenOf, openScreen, submit } from './raw.ts';

let atrium: TestAtrium;
let base: string;
let ada: TestPerson;
let browser: Browser;

test.before(async () => {
  atrium = await startTestAtrium({
    settings: { STS_WEBAUTHN_ENABLED: 'false', STS_TOTP_ENABLED: 'false', STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap' },
  });
  base = atrium.addresses.http ?? '';
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const policyDn = () => `cn=default,ou=authnPolicies,${atrium.suffix}`;
const policy = (values: Readonly<Record<string, string>>) =>
  asAdministrator(atrium, (client) => client.add(policyDn(), { objectClass: 'stsAuthnPolicy', cn: 'default', ...values }));
const noPolicy = () => asAdministrator(atrium, (client) => client.del(policyDn()));
const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

test.serial(
  'STS-AUTHN-0268: where the policy accepts no password as a first factor, nobody is asked for one, and none is judged',
  async (t) => {
    const before = await openScreen(base);
    await policy({ stsFirstFactor: 'security-key' });
    const context = await openContext(t, browser);
    const page = await context.newPage();
    await page.goto(`${base}/portal`);
    t.is(await page.textContent('h1'), 'You cannot sign in here this way');
    t.is(await page.locator('#password').count(), 0);
    await inspect(t, page, 'signin-refused');

    const from = atrium.audit.length;
    const answer = await submit(base, before, ada.uid, ada.password);
    t.is(answer.status, 403);
    t.deepEqual(codesSince(from), ['STS-AUTHN-0268']);
    t.false(atrium.audit.slice(from).some(({ action }) => action === 'ldap.bind'));

    // Removing the policy returns to what is built in, for the very same request.
    await noPolicy();
    t.is((await submit(base, before, ada.uid, ada.password)).status, 303);
  },
);

test.serial(
  'STS-AUTHN-0172: a second factor is required and there is no mechanism: no session, not even for the built-in administrator',
  async (t) => {
    await policy({ stsRequireSecondFactor: 'always' });
    const screen = await openScreen(base);
    const from = atrium.audit.length;
    const wrong = await submit(base, screen, ada.uid, 'not-the-password');
    t.regex(wrong.body, /Authentication failed/);
    const right = await submit(base, screen, ada.uid, ada.password);
    t.is(right.status, 403);
    t.deepEqual(right.setCookies, []);
    t.true(codesSince(from).includes('STS-AUTHN-0172'));

    // Who is exempt from what is asked of administrators is not from what is asked of everybody.
    const administrator = await submit(base, screen, 'admin', atrium.adminPassword);
    t.is(administrator.status, 403);

    // In force with the next step, whatever screen is open.
    await asAdministrator(atrium, (client) => {
      const off = new Attribute({ type: 'stsRequireSecondFactor', values: ['if-held'] });
      return client.modify(policyDn(), new Change({ operation: 'replace', modification: off }));
    });
    const again = await ask(base, (await ask(base, '/portal')).location);
    t.truthy(hiddenOf(again, 'csrf'));
    t.is((await submit(base, await openScreen(base), ada.uid, ada.password)).status, 303);
    await noPolicy();
  },
);
