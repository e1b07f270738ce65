import test from 'ava';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type Authenticator, makeAuthenticator } from '../support/soft-key.ts';
import { inspect, launch, openContext } from './browser.ts';
import { attributeOf, isIn, setAttribute, setPolicy } from './mailed.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, openScreen } from './raw.ts';
import { answerWith, enrolAtPortal, keyPage, namedBase, passwordSession } from './soft-ceremony.ts';
import { plugIn } from './virtual-key.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;

test.before(async () => {
  const high = { STS_SECURITY_RATE_PER_IDENTITY: '1000', STS_SECURITY_RATE_PER_ADDRESS: '1000' };
  atrium = await startTestAtrium({ settings: { ...high, STS_WEBAUTHN_RESIDENT_KEY: 'preferred' } });
  base = namedBase(atrium);
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

/** The user handle of somebody's entry, as an authenticator has it. */
async function handleOf(at: TestAtrium, { dn }: TestPerson): Promise<string> {
  const [uuid = ''] = await attributeOf(at, dn, 'entryUUID');
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Presses the button of the first screen, and answers with a key that says whose it is. */
async function comeWith(at: string, key: Authenticator, userHandle: string | undefined) {
  const screen = await openScreen(at);
  const cookies = { sts_signin: screen.browser };
  const pressed = await ask(at, screen.target, { method: 'POST', cookies, form: { csrf: screen.csrf, passkey: 'on' } });
  const page = await keyPage(at, pressed.location, cookies);
  return { page, answer: await answerWith(at, page, key.get(page.asked, userHandle === undefined ? {} : { userHandle })) };
}

test.serial('a passkey names its person: the button on the first screen signs in with it alone, and no name is typed', async (t) => {
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await plugIn(page, { transport: 'internal', resident: true });
  await page.goto(base);
  await page.fill('#username', ada.uid);
  await page.fill('#password', ada.password);
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')]);
  await page.goto(`${base}/portal/keys/add?role=primary`);
  await Promise.all([page.waitForNavigation(), page.click('button:has-text("Add a security key")')]);
  t.regex(page.url(), /done=added/);

  await context.clearCookies();
  await page.goto(`${base}/portal?a=1`);
  await Promise.all([page.waitForNavigation(), page.click('text=Sign in with a passkey')]);
  t.regex(page.url(), /\/authn\/webauthn\?authn=/);
  await inspect(t, page, 'passkey');
  await Promise.all([page.waitForNavigation(), page.click('button:has-text("Use your security key")')]);
  t.is(page.url(), `${base}/portal?a=1`);
  t.is(await page.textContent('h1'), 'Ada Lovelace');
  t.true(atrium.audit.some(({ summary }) => summary === 'session began by security-key'));
});

test.serial(
  'a passkey of nobody, of somebody else, of another role or that says nothing of whose it is: the same words, and nobody is in',
  async (t) => {
    const [bob, eve] = [await addPerson(atrium, 'bob', 'Bob Has'), await addPerson(atrium, 'eve', 'Eve Has')];
    const [his, hers, second] = [makeAuthenticator('ES256'), makeAuthenticator('ES256'), makeAuthenticator('ES256')];
    t.is((await enrolAtPortal(base, await passwordSession(base, bob), his, 'primary')).status, 303);
    t.is((await enrolAtPortal(base, await passwordSession(base, eve), hers, 'primary')).status, 303);
    t.is((await enrolAtPortal(base, await passwordSession(base, eve), second, 'mfa')).status, 303);
    const disabled = await addPerson(atrium, 'dis', 'Dis Abled');
    const old = makeAuthenticator('ES256');
    t.is((await enrolAtPortal(base, await passwordSession(base, disabled), old, 'primary')).status, 303);
    await setAttribute(atrium, disabled.dn, 'pwdAccountLockedTime', ['000001010000Z']);
    const [bobs, eves] = [await handleOf(atrium, bob), await handleOf(atrium, eve)];

    const words: string[] = [];
    for (const [key, handle] of [
      [his, undefined],
      [his, eves],
      [hers, bobs],
      [second, eves],
      [his, Buffer.alloc(16, 7).toString('base64url')],
      [his, Buffer.alloc(64, 7).toString('base64url')],
      [old, await handleOf(atrium, disabled)],
    ] as const) {
      const { answer } = await comeWith(base, key, handle);
      t.false(isIn(answer));
      t.is(answer.status, 400);
      words.push(/id="fault"[^>]*><p>([^<]*)/.exec(answer.body)?.[1] ?? answer.body);
    }
    t.is(new Set(words).size, 1, [...new Set(words)].join('\n'));
    t.regex(words[0] ?? '', /was not accepted/);
    const { page, answer } = await comeWith(base, his, bobs);
    t.true(isIn(answer));
    // Nothing of a person stood on the page that asked.
    t.deepEqual(page.options.allowCredentials, []);
    t.notRegex(page.page.body, /bob|Signing in as/i);
  },
);

test.serial(
  'a passkey is one factor: where a second one is required, or two are demanded, it signs nobody in (STS-AUTHN-0171)',
  async (t) => {
    const max = await addPerson(atrium, 'max', 'Max Must');
    const key = makeAuthenticator('ES256');
    t.is((await enrolAtPortal(base, await passwordSession(base, max), key, 'primary')).status, 303);
    await setAttribute(atrium, max.dn, 'stsMfaRequired', ['TRUE']);
    const from = atrium.audit.length;
    const { answer } = await comeWith(base, key, await handleOf(atrium, max));
    t.is(answer.status, 403);
    t.false(isIn(answer));
    t.true(atrium.audit.slice(from).some(({ errorCode }) => errorCode === 'STS-AUTHN-0171'));
    t.notRegex((await openScreen(base, '/portal?acr_values=mfa')).page.body, /passkey/);
    await setPolicy(atrium, { stsFirstFactor: ['password'] });
    const screen = await openScreen(base);
    t.notRegex(screen.page.body, /passkey/);
    const cookies = { sts_signin: screen.browser };
    const forced = await ask(base, screen.target, { method: 'POST', cookies, form: { csrf: screen.csrf, passkey: 'on' } });
    t.is(forced.status, 403);
    await setPolicy(atrium, { stsFirstFactor: [] });
  },
);

test('development mode: a passkey signs in there, too', async (t) => {
  await using other = await startTestAtrium({ settings: { STS_GLOBAL_MODE: 'development' } });
  const at = namedBase(other);
  const dev = await addPerson(other, 'dev', 'Dev Eloper');
  const key = makeAuthenticator('ES256');
  t.is((await enrolAtPortal(at, await passwordSession(at, dev), key, 'primary')).status, 303);
  t.true(isIn((await comeWith(at, key, await handleOf(other, dev))).answer));
  t.false(isIn((await comeWith(at, makeAuthenticator('ES256'), await handleOf(other, dev))).answer));
});
