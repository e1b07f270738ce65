import test from 'ava';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';

let atrium: TestAtrium;
let browser: Browser;
let ada: TestPerson;
let base: string;
let nowMs = Date.now();

test.before(async () => {
  atrium = await startTestAtrium({ clock: { nowMs: () => nowMs }, settings: { STS_AUTHN_UNAUTHENTICATED_SESSIONS: 'true' } });
  base = atrium.addresses.http ?? '';
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

/** Asks for an address with a session, signs in where that leads, and follows the way back once. */
async function throughTheScreen(target: string, sts_session: string) {
  const led = await ask(base, target, { cookies: { sts_session } });
  if (led.status !== 303) return { asked: false, again: led, handle: sts_session };
  const page = await ask(base, led.location, { cookies: { sts_session } });
  const answer = await ask(base, led.location, {
    method: 'POST',
    cookies: { sts_session, sts_signin: cookieOf(page, 'sts_signin') ?? '' },
    form: { csrf: hiddenOf(page, 'csrf'), username: ada.uid, password: ada.password },
  });
  const handle = cookieOf(answer, 'sts_session') ?? '';
  return { asked: true, again: await ask(base, answer.location, { cookies: { sts_session: handle } }), handle };
}

test.serial('prompt=login, max_age and max_age=0: the person is asked once more, once, and keeps the session', async (t) => {
  let handle = cookieOf(await submit(base, await openScreen(base), ada.uid, ada.password), 'sts_session') ?? '';
  t.is((await ask(base, '/portal?max_age=300', { cookies: { sts_session: handle } })).status, 200);
  for (const target of [
    '/portal?prompt=login',
    '/portal?max_age=300',
    '/portal?max_age=0',
    '/portal?acr_values=1&prompt=login&max_age=0',
  ]) {
    nowMs += 400_000;
    const { asked, again, handle: next } = await throughTheScreen(target, handle);
    t.true(asked, target);
    t.is(again.status, 200, `${target}: answered, and not asked again`);
    t.not(next, handle);
    handle = next;
  }
});

test.serial('a re-authentication of the same person appends an event: the portal still has one session of theirs', async (t) => {
  const handle = cookieOf(await submit(base, await openScreen(base), ada.uid, ada.password), 'sts_session') ?? '';
  const { handle: next } = await throughTheScreen('/portal?prompt=login', handle);
  t.not(next, handle);
  t.is((await ask(base, '/portal', { cookies: { sts_session: handle } })).status, 303);
  t.is((await ask(base, '/portal', { cookies: { sts_session: next } })).status, 200);
});

test.serial('acr_values that nobody can meet are refused in words, and do not loop', async (t) => {
  const screen = await ask(base, '/portal?acr_values=urn:example:gold');
  const from = atrium.audit.length;
  const page = await ask(base, screen.location);
  t.is(page.status, 403);
  t.regex(page.body, /a kind of sign-in that this service does not have/);
  t.deepEqual(codesSince(from), ['STS-AUTHN-9331']);
});

test.serial('whoever cancels what was demanded goes on with the session they have', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  await typeIn(page, ada.uid, ada.password);
  await page.goto(`${base}/portal?prompt=login`);
  await Promise.all([page.waitForNavigation(), page.click('text=Cancel')]);
  t.is(await page.textContent('h1'), 'Ada Lovelace');
});

test.serial('Continue without signing in: a session of nobody, with which the portal says so and leads to the screen', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  await inspect(t, page, 'signin-or-not');
  await Promise.all([page.waitForNavigation(), page.click('text=Continue without signing in')]);
  t.is(await page.textContent('h1'), 'You are not signed in');
  await inspect(t, page, 'not-signed-in');
  t.true((await context.cookies()).some(({ name }) => name === 'sts_session'));
  t.true(atrium.audit.some(({ action, summary }) => action === 'session.begin' && summary.includes('did not sign in')));

  await Promise.all([page.waitForNavigation(), page.click('main a')]);
  await typeIn(page, ada.uid, ada.password);
  t.is(await page.textContent('h1'), 'Ada Lovelace');
});

test.serial(
  'Continue without signing in is not there where the sign-in is demanded, and posting it then leads back to the screen',
  async (t) => {
    const screen = await openScreen(base, '/portal?acr_values=mfa');
    t.false(screen.page.body.includes('Continue without signing in'));
    const answer = await ask(base, screen.target, {
      method: 'POST',
      cookies: { sts_signin: screen.browser },
      form: { csrf: screen.csrf, without: 'on' },
    });
    t.is(answer.location, screen.target);
    t.is(cookieOf(answer, 'sts_session'), undefined);
  },
);
