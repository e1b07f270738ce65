import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { createApp } from '../support/app.ts';
import type { TestAtrium } from '../support/atrium.ts';
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
    STS_SECURITY_RATE_PER_IDENTITY: '3',
    STS_SECURITY_RATE_PER_ADDRESS: '1000',
    STS_BACKUP_CODES_PENDING_TTL_S: '120',
    STS_BACKUP_CODES_COUNT: '6',
    STS_AUTHN_SESSION_LIFETIME_S: '86400',
  });
  ({ atrium, browser, base } = house);
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

const modify = (dn: string, type: string, ...values: string[]) => setAttribute(atrium, dn, type, values);

const left = (dn: string) =>
  asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: ['stsRecoveryCodesLeft'] });
    return String(searchEntries[0]?.['stsRecoveryCodesLeft'] ?? '');
  });

/** Signs in with a password on the way to a page, and with the app's code where one is asked for. */
async function signIn(
  t: Parameters<typeof openContext>[0],
  { uid, password }: TestPerson,
  path: string,
  app?: ReturnType<typeof createApp>,
): Promise<Page> {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(base + path);
  await typeIn(page, uid, password);
  if (app !== undefined) await typeCode(page, app.code(nowMs));
  // The portal is where a sign-in leads; what it was asked for is asked again.
  await page.goto(base + path);
  return page;
}

async function typeCode(page: Page, code: string): Promise<string> {
  await page.fill('#code', code);
  await Promise.all([page.waitForNavigation(), page.press('#code', 'Enter')]);
  return (await page.locator('.fault').allTextContents()).join();
}

const press = async (page: Page, words: string) =>
  Promise.all([page.waitForNavigation(), page.getByRole('button', { name: words, exact: true }).click()]);
const follow = async (page: Page, words: string) =>
  Promise.all([page.waitForNavigation(), page.getByRole('link', { name: words, exact: true }).click()]);

/** Makes a set on the portal and confirms it. */
async function makeCodes(page: Page): Promise<readonly string[]> {
  await page.getByRole('button', { name: /^Make (?:new )?recovery codes$/ }).click();
  await page.waitForURL(/\/portal\/mfa\/codes\?set=/);
  const codes = await page.locator('.codes code').allTextContents();
  await page.check('#saved');
  await press(page, 'Use these codes');
  return codes;
}

test.serial('recovery codes are shown once, and stored only after the person confirms that they are saved', async (t) => {
  const person = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const page = await signIn(t, person, '/portal/mfa');
  await inspect(t, page, 'mfa');
  t.is(await left(person.dn), '');
  await press(page, 'Make recovery codes');
  await inspect(t, page, 'recovery-codes');
  const codes = await page.locator('.codes code').allTextContents();
  const shown = page.url();
  t.is(codes.length, 6);
  for (const code of codes) t.regex(code, /^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$/);
  t.is(new Set(codes).size, 6);
  t.is(await left(person.dn), '', 'nothing is stored yet');

  // The file holds what the page shows.
  const href = (await page.getAttribute('a[download]', 'href')) ?? '';
  for (const code of codes) t.true(decodeURIComponent(href).includes(code));

  // Without the tick the page comes again, with the same codes.
  await page.evaluate(`document.querySelector('#saved').required = false`);
  await press(page, 'Use these codes');
  t.regex((await page.textContent('[role=alert]')) ?? '', /tick the box/);
  t.deepEqual(await page.locator('.codes code').allTextContents(), codes);
  await page.check('#saved');
  await press(page, 'Use these codes');
  t.is(page.url(), `${base}/portal/mfa?done=codes`);
  t.is(await left(person.dn), '6');
  await inspect(t, page, 'mfa-codes');
  await page.goto(shown);
  t.is(await page.locator('.codes').count(), 0, 'shown once');
  const everything = JSON.stringify(atrium.audit) + atrium.log();
  for (const code of codes) t.false(everything.includes(code.replace('-', '')) || everything.includes(code));

  // Holding only a set does not make a second factor required.
  const again = await signIn(t, person, '/portal');
  t.is(again.url(), `${base}/portal`);
});

test.serial(
  'an unconfirmed set expires after backupCodes.pendingTtlS and changes nothing; generating replaces the previous set',
  async (t) => {
    const person = await addPerson(atrium, 'edsger', 'Edsger Dijkstra');
    const app = createApp();
    await modify(person.dn, 'stsTotpCredential', app.credential);
    const page = await signIn(t, person, '/portal/mfa', app);
    t.regex((await page.textContent('#codes-prompt')) ?? '', /no recovery codes/, 'who has a second factor and no set is told to make one');
    const first = await makeCodes(page);
    await press(page, 'Make new recovery codes');
    nowMs += 121_000;
    await page.check('#saved');
    await press(page, 'Use these codes');
    t.regex((await page.textContent('[role=alert]')) ?? '', /waited too long/);
    t.is(await left(person.dn), '6');

    const use = async (code: string) => {
      const fresh = await (await openContext(t, browser)).newPage();
      await fresh.goto(`${base}/portal`);
      await typeIn(fresh, person.uid, person.password);
      await follow(fresh, 'Use a recovery code');
      await typeCode(fresh, code);
      return fresh.url();
    };
    t.is(await use(first[0] ?? ''), `${base}/portal`, 'the set before is as it was');
    const second = await makeCodes(page);
    t.is(await left(person.dn), '6');
    t.regex(await use(first[1] ?? ''), /\/authn\/backup-code/, 'what was replaced is worth nothing');
    t.is(await use(second[1] ?? ''), `${base}/portal`);
  },
);

test.serial('a recovery code is reached by a link on the code step, works once however it is typed, and is recorded', async (t) => {
  const person = await addPerson(atrium, 'grace', 'Grace Hopper');
  const app = createApp();
  await modify(person.dn, 'stsTotpCredential', app.credential);
  const [code = '', other = ''] = await makeCodes(await signIn(t, person, '/portal/mfa', app));
  const begin = async () => {
    const page = await (await openContext(t, browser)).newPage();
    await page.goto(`${base}/portal`);
    await typeIn(page, person.uid, person.password);
    t.is(await page.textContent('h1'), 'Enter the code from your app', 'never the factor that a sign-in asks for');
    await follow(page, 'Use a recovery code');
    t.regex(page.url(), /\/authn\/backup-code\?authn=/);
    return page;
  };
  const page = await begin();
  await inspect(t, page, 'recovery');
  t.notRegex(await page.content(), /<script/);
  t.regex(await typeCode(page, 'AAAAA-22222'), /not one of yours/);
  await inspect(t, page, 'recovery-wrong');
  await typeCode(page, ` ${code.toLowerCase().replace('-', ' ').replace('', '- ')} `);
  t.is(page.url(), `${base}/portal`);
  t.is(await left(person.dn), '5');
  t.true((await page.textContent('main'))?.includes('Recovery code'), 'the session list shows that one was used');
  await page.goto(`${base}/portal/sessions`);
  t.true((await page.locator('section').first().textContent())?.includes('A recovery code was used'));
  const used = atrium.audit.filter(({ action, summary }) => `${action} ${summary}`.includes('recovery code'));
  t.true(used.length > 0, 'and the audit trail');
  t.false(JSON.stringify(atrium.audit).includes(code));

  const again = await begin();
  t.regex(await typeCode(again, code), /not one of yours/, 'single use');
  t.regex(await typeCode(again, 'AAAAA-33333'), /not one of yours/);
  await typeCode(again, other);
  t.regex((await again.textContent('[role=alert]')) ?? '', /Too many attempts/, 'the right one, too');
  t.is(await left(person.dn), '5');
  nowMs += 60_000;
  await typeCode(again, other);
  t.is(again.url(), `${base}/portal`);
});

test.serial('the policy’s row off stops new sets only: a set that is held goes on working', async (t) => {
  const person = await addPerson(atrium, 'barbara', 'Barbara Liskov');
  const app = createApp();
  await modify(person.dn, 'stsTotpCredential', app.credential);
  const page = await signIn(t, person, '/portal/mfa', app);
  const [code = ''] = await makeCodes(page);
  const policy = `cn=default,ou=authnPolicies,${atrium.suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(policy, { objectClass: 'stsAuthnPolicy', cn: 'default', stsRecoveryCodeEnrolment: 'FALSE', stsTotpEnrolment: 'FALSE' }),
  );
  t.teardown(() => asAdministrator(atrium, (client) => client.del(policy)));
  await page.goto(`${base}/portal/mfa`);
  t.is(
    await page
      .getByRole('button')
      .filter({ hasText: /Make|Set up/ })
      .count(),
    0,
  );
  const fresh = await (await openContext(t, browser)).newPage();
  await fresh.goto(`${base}/portal`);
  await typeIn(fresh, person.uid, person.password);
  await follow(fresh, 'Use a recovery code');
  await typeCode(fresh, code);
  t.is(fresh.url(), `${base}/portal`);
});

test.serial(
  'a person sets up and removes an authenticator app and recovery codes on /portal/mfa; an old session is asked to sign in again first',
  async (t) => {
    const person = await addPerson(atrium, 'alan', 'Alan Turing');
    const page = await signIn(t, person, '/portal/mfa');
    await press(page, 'Set up an authenticator app');
    await inspect(t, page, 'mfa-app');
    const app = createApp({ secret: ((await page.textContent('.secret')) ?? '').replace(/\s/g, '') });
    t.regex(await typeCode(page, app.wrong(nowMs)), /not right/);
    await typeCode(page, app.code(nowMs));
    t.is(page.url(), `${base}/portal/mfa?done=app`);
    await makeCodes(page);
    t.is(await left(person.dn), '6');

    nowMs += 301_000;
    await follow(page, 'Remove the recovery codes');
    t.is(await page.textContent('h1'), 'Sign in', 'older than five minutes');
    await typeIn(page, person.uid, person.password);
    await typeCode(page, app.code(nowMs));
    t.is(page.url(), `${base}/portal/mfa/codes/remove`);
    await inspect(t, page, 'mfa-codes-remove');
    await press(page, 'Remove the recovery codes');
    t.is(await left(person.dn), '');
    await follow(page, 'Remove the app');
    await inspect(t, page, 'mfa-app-remove');
    await press(page, 'Remove the app');
    t.is(page.url(), `${base}/portal/mfa?done=app-removed`);
    t.is((await signIn(t, person, '/portal')).url(), `${base}/portal`, 'one factor again, never none');
  },
);

test.serial('what the directory does not let a person write is told, and nothing is changed', async (t) => {
  const person = await addPerson(atrium, 'hedy', 'Hedy Lamarr');
  const page = await signIn(t, person, '/portal/mfa');
  const rule = `cn=no codes,ou=accessRules,${atrium.suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(rule, {
      objectClass: 'stsAccessRule',
      cn: 'no codes',
      stsRuleOrder: '1',
      stsRuleEffect: 'deny',
      stsRuleWho: 'self',
      stsRuleAttribute: 'stsRecoveryCode',
      stsRuleRight: 'write',
    }),
  );
  t.teardown(() => asAdministrator(atrium, (client) => client.del(rule)));
  await press(page, 'Make recovery codes');
  await page.check('#saved');
  await press(page, 'Use these codes');
  t.regex((await page.textContent('[role=alert]')) ?? '', /did not take this change/);
  t.is(await left(person.dn), '');
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9346'));
});
