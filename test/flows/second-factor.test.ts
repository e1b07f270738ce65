import { randomBytes } from 'node:crypto';
import test from 'ava';
import { Attribute, Change } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import { printSecurityKey } from '#holdings';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';
import { plugIn } from './virtual-key.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = Date.now();

test.before(async () => {
  atrium = await startTestAtrium({ clock: { nowMs: () => nowMs }, settings: { STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap' } });
  base = atrium.addresses.http ?? '';
  browser = await launch();
  const cn = 'default';
  await asAdministrator(atrium, (client) => client.add(policyDn(), { objectClass: 'stsAuthnPolicy', cn }));
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const policyDn = () => `cn=default,ou=authnPolicies,${atrium.suffix}`;
const rowsSince = (from: number) => atrium.audit.slice(from);
const codesSince = (from: number) => rowsSince(from).flatMap(({ errorCode }) => errorCode ?? []);
const actionsSince = (from: number) => rowsSince(from).map(({ action }) => action);
const write = (dn: string, values: Readonly<Record<string, readonly string[]>>) =>
  asAdministrator(atrium, async (client) => {
    for (const [type, all] of Object.entries(values)) {
      const modification = new Attribute({ type, values: [...all] });
      await client.modify(dn, new Change({ operation: 'replace', modification }));
    }
  });
const read = (dn: string, name: string) =>
  asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: [name] });
    return String(searchEntries[0]?.[name] ?? '');
  });

/** Under a policy, and back. */
async function under(values: Readonly<Record<string, readonly string[]>>, act: () => Promise<unknown>): Promise<void> {
  await write(policyDn(), values);
  try {
    await act();
  } finally {
    await write(policyDn(), Object.fromEntries(Object.keys(values).map((name) => [name, []])));
  }
}

const press = (page: Page, words: string) => Promise.all([page.waitForNavigation(), page.click(`text=${words}`)]);
/** Adds or shows the key that is plugged in, and waits until the service has answered. */
const touch = (page: Page, button: 'Add a security key' | 'Use your security key') =>
  Promise.all([page.waitForNavigation(), page.click(`button:has-text("${button}")`)]);
const session = async (page: Page) => (await page.context().cookies()).some(({ name }) => name === 'sts_session');

/** Somebody with a security key as a second factor, which is plugged into the page. */
async function withKey(page: Page, uid: string): Promise<TestPerson> {
  const person = await addPerson(atrium, uid, `${uid} Keyed`);
  await page.goto(`${base}/portal`);
  await page.check('#second-factor');
  await typeIn(page, person.uid, person.password);
  await plugIn(page);
  await touch(page, 'Add a security key');
  return person;
}

test.serial('second-factor box ticked, holds nothing: the ceremony enrols on first use, and asks for the key ever after', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  await page.goto(`${base}/portal?a=1`);
  await page.check('#second-factor');
  await inspect(t, page, 'signin-boxes');
  await typeIn(page, ada.uid, ada.password);
  t.regex(page.url(), /\/authn\/webauthn\?authn=/);
  t.false(await session(page));
  await plugIn(page);
  await touch(page, 'Add a security key');
  t.is(page.url(), `${base}/portal?a=1`);
  t.regex((await page.textContent('section:has(#where)')) ?? '', /Password, Security key/);
  t.is(await read(ada.dn, 'stsSecondFactorUsed'), 'TRUE');

  // The box is not what makes it be asked for.
  const again = await context.newPage();
  await context.clearCookies();
  await plugIn(again);
  await again.goto(`${base}/portal`);
  await typeIn(again, ada.uid, ada.password);
  t.regex(again.url(), /\/authn\/webauthn\?authn=/);
  t.is(await again.textContent('button[type=submit]'), 'Use your security key');
  t.regex((await again.textContent('.waits')) ?? '', /5 minutes/);
});

test.serial(
  'a step that waited longer than authn.mfaStepTtlS says what to do, and starting again leads back to what was wanted',
  async (t) => {
    const context = await openContext(t, browser);
    const page = await context.newPage();
    const bea = await withKey(page, 'bea');
    await context.clearCookies();
    await page.goto(`${base}/portal?b=2`);
    await typeIn(page, bea.uid, bea.password);
    const step = page.url();
    const from = atrium.audit.length;
    nowMs += 299_000;
    await page.reload();
    t.is(await page.locator('form').count(), 1);
    nowMs += 1000;
    await page.goto(step);
    t.is(await page.textContent('h1'), 'Your time for this step has run out');
    await inspect(t, page, 'step-expired');
    t.deepEqual(codesSince(from), ['STS-AUTHN-9333']);
    t.false(await session(page));

    await Promise.all([page.waitForNavigation(), page.click('a:has-text("Start again")')]);
    await typeIn(page, bea.uid, bea.password);
    await touch(page, 'Use your security key');
    t.is(page.url(), `${base}/portal?b=2`);
  },
);

test.serial('the second factor has its whole time, however long the request has waited before the password', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  const cleo = await withKey(page, 'cleo');
  await context.clearCookies();
  await page.goto(`${base}/portal?c=3`);
  nowMs += 590_000;
  await typeIn(page, cleo.uid, cleo.password);
  nowMs += 290_000;
  await touch(page, 'Use your security key');
  t.is(page.url(), `${base}/portal?c=3`);
});

test.serial('stsMfaRequired, holds none: /authn/mfa-setup, no Ignore, and no session until enrolment', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  const dora = await addPerson(atrium, 'dora', 'Dora Required');
  await write(dora.dn, { stsMfaRequired: ['TRUE'] });
  await page.goto(`${base}/portal?d=4`);
  await typeIn(page, dora.uid, dora.password);
  t.regex(page.url(), /\/authn\/mfa-setup\?authn=/);
  t.is(await page.textContent('h1'), 'Add a second factor');
  t.is(await page.locator('text=Not now').count(), 0);
  await inspect(t, page, 'setup-required');
  t.false(await session(page));
  t.is((await ask(base, '/portal')).status, 303);

  await press(page, 'Set up a security key');
  t.regex(page.url(), /\/authn\/webauthn\?authn=/);
  await press(page, 'Choose another kind');
  t.regex(page.url(), /\/authn\/mfa-setup\?authn=/);
  await press(page, 'Set up a security key');
  await plugIn(page);
  await touch(page, 'Add a security key');
  t.is(page.url(), `${base}/portal?d=4`);
});

test.serial('STS-AUTHN-0270: Ignore posted on a required step is refused', async (t) => {
  const person = await addPerson(atrium, 'elsa', 'Elsa Required');
  await write(person.dn, { stsMfaRequired: ['TRUE'] });
  const screen = await openScreen(base);
  const { location } = await submit(base, screen, person.uid, person.password);
  const cookies = { sts_signin: screen.browser };
  const csrf = hiddenOf(await ask(base, location, { cookies }), 'csrf');
  const from = atrium.audit.length;
  const ignored = await ask(base, location, { method: 'POST', cookies, form: { csrf, choice: 'ignore' } });
  t.is(ignored.status, 403);
  t.regex(ignored.body, /cannot be left out/);
  t.is(cookieOf(ignored, 'sts_session'), undefined);
  t.deepEqual(codesSince(from), ['STS-AUTHN-0270']);
  // Nor does any other choice that there is not lead on.
  const made = await ask(base, location, { method: 'POST', cookies, form: { csrf, choice: 'password' } });
  t.is(made.status, 200);
  t.is((await ask(base, location, { cookies })).status, 200);
});

test.serial(
  'offer: an administrator is shown the page with Ignore, signs in with the password alone, and is offered it again',
  async (t) => {
    const context = await openContext(t, browser);
    const page = await context.newPage();
    for (const time of ['first', 'second'] as const) {
      await context.clearCookies();
      const from = atrium.audit.length;
      await page.goto(`${base}/portal`);
      await typeIn(page, 'admin', atrium.adminPassword);
      t.regex(page.url(), /\/authn\/mfa-setup\?authn=/, time);
      if (time === 'first') await inspect(t, page, 'setup-offered');
      t.true(actionsSince(from).includes('authn.mfa.enrolment.offered'));
      await press(page, 'Not now');
      t.is(page.url(), `${base}/portal`);
      t.true(actionsSince(from).includes('authn.mfa.enrolment.declined'));
    }
  },
);

test.serial('always: the built-in administrator is only offered a second factor; everybody else’s rule holds for it too', async (t) => {
  const signIn = async () => (await submit(base, await openScreen(base), 'admin', atrium.adminPassword)).location;
  const isRequired = async () => {
    const screen = await openScreen(base);
    const { location } = await submit(base, screen, 'admin', atrium.adminPassword);
    const page = await ask(base, location, { cookies: { sts_signin: screen.browser } });
    return !page.body.includes('value="ignore"');
  };
  await under({ stsRequireSecondFactorForAdministrators: ['always'] }, async () => t.false(await isRequired()));
  await under({ stsRequireSecondFactorForAdministrators: ['if-held'] }, async () => t.is(await signIn(), '/portal'));
  await under({ stsRequireSecondFactor: ['always'] }, async () => t.true(await isRequired()));
});

test.serial('STS-AUTHN-0206: product mode, no primary key: refused, in the same words for a name that nobody has', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  const fay = await addPerson(atrium, 'fay', 'Fay Keyless');
  const words: string[] = [];
  for (const uid of [fay.uid, 'nobody-of-this-name']) {
    const from = atrium.audit.length;
    await page.goto(`${base}/portal`);
    await page.check('#passwordless');
    await page.fill('#username', uid);
    await Promise.all([page.waitForNavigation(), page.press('#username', 'Enter')]);
    words.push((await page.textContent('main'))?.replaceAll(uid, '') ?? '');
    t.is(await page.inputValue('#username'), uid);
    t.deepEqual(codesSince(from), ['STS-AUTHN-0206']);
  }
  t.is(words[0], words[1]);
  await inspect(t, page, 'passwordless-refused');
});

test.serial(
  'STS-AUTHN-0171: a passwordless sign-in is refused where a second factor is required, of all, of one, or by a demand',
  async (t) => {
    const gil = await addPerson(atrium, 'gil', 'Gil Keyed');
    const id = randomBytes(32);
    const attestation = { format: 'none', proved: 'untrusted' } as const;
    const what = {
      role: 'primary',
      name: 'Key',
      publicKey: 'AAAA',
      algorithm: -7,
      counter: 0,
      aaguid: '00000000-0000-0000-0000-000000000000',
    } as const;
    const key = {
      ...what,
      id: id.toString('base64url'),
      transports: [],
      backupEligible: false,
      backedUp: false,
      attestation,
      addedMs: nowMs,
    };
    await write(gil.dn, { stsWebauthnCredential: [printSecurityKey(key)] });
    await asAdministrator(atrium, async (client) => {
      const classes = new Attribute({ type: 'objectClass', values: ['stsCredentialHolder'] });
      const ids = new Attribute({ type: 'stsCredentialId', values: [id] });
      await client.modify(gil.dn, [
        new Change({ operation: 'add', modification: classes }),
        new Change({ operation: 'add', modification: ids }),
      ]);
    });
    const send = async (target = '/portal') => {
      const screen = await openScreen(base, target);
      const form = { csrf: screen.csrf, username: gil.uid, passwordless: 'on' };
      const from = atrium.audit.length;
      const answer = await ask(base, screen.target, { method: 'POST', cookies: { sts_signin: screen.browser }, form });
      return { answer, codes: codesSince(from), screen };
    };
    t.regex((await send()).answer.location, /^\/authn\/webauthn/);

    const refused = async (target?: string) => {
      const { answer, codes } = await send(target);
      t.is(answer.status, 403);
      t.is(cookieOf(answer, 'sts_session'), undefined);
      t.deepEqual(codes, ['STS-AUTHN-0171']);
    };
    await under({ stsRequireSecondFactor: ['always'] }, () => refused());
    await refused('/portal?acr_values=mfa');
    const { page } = await openScreen(base, '/portal?acr_values=mfa');
    t.false(page.body.includes('name="passwordless"'));
    t.true(page.body.includes('name="second-factor" aria-describedby="second-factor-hint" checked disabled'));
    await write(gil.dn, { stsMfaRequired: ['TRUE'] });
    await refused();
  },
);

test.serial('a demand for two factors is met by a key that is added on the way, and the portal does not ask again', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  const hal = await addPerson(atrium, 'hal', 'Hal Demanded');
  await page.goto(`${base}/portal?acr_values=mfa`);
  await inspect(t, page, 'signin-demanded');
  await typeIn(page, hal.uid, hal.password);
  await plugIn(page);
  await touch(page, 'Add a security key');
  t.is(page.url(), `${base}/portal?acr_values=mfa`);
  await page.goto(`${base}/portal?acr_values=phrh`);
  t.is(page.url(), `${base}/portal?acr_values=phrh`);
});

test.serial('STS-AUTHN-0204: a demand for a hardware key refuses whoever has only an authenticator app', async (t) => {
  const ines = await addPerson(atrium, 'ines', 'Ines App');
  const credential = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', algorithm: 'SHA1', digits: 6, period: 30, addedMs: nowMs };
  await write(ines.dn, { stsTotpCredential: [JSON.stringify(credential)] });
  const from = atrium.audit.length;
  const answer = await submit(base, await openScreen(base, '/portal?acr_values=hwk'), ines.uid, ines.password);
  t.is(answer.status, 403);
  t.regex(answer.body, /asks for a security key/);
  t.true(codesSince(from).includes('STS-AUTHN-0204'));
});

test.serial(
  'STS-AUTHN-0269: whose second factor the policy does not accept is told so, and their password alone is not enough',
  async (t) => {
    const ivo = await addPerson(atrium, 'ivo', 'Ivo App');
    const credential = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', algorithm: 'SHA1', digits: 6, period: 30, addedMs: nowMs };
    await write(ivo.dn, { stsTotpCredential: [JSON.stringify(credential)] });
    await under({ stsSecondFactor: ['security-key'] }, async () => {
      const from = atrium.audit.length;
      const answer = await submit(base, await openScreen(base), ivo.uid, ivo.password);
      t.is(answer.status, 403);
      t.true(codesSince(from).includes('STS-AUTHN-0269'));
      t.is(cookieOf(answer, 'sts_session'), undefined);
    });
  },
);

test.serial('STS-AUTHN-0172: a second factor is required and nothing can be enrolled: refused, and what is off is named', async (t) => {
  const kai = await addPerson(atrium, 'kai', 'Kai Required');
  await under({ stsRequireSecondFactor: ['always'], stsSecondFactor: ['authenticator-app'], stsTotpEnrolment: ['FALSE'] }, async () => {
    const from = atrium.audit.length;
    const answer = await submit(base, await openScreen(base), kai.uid, kai.password);
    t.is(answer.status, 403);
    const row = rowsSince(from).find(({ errorCode }) => errorCode === 'STS-AUTHN-0172');
    t.regex(row?.summary ?? '', /security-key \(stsSecondFactor\), authenticator-app \(stsTotpEnrolment\)/);
  });
});

test.serial('of two posts of one screen one goes on, and the other is asked again', async (t) => {
  const lea = await addPerson(atrium, 'lea', 'Lea Twice');
  for (let round = 0; round < 5; round++) {
    const screen = await openScreen(base);
    const answers = await Promise.all([1, 2, 3].map(() => submit(base, screen, lea.uid, lea.password)));
    t.is(answers.filter((answer) => cookieOf(answer, 'sts_session') !== undefined).length, 1);
    for (const { status, location } of answers)
      t.true(status === 400 || location === '/portal' || location === screen.target, `${status} ${location}`);
  }
});

test.serial(
  'holds both: the key, with a link to the code; under a demand for a hardware key the code is refused where it is posted',
  async (t) => {
    const context = await openContext(t, browser);
    const page = await context.newPage();
    const mae = await withKey(page, 'mae');
    const app = createApp();
    await write(mae.dn, { stsTotpCredential: [app.credential] });
    await context.clearCookies();
    await page.goto(`${base}/portal?both`);
    await typeIn(page, mae.uid, mae.password);
    await inspect(t, page, 'key-or-code');
    await press(page, 'Use a code from your authenticator app');
    t.regex(page.url(), /\/authn\/totp\?authn=/);
    await page.fill('#code', app.code(nowMs));
    await Promise.all([page.waitForNavigation(), page.press('#code', 'Enter')]);
    t.is(page.url(), `${base}/portal?both`);
    t.regex((await page.textContent('section:has(#where)')) ?? '', /Password, Authenticator app/);

    // The demand is on the request that waits: no address and no form changes it.
    const screen = await openScreen(base, '/portal?acr_values=hwk');
    const cookies = { sts_signin: screen.browser };
    const key = await submit(base, screen, mae.uid, mae.password);
    t.regex(key.location, /^\/authn\/webauthn\?/);
    const asked = await ask(base, key.location, { cookies });
    t.false(asked.body.includes('/authn/totp'));
    const totp = key.location.replace('webauthn', 'totp');
    t.is((await ask(base, totp, { cookies })).location, key.location);
    const from = atrium.audit.length;
    const form = { csrf: hiddenOf(asked, 'csrf'), code: app.code(nowMs, 1), role: 'first', acr_values: '' };
    const posted = await ask(base, totp, { method: 'POST', cookies, form });
    t.is(posted.status, 403);
    t.deepEqual(codesSince(from), ['STS-AUTHN-0204']);
    t.is(cookieOf(posted, 'sts_session'), undefined);
  },
);

test.serial('a required app is enrolled on the way, and the code that confirmed it cannot sign in: a fresh one is asked for', async (t) => {
  const ned = await addPerson(atrium, 'ned', 'Ned Required');
  await write(ned.dn, { stsMfaRequired: ['TRUE'] });
  const screen = await openScreen(base);
  const cookies = { sts_signin: screen.browser };
  const post = async (location: string, form: Readonly<Record<string, string>>) => {
    const page = await ask(base, location, { cookies });
    return ask(base, location, { method: 'POST', cookies, form: { csrf: hiddenOf(page, 'csrf'), ...form } });
  };
  const setup = (await submit(base, screen, ned.uid, ned.password)).location;
  const totp = (await post(setup, { choice: 'authenticator-app' })).location;
  t.regex(totp, /^\/authn\/totp\?/);
  const shown = await ask(base, totp, { cookies });
  const secret = /<p class="secret"><code>([^<]*)/.exec(shown.body)?.[1]?.replaceAll(' ', '') ?? '';
  const app = createApp({ secret });
  const code = app.code(nowMs);
  t.is((await post(totp, { code })).location, totp);
  const replayed = await post(totp, { code });
  t.is(cookieOf(replayed, 'sts_session'), undefined);
  t.regex(replayed.body, /used/);
  nowMs += 30_000;
  t.is((await post(totp, { code: app.code(nowMs) })).location, '/portal');
});
