import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { plugIn } from './virtual-key.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = Date.now();

test.before(async () => {
  atrium = await startTestAtrium({ clock: { nowMs: () => nowMs } });
  base = atrium.addresses.http ?? '';
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const rowsSince = (from: number) =>
  atrium.audit.slice(from).map(({ action, outcome, errorCode }) => [action, outcome, errorCode ?? ''].join(' ').trim());

async function press(page: Page, words: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(`text=${words}`)]);
}

/** The one button of a page. */
async function pressButton(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('main form button')]);
}

/** Signs in with what a name and a password are enough for. */
async function open(t: Parameters<typeof openContext>[0], person: TestPerson, path = '/portal/keys'): Promise<Page> {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(base + path);
  await typeIn(page, person.uid, person.password);
  return page;
}

async function signOut(page: Page): Promise<void> {
  await page.goto(`${base}/portal`);
  await press(page, 'Sign out');
}

/** The stored keys of somebody, as a directory tool reads them. */
async function storedOf({ dn }: TestPerson): Promise<Record<string, unknown>[]> {
  const { searchEntries } = await asAdministrator(atrium, (client) =>
    client.search(dn, { scope: 'base', attributes: ['stsWebauthnCredential', 'stsCredentialId', 'objectClass'] }),
  );
  const values = searchEntries[0]?.['stsWebauthnCredential'] ?? [];
  return [values].flat().map((value) => JSON.parse(String(value)) as Record<string, unknown>);
}

test.serial('a key is added on /portal/keys as a second factor, and asked for after the password from then on', async (t) => {
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const page = await open(t, ada);
  t.is(page.url(), `${base}/portal/keys`);
  await inspect(t, page, 'keys-none');
  const key = await plugIn(page);
  await press(page, 'Add a key to use after your password');
  await inspect(t, page, 'keys-add');
  await page.fill('#name', 'Blue key');
  const from = atrium.audit.length;
  await press(page, 'Add a security key');
  t.is(page.url(), `${base}/portal/keys?done=added`);
  t.true(rowsSince(from).includes('authn.key.enrol success'));
  t.regex((await page.textContent('main')) ?? '', /Blue key/);
  await inspect(t, page, 'keys-one');
  t.like((await storedOf(ada))[0], {
    role: 'mfa',
    name: 'Blue key',
    backupEligible: false,
    attachment: 'cross-platform',
    transports: ['usb'],
  });

  await signOut(page);
  await page.goto(`${base}/portal`);
  await typeIn(page, ada.uid, ada.password);
  t.regex(page.url(), /\/authn\/webauthn\?authn=/);
  t.is(await page.textContent('h1'), 'Use your security key');
  t.is(
    (await page.context().cookies()).find(({ name }) => name === 'sts_session'),
    undefined,
  );
  await inspect(t, page, 'key-use');
  const counted = Number((await storedOf(ada))[0]?.['counter']);
  await pressButton(page);
  t.is(page.url(), `${base}/portal`);
  t.regex((await page.textContent('section:has(#where)')) ?? '', /Password, Security key/);
  const [stored] = await storedOf(ada);
  t.true(Number(stored?.['counter']) > counted);
  t.like(stored, { lastUsedMs: nowMs, lastUsedFrom: '127.0.0.1' });
  t.is(await key.count(), 1);
});

test.serial('a key alone signs in: built into the device, discoverable, backed up', async (t) => {
  const grace = await addPerson(atrium, 'grace', 'Grace Hopper');
  const page = await open(t, grace);
  await plugIn(page, { transport: 'internal', resident: true, backupEligible: true, backedUp: true });
  await press(page, 'Add a key to use instead of your password');
  await press(page, 'Add a security key');
  const [stored] = await storedOf(grace);
  t.like(stored, { role: 'primary', name: 'Security key', attachment: 'platform', backupEligible: true, backedUp: true });
  t.is(typeof stored?.['discoverable'], 'boolean');
  t.regex((await page.textContent('main')) ?? '', /Kept in a backup/);

  await signOut(page);
  await page.goto(`${base}/portal`);
  await page.fill('#username', grace.uid);
  await page.check('#passwordless');
  await pressButton(page);
  t.regex(page.url(), /\/authn\/webauthn\?authn=/);
  await inspect(t, page, 'key-alone');
  const from = atrium.audit.length;
  await pressButton(page);
  t.is(page.url(), `${base}/portal`);
  t.true(rowsSince(from).includes('authn.key.present success'));
  const ways = (await page.textContent('section:has(#where)')) ?? '';
  t.regex(ways, /Security key/);
  t.notRegex(ways, /Password/);
});

test.serial('the second-factor box enrols on first use somebody who holds nothing, and asserts afterwards', async (t) => {
  const lin = await addPerson(atrium, 'lin', 'Lin Lanying');
  const page = await (await openContext(t, browser)).newPage();
  await plugIn(page);
  const box = async () => {
    await page.goto(`${base}/portal`);
    await page.check('#second-factor');
    await typeIn(page, lin.uid, lin.password);
    t.regex(page.url(), /\/authn\/webauthn\?authn=/);
  };
  await box();
  t.is(await page.textContent('h1'), 'Add a security key');
  await inspect(t, page, 'key-first-use');
  await pressButton(page);
  t.is(page.url(), `${base}/portal`);
  t.like((await storedOf(lin))[0], { role: 'mfa' });
  await signOut(page);
  await box();
  t.is(await page.textContent('h1'), 'Use your security key');
  await pressButton(page);
  t.is(page.url(), `${base}/portal`);
  t.is((await storedOf(lin)).length, 1);
});

test.serial('a key is renamed, and removed after a page that says what stops working', async (t) => {
  const mae = await addPerson(atrium, 'mae', 'Mae Jemison');
  const page = await open(t, mae);
  await plugIn(page);
  await page.goto(`${base}/portal/keys/add?role=mfa`);
  await press(page, 'Add a security key');
  // Whoever authenticated too long ago does so again before anything is changed, and comes back to where they were.
  nowMs += 301_000;
  await page.click('text=Rename or remove');
  await page.waitForURL(/\/authn\/login/);
  await typeIn(page, mae.uid, mae.password);
  await pressButton(page);
  t.regex(page.url(), /\/portal\/keys\/change\?key=/);
  await inspect(t, page, 'key-change');
  await page.fill('#name', '  Red\u202e key <b> ');
  await press(page, 'Save the name');
  t.regex(page.url(), /done=renamed/);
  t.is((await storedOf(mae))[0]?.['name'], 'Red key <b>');
  await press(page, 'Rename or remove');
  t.regex((await page.textContent('main')) ?? '', /It is your only second factor/);
  const from = atrium.audit.length;
  await press(page, 'Remove the key');
  t.deepEqual(await storedOf(mae), []);
  t.true(rowsSince(from).includes('authn.key.remove success'));
  t.regex((await page.textContent('[role=status]')) ?? '', /removed/);
});

test.serial('a key that was added before is told in words, and the page goes on', async (t) => {
  const ida = await addPerson(atrium, 'ida', 'Ida Rhodes');
  const page = await open(t, ida);
  await plugIn(page);
  await page.goto(`${base}/portal/keys/add?role=mfa`);
  await press(page, 'Add a security key');
  await page.goto(`${base}/portal/keys/add?role=mfa`);
  await page.click('main button');
  await page.waitForSelector('#ceremony-fault:not([hidden])');
  t.regex((await page.textContent('#ceremony-fault')) ?? '', /was added before/);
  await inspect(t, page, 'key-added-before');
  t.true(await page.isEnabled('main button'));
  t.is((await storedOf(ida)).length, 1);
});

test.serial('only the pages that ask for a key run a script, and only that of this service; without it they say so', async (t) => {
  const joan = await addPerson(atrium, 'joan', 'Joan Clarke');
  const context = await openContext(t, browser, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${base}/portal/keys`);
  await typeIn(page, joan.uid, joan.password);
  const policyOf = async (path: string) => (await page.goto(base + path))?.headers()['content-security-policy'] ?? '';
  for (const path of ['/portal', '/portal/keys']) t.notRegex(await policyOf(path), /script/);
  t.regex(await policyOf('/portal/keys/add'), /default-src 'none'; script-src 'self'; style-src 'self'/);
  t.regex((await page.textContent('[data-without-script]')) ?? '', /needs JavaScript/);
  t.false(await page.isVisible('main button'));
  t.is(await page.locator('script:not([src])').count(), 0);
  const script = await page.goto(base + ((await page.getAttribute('script', 'src')) ?? ''));
  t.is(script?.headers()['content-type'], 'text/javascript; charset=utf-8');
});

test.serial(
  'webauthn.userVerification required: a key that checks nobody cannot be added, and one whose user is not the one is told in words',
  async (t) => {
    await using strict = await startTestAtrium({
      settings: { STS_WEBAUTHN_USER_VERIFICATION: 'required', STS_WEBAUTHN_TIMEOUT_MS: '2000' },
    });
    const there = strict.addresses.http ?? '';
    const kay = await addPerson(strict, 'kay', 'Kay McNulty');
    const page = await (await openContext(t, browser)).newPage();
    await page.goto(`${there}/portal/keys/add?role=mfa`);
    await typeIn(page, kay.uid, kay.password);
    const wrong = await plugIn(page, { verification: 'fails' });
    await page.click('main form button');
    await page.waitForSelector('#ceremony-fault:not([hidden])', { timeout: 60_000 });
    t.regex((await page.textContent('#ceremony-fault')) ?? '', /Nothing was added|did not work/);
    await wrong.verify(true);
    await pressButton(page);
    t.regex(page.url(), /done=added/);
  },
);
