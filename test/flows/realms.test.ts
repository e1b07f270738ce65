import test from 'ava';
import { Client, InvalidCredentialsError } from 'ldapts';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, notNow, openScreen, submit } from './raw.ts';
import { addPersonTo, addRealm, replaceValues, type TestRealm } from './realms.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
let acme: TestRealm;
let ada: TestPerson;
let hers: TestPerson;
let nowMs = Date.now();

test.before(async () => {
  atrium = await startTestAtrium({ clock: { nowMs: () => nowMs }, settings: { STS_AUTHN_MAX_SESSIONS: '100', STS_LDAP_WORKERS: '1' } });
  base = atrium.addresses.http ?? '';
  acme = await addRealm(atrium, 'acme', { associatedDomain: 'acme.example.com', displayName: 'Acme Ltd' });
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  // The same name in another realm is another person, with another password.
  hers = await addPersonTo(atrium, acme, 'ada', 'Ada of Acme', 'Second-engine-1843');
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);
const inAcme = () => `${base}/realm/acme`;

/** Signs in without a browser. */
async function signIn(prefix: string, { uid, password }: Pick<TestPerson, 'uid' | 'password'>): Promise<string> {
  const screen = await openScreen(base, `${prefix}/portal`);
  const answer = await submit(base, screen, uid, password);
  // An administrator is offered a second factor first.
  const handle = cookieOf(
    answer.location.includes('/authn/mfa-setup') ? await notNow(base, screen, answer.location) : answer,
    'sts_session',
  );
  if (handle === undefined) throw new Error(`${uid} could not sign in at ${prefix}`);
  return handle;
}

const home = (prefix: string, cookies: Readonly<Record<string, string>>) => ask(base, `${prefix}/portal`, { cookies });

test.serial('the same name signs in to two realms in one browser with two sessions; signing out of one leaves the other', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  await typeIn(page, ada.uid, ada.password);
  t.is(page.url(), `${base}/portal`);
  t.is(await page.textContent('h1'), 'Ada Lovelace');

  const other = await context.newPage();
  await other.goto(inAcme());
  t.regex(other.url(), /\/realm\/acme\/authn\/login\?authn=[\w-]{43}$/);
  t.is(await other.title(), 'Sign in · Acme Ltd · Atrium');
  await inspect(t, other, 'realm-signin');
  // The password of the other realm's person of that name is no password here.
  await typeIn(other, ada.uid, ada.password);
  t.regex((await other.textContent('[role=alert]')) ?? '', /Authentication failed/);
  await typeIn(other, hers.uid, hers.password);
  t.is(other.url(), `${inAcme()}/portal`);
  t.is(await other.textContent('h1'), 'Ada of Acme');
  t.true((await other.textContent('main'))?.includes(hers.dn));
  await inspect(t, other, 'realm-portal');

  const cookies = (await context.cookies()).filter(({ name }) => name === 'sts_session');
  t.deepEqual(cookies.map(({ path }) => path).toSorted(), ['/', '/realm/acme']);
  await page.reload();
  t.is(await page.textContent('h1'), 'Ada Lovelace');
  // Each knows of its own realm's sessions alone.
  t.is(await page.locator('text=Another browser').count(), 0);

  await Promise.all([other.waitForNavigation(), other.click('text=Sign out')]);
  t.is(other.url(), `${inAcme()}/portal/signed-out`);
  await page.reload();
  t.is(await page.textContent('h1'), 'Ada Lovelace');
  await other.goto(inAcme());
  t.is(await other.textContent('h1'), 'Sign in');

  await typeIn(other, hers.uid, hers.password);
  await Promise.all([page.waitForNavigation(), page.click('text=Sign out')]);
  await other.reload();
  t.is(await other.textContent('h1'), 'Ada of Acme');
});

test.serial('cookies of one name on nested paths arrive together, in any order: each handle counts in its own realm alone', async (t) => {
  const [here, there] = [await signIn('', ada), await signIn('/realm/acme', hers)];
  for (const both of [`${here}; sts_session=${there}`, `${there}; sts_session=${here}`]) {
    t.true((await home('', { sts_session: both })).body.includes('<h1>Ada Lovelace</h1>'));
    t.true((await home('/realm/acme', { sts_session: both })).body.includes('<h1>Ada of Acme</h1>'));
  }
  t.is((await home('/realm/acme', { sts_session: here })).status, 303);
  t.is((await home('', { sts_session: there })).status, 303);
});

test.serial('a request that waits, and the token of a form, are of one realm', async (t) => {
  const screen = await openScreen(base, '/portal');
  const elsewhere = await ask(base, `/realm/acme${screen.target}`);
  t.is(elsewhere.status, 400);
  const posted = await submit(base, { ...screen, target: `/realm/acme${screen.target}` }, hers.uid, hers.password);
  t.is(posted.status, 400);
  t.deepEqual(posted.setCookies, []);

  // Neither does the token of a session of one realm do anything in the other.
  const [here, there] = [await signIn('', ada), await signIn('/realm/acme', hers)];
  const token = hiddenOf(await home('', { sts_session: here }), 'csrf');
  const both = { sts_session: `${here}; sts_session=${there}` };
  const from = atrium.audit.length;
  const refused = await ask(base, '/realm/acme/portal/sign-out', { method: 'POST', cookies: both, form: { csrf: token } });
  t.is(refused.status, 403);
  t.true(codesSince(from).includes('STS-HTTP-0016'));
  t.is((await home('/realm/acme', { sts_session: there })).status, 200);
});

test.serial('whatever a browser is sent to by a realm is under its prefix, and audit rows name the realm', async (t) => {
  const from = atrium.audit.length;
  const screen = await openScreen(base, '/realm/acme/portal?a=1&prompt=login');
  t.regex(screen.target, /^\/realm\/acme\/authn\/login\?authn=/);
  for (const [, address] of screen.page.body.matchAll(/(?:href|action)="([^"]*)"/g)) {
    t.regex(address ?? '', /^(?:#content|\/assets\/|\/realm\/acme\/)/);
  }
  const answer = await submit(base, screen, hers.uid, hers.password);
  t.is(answer.location, '/realm/acme/portal?a=1');
  t.regex(answer.setCookies.join(), /sts_session=[^;]+; Path=\/realm\/acme;/);
  const rows = atrium.audit.slice(from).filter(({ action }) => /^(?:signin|session)\./.test(action));
  t.deepEqual(
    rows.map(({ realm, action }) => [realm, action]),
    [
      ['acme', 'signin.password'],
      ['acme', 'session.begin'],
    ],
  );
  t.is((await ask(base, '/realm/acme/portal?authn_error=access_denied')).status, 200);
});

test.serial('a sign-in judges a bind only among the people of its realm', async (t) => {
  const alan = await addPerson(atrium, 'alan', 'Alan Turing');
  const screen = await openScreen(base, '/realm/acme/portal');
  for (const [username, password] of [
    [alan.uid, alan.password],
    ['alan@example.com', alan.password],
    ['admin', atrium.adminPassword],
    [ada.uid, ada.password],
  ] as const) {
    const answer = await submit(base, screen, username, password);
    t.regex(answer.body, /Authentication failed/, username);
    t.deepEqual(
      answer.setCookies.filter((line) => line.startsWith('sts_session')),
      [],
    );
  }

  // Its own administrator is another one, of the same name.
  const dn = `uid=admin,ou=people,${acme.suffix}`;
  await replaceValues(atrium, dn, 'userPassword', ['Another-horse-7-battery']);
  const handle = await signIn('/realm/acme', { uid: 'admin', password: 'Another-horse-7-battery' });
  t.true((await home('/realm/acme', { sts_session: handle })).body.includes(dn));
});

test.serial('authn settings of a realm are obeyed in it, from the next request on: maxSessions, lifetime', async (t) => {
  const stays = await signIn('', ada);
  await replaceValues(atrium, acme.dn, 'stsSetting', ['authn.maxSessions=1', 'authn.sessionLifetimeS=60']);
  const first = await signIn('/realm/acme', hers);
  const second = await signIn('/realm/acme', hers);
  t.is((await home('/realm/acme', { sts_session: first })).status, 303);
  t.is((await home('/realm/acme', { sts_session: second })).status, 200);
  nowMs += 61_000;
  t.is((await home('/realm/acme', { sts_session: second })).status, 303);
  t.is((await home('', { sts_session: stays })).status, 200);
  // Without its own it follows the service's again.
  await replaceValues(atrium, acme.dn, 'stsSetting', []);
  const third = await signIn('/realm/acme', hers);
  nowMs += 61_000;
  t.is((await home('/realm/acme', { sts_session: third })).status, 200);
});

test.serial('a realm in development mode beside a product one: its pages say so, and its screen takes any password', async (t) => {
  const lab = await addRealm(atrium, 'lab', { associatedDomain: 'lab.example.com', stsRealmMode: 'development' });
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(`${base}/realm/lab`);
  t.regex((await page.textContent('.band')) ?? '', /passwords are not checked/);
  await inspect(t, page, 'realm-development');
  await typeIn(page, 'newcomer', 'whatever');
  t.is(page.url(), `${base}/realm/lab/portal`);
  t.true((await page.textContent('main'))?.includes(`uid=newcomer,ou=people,${lab.suffix}`));
  await page.goto(inAcme());
  t.is(await page.locator('.band').count(), 0);

  // At the door of LDAP too: each password is judged in the mode of the realm whose name it comes with.
  const binds = async (dn: string, password: string) => {
    const client = new Client({ url: atrium.addresses.ldap ?? '' });
    try {
      await client.bind(dn, password);
      return true;
    } catch (error) {
      if (error instanceof InvalidCredentialsError) return false;
      throw error;
    } finally {
      await client.unbind();
    }
  };
  const newcomer = `uid=newcomer,ou=people,${lab.suffix}`;
  t.deepEqual([await binds(newcomer, 'anything'), await binds(newcomer, 'invalid')], [true, false]);
  t.deepEqual([await binds(ada.dn, 'anything'), await binds(ada.dn, ada.password)], [false, true]);
  t.deepEqual([await binds(hers.dn, 'anything'), await binds(hers.dn, hers.password)], [false, true]);
});
