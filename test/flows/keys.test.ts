import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { plugIn } from './virtual-key.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
const nowMs = Date.now();

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
  await press(page, 'Use your security key >> nth=1');
  t.is(page.url(), `${base}/portal`);
  t.regex((await page.textContent('section:has(#where)')) ?? '', /Password, Security key/);
  const [stored] = await storedOf(ada);
  t.true(Number(stored?.['counter']) > counted);
  t.like(stored, { lastUsedMs: nowMs, lastUsedFrom: '127.0.0.1' });
  t.is(await key.count(), 1);
});
