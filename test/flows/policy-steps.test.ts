import test from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, hiddenOf, openScreen, submit } from './raw.ts';

const withTool = withLdapUtils(test) === test ? test.serial : test.serial.skip;

let atrium: TestAtrium;
let base: string;
let ada: TestPerson;
let grace: TestPerson;

test.before(async () => {
  // Its administrator goes on editing by ldapmodify while a second factor is asked of everybody.
  atrium = await startTestAtrium({ settings: { STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap' } });
  base = atrium.addresses.http ?? '';
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  grace = await addPerson(atrium, 'grace', 'Grace Hopper');
});

test.after.always(async () => {
  await atrium?.[Symbol.asyncDispose]();
});

const policyDn = () => `cn=default,ou=authnPolicies,${atrium.suffix}`;
const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

/** As an administrator in a shell would. */
async function ldapmodify(ldif: string): Promise<number> {
  const target = { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword };
  return (await runLdapTool('ldapmodify', target, [], ldif)).status;
}

const replace = (attribute: string, ...values: readonly string[]) =>
  ldapmodify(
    `dn: ${policyDn()}\nchangetype: modify\nreplace: ${attribute}\n${values.map((value) => `${attribute}: ${value}\n`).join('')}-\n`,
  );

/** The page of a step, as the browser that was sent there has it. */
async function follow(location: string, browser: string) {
  const page = await ask(base, location, { cookies: { sts_signin: browser } });
  return { page, csrf: hiddenOf(page, 'csrf') };
}

const choose = (location: string, browser: string, csrf: string, choice: string) =>
  ask(base, location, { method: 'POST', cookies: { sts_signin: browser }, form: { csrf, choice } });

withTool(
  'a policy that is edited by ldapmodify between two steps counts from the next step: what was offered is required, and the other way round',
  async (t) => {
    t.is(await ldapmodify(`dn: ${policyDn()}\nchangetype: add\nobjectClass: stsAuthnPolicy\ncn: default\n`), 0);
    t.is(await ldapmodify(`dn: cn=Admin Write,ou=groups,${atrium.suffix}\nchangetype: modify\nadd: member\nmember: ${grace.dn}\n-\n`), 0);
    const screen = await openScreen(base);
    const password = await submit(base, screen, grace.uid, grace.password);
    t.regex(password.location, /^\/authn\/mfa-setup\?/, 'offer is what is built in for administrators');
    const offered = await follow(password.location, screen.browser);
    t.true(offered.page.body.includes('value="ignore"'));

    t.is(await replace('stsRequireSecondFactorForAdministrators', 'always'), 0);
    const from = atrium.audit.length;
    const refused = await choose(password.location, screen.browser, offered.csrf, 'ignore');
    t.is(refused.status, 403);
    t.true(codesSince(from).includes('STS-AUTHN-0270'));
    t.false((await follow(password.location, screen.browser)).page.body.includes('value="ignore"'));

    t.is(await replace('stsRequireSecondFactorForAdministrators', 'if-held'), 0);
    const done = await ask(base, password.location, { cookies: { sts_signin: screen.browser } });
    t.is(done.status, 303);
    t.true(
      done.setCookies.some((cookie) => cookie.startsWith('sts_session=')),
      'nothing is asked of her any more',
    );
  },
);

withTool(
  'requireSecondFactor set to always between the screen and the password holds for who was asked for a password alone',
  async (t) => {
    const screen = await openScreen(base);
    t.is(await replace('stsRequireSecondFactor', 'always'), 0);
    const answer = await submit(base, screen, ada.uid, ada.password);
    t.regex(answer.location, /^\/authn\/mfa-setup\?/);
    t.false(answer.setCookies.some((cookie) => cookie.startsWith('sts_session=')));
    const required = await follow(answer.location, screen.browser);
    t.false(required.page.body.includes('value="ignore"'));
    t.is(await replace('stsRequireSecondFactor'), 0);
    const done = await ask(base, answer.location, { cookies: { sts_signin: screen.browser } });
    t.true(done.setCookies.some((cookie) => cookie.startsWith('sts_session=')));
  },
);

withTool(
  'STS-AUTHN-0268: a password is not accepted any more from the moment the policy says so, on a screen that is open, too',
  async (t) => {
    const screen = await openScreen(base);
    t.is(await replace('stsFirstFactor', 'security-key'), 0);
    const answer = await submit(base, screen, ada.uid, ada.password);
    t.is(answer.status, 403);
    t.false(answer.setCookies.some((cookie) => cookie.startsWith('sts_session=')));
    t.is(await replace('stsFirstFactor'), 0);
    t.is((await submit(base, screen, ada.uid, ada.password)).status, 303);
  },
);

withTool('ldapmodify is told why nonsense is refused, and what is in force stays', async (t) => {
  t.is(await replace('stsRequireSecondFactor', 'never'), 19);
  t.is(await replace('stsSecondFactor', 'email-code'), 19);
  const screen = await openScreen(base);
  t.is((await submit(base, screen, ada.uid, ada.password)).status, 303);
});
