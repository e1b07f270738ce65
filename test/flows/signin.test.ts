import test from 'ava';
import { Attribute, Change } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';

let atrium: TestAtrium;
let browser: Browser;
let ada: TestPerson;
let base: string;
let nowMs = Date.now();

test.before(async () => {
  atrium = await startTestAtrium({ clock: { nowMs: () => nowMs } });
  base = atrium.addresses.http ?? '';
  ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

const codesSince = (from: number) => atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []);

test.serial(
  'rules 1, 2 and 7: a request that needs a person is parked, and answered whole after the sign-in, without prompt',
  async (t) => {
    const context = await openContext(t, browser);
    const page = await context.newPage();
    await page.goto(`${base}/portal?a=1&prompt=login&b=%2F%2F&a=2`);
    t.regex(page.url(), /\/authn\/login\?authn=[\w-]{43}$/);
    t.is(await page.textContent('h1'), 'Sign in');
    t.true((await page.textContent('dl'))?.includes('Your account'));
    await inspect(t, page, 'signin');

    const answers: (readonly [number, string])[] = [];
    page.on('response', (response) => answers.push([response.status(), response.headers()['location'] ?? '']));
    await typeIn(page, ada.uid, ada.password);
    t.deepEqual(answers[0], [303, '/portal?a=1&b=%2F%2F&a=2']);
    t.is(page.url(), `${base}/portal?a=1&b=%2F%2F&a=2`);

    const cookies = await context.cookies();
    const session = cookies.find(({ name }) => name === 'sts_session');
    t.like(session, { httpOnly: true, sameSite: 'Lax', path: '/', secure: false, expires: -1 });
  },
);

test.serial('the portal shows the person’s own entry, how and where they are signed in, and lets them out', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  await typeIn(page, 'ADA', ada.password);
  t.is(page.url(), `${base}/portal`);
  t.is(await page.textContent('h1'), 'Ada Lovelace');
  const text = (await page.textContent('main')) ?? '';
  for (const expected of ['ada@example.com', '+44 20 7946 0123', 'Analyst', ada.dn, 'Password', 'This browser', 'just now'])
    t.true(text.includes(expected), expected);
  await page.click('summary');
  t.true((await page.textContent('pre'))?.includes(`-D '${ada.dn}'`));
  await inspect(t, page, 'portal');

  await Promise.all([page.waitForNavigation(), page.click('text=Sign out')]);
  t.is(page.url(), `${base}/portal/signed-out`);
  t.deepEqual(
    (await context.cookies()).filter(({ name }) => name === 'sts_session'),
    [],
  );
  await inspect(t, page, 'signed-out');
  await Promise.all([page.waitForNavigation(), page.click('text=Sign in again')]);
  t.regex(page.url(), /\/authn\/login\?authn=/);
});

test.serial('a wrong password: the screen says Authentication failed, keeps the name and never the password', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  const from = atrium.audit.length;
  await typeIn(page, ada.uid, 'canary-not-the-password');
  t.regex((await page.textContent('[role=alert]')) ?? '', /Authentication failed/);
  t.regex(await page.title(), /^Authentication failed/);
  t.is(await page.inputValue('#username'), ada.uid);
  t.is(await page.inputValue('#password'), '');
  t.false((await page.content()).includes('canary'));
  t.false((await context.cookies()).some(({ name }) => name === 'sts_session'));
  t.true(codesSince(from).includes('STS-AUTHN-9300'));
  await inspect(t, page, 'signin-failed');
  // The request still waits: the next try goes through.
  await typeIn(page, ada.uid, ada.password);
  t.is(page.url(), `${base}/portal`);
});

test.serial('wrong, unknown, disabled, and a name that is a filter or a DN look the same to the byte', async (t) => {
  const mallory = await addPerson(atrium, 'mallory', 'Mallory Blocked');
  await asAdministrator(atrium, async (client) => {
    const lock = new Attribute({ type: 'pwdAccountLockedTime', values: ['000001010000Z'] });
    await client.modify(mallory.dn, new Change({ operation: 'replace', modification: lock }));
  });
  const failed = async (username: string, password: string) => {
    const screen = await openScreen(base);
    const from = atrium.audit.length;
    const answer = await submit(base, screen, username, password);
    t.deepEqual(
      answer.setCookies.filter((line) => line.startsWith('sts_session')),
      [],
    );
    const blank = (text: string) =>
      [screen.target.replace('/authn/login?authn=', ''), screen.csrf, username].reduce((all, part) => all.replaceAll(part, ''), text);
    // The same work, too: one bind each, which hashes once whatever it finds.
    const actions = atrium.audit.slice(from).map(({ action, outcome }) => `${action} ${outcome}`);
    return { status: answer.status, body: blank(answer.body), actions };
  };
  const wrong = await failed(ada.uid, 'wrong');
  t.is(wrong.status, 200);
  t.deepEqual(wrong.actions, ['ldap.bind refused', 'signin.password refused']);
  t.deepEqual(await failed('nobody-of-this-name', 'wrong'), wrong);
  t.deepEqual(await failed(mallory.uid, mallory.password), wrong);
  t.deepEqual(await failed('admin)(uid=*', 'wrong'), wrong);
  t.deepEqual(await failed(ada.dn, ada.password), wrong);
  t.deepEqual(await failed('a'.repeat(5000), 'wrong'), wrong);
});

test.serial('an empty field is named where it is, and nothing is judged', async (t) => {
  const screen = await openScreen(base);
  const from = atrium.audit.length;
  const noName = await submit(base, screen, ' ', 'secret');
  t.regex(noName.body, /aria-describedby="username-fault"/);
  t.false(noName.body.includes('secret'));
  t.regex((await submit(base, screen, 'ada', '')).body, /aria-describedby="password-fault"/);
  t.deepEqual(atrium.audit.slice(from), []);
});

test.serial('rule 4: Cancel returns to the caller with authn_error=access_denied, and there is a way back in', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(`${base}/portal?a=1`);
  await Promise.all([page.waitForNavigation(), page.click('text=Cancel')]);
  t.is(page.url(), `${base}/portal?a=1&authn_error=access_denied`);
  t.regex((await page.textContent('h1')) ?? '', /You cancelled the sign-in/);
  await inspect(t, page, 'cancelled');
  await Promise.all([page.waitForNavigation(), page.click('main a')]);
  t.regex(page.url(), /\/authn\/login\?authn=/);
});

test.serial('rules 7 and 8: without a request that waits there is no screen, and the page says what to do', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  for (const target of ['/authn/login', '/authn/login?authn=', '/authn/login?authn=nonsense']) {
    const answer = await page.goto(base + target);
    t.is(answer?.status(), 400, target);
    t.is(await page.locator('form').count(), 0);
  }
  const screen = await openScreen(base);
  const { target } = screen;
  const from = atrium.audit.length;
  nowMs += 600_000;
  t.is((await page.goto(base + target))?.status(), 400);
  t.regex((await page.textContent('h1')) ?? '', /This sign-in is over/);
  await inspect(t, page, 'signin-over');
  const late = await submit(base, screen, ada.uid, ada.password);
  t.is(late.status, 400);
  t.deepEqual(late.setCookies, []);
  t.deepEqual(codesSince(from), ['STS-AUTHN-9200', 'STS-AUTHN-9200']);
  await Promise.all([page.waitForNavigation(), page.click('main a')]);
  t.regex(page.url(), /\/authn\/login\?authn=/);
});

test.serial('a request that was answered is not answered again from the same screen', async (t) => {
  const screen = await openScreen(base);
  t.is((await submit(base, screen, ada.uid, ada.password)).status, 303);
  t.is((await submit(base, screen, ada.uid, ada.password)).status, 400);
});

test.serial('rule 3: no request leads a browser away from this service', async (t) => {
  for (const target of ['http://evil.example/portal?x=1', '/portal?x=//evil.example', '/portal?to=https://evil.example/']) {
    const screen = await openScreen(base, target);
    const { status, location } = await submit(base, screen, ada.uid, ada.password);
    t.is(status, 303);
    t.is(new URL(location, base).origin, base, target);
    t.regex(location, /^\/portal/);
  }
  for (const target of [
    '//evil.example/portal',
    '/%2f/evil.example',
    '/portal/../../evil',
    '/\\evil.example',
    `/portal?x=${'a'.repeat(9000)}`,
  ]) {
    const { status, location } = await ask(base, target);
    t.true(status === 400 || status === 404, `${target}: ${status}`);
    t.is(location, '');
  }
});

test.serial('the sign-in form is bound to its browser and its request: nobody signs another’s browser in', async (t) => {
  const [mine, theirs] = [await openScreen(base), await openScreen(base)];
  const from = atrium.audit.length;
  for (const mixed of [
    { ...mine, csrf: theirs.csrf },
    { ...mine, browser: theirs.browser },
    { ...mine, browser: '' },
    { ...mine, csrf: '' },
  ]) {
    const answer = await submit(base, mixed, ada.uid, ada.password);
    t.is(answer.status, 403);
    t.regex(answer.body, /no longer current/);
    t.is(cookieOf(answer, 'sts_session'), undefined);
    t.false(answer.body.includes(ada.password));
  }
  t.deepEqual(codesSince(from), ['STS-HTTP-0016', 'STS-HTTP-0016', 'STS-HTTP-0016', 'STS-HTTP-0015']);
});

test.serial('STS-HTTP-0015 and 0016: a session is ended by its own form only', async (t) => {
  const handleOf = async () => cookieOf(await submit(base, await openScreen(base), ada.uid, ada.password), 'sts_session') ?? '';
  const [sts_session, other] = [await handleOf(), await handleOf()];
  const tokenOf = async (handle: string) => hiddenOf(await ask(base, '/portal', { cookies: { sts_session: handle } }), 'csrf');
  const signOut = (form: Readonly<Record<string, string>>) =>
    ask(base, '/portal/sign-out', { method: 'POST', cookies: { sts_session }, form });
  const from = atrium.audit.length;
  t.is((await signOut({})).status, 403);
  t.is((await signOut({ csrf: await tokenOf(other) })).status, 403);
  t.deepEqual(codesSince(from), ['STS-HTTP-0015', 'STS-HTTP-0016']);
  t.is((await ask(base, '/portal', { cookies: { sts_session } })).status, 200);
  const done = await signOut({ csrf: await tokenOf(sts_session) });
  t.is(done.status, 303);
  t.regex(done.setCookies.join(), /^sts_session=; Path=\/; Max-Age=0/);
  t.is((await ask(base, '/portal', { cookies: { sts_session } })).status, 303);
  t.is((await ask(base, '/portal', { cookies: { sts_session: other } })).status, 200);
});

test.serial('where you are signed in: the portal shows every session, and ends the others', async (t) => {
  const lin = await addPerson(atrium, 'lin', 'Lin Lanying');
  const signIn = async () => cookieOf(await submit(base, await openScreen(base), lin.uid, lin.password), 'sts_session') ?? '';
  const elsewhere = await signIn();
  nowMs += 5 * 60_000;
  const context = await openContext(t, browser);
  const page = await context.newPage();
  await page.goto(base);
  await typeIn(page, lin.uid, lin.password);
  const shown = async () => (await page.textContent('section:has(#where)')) ?? '';
  for (const expected of ['This browser', 'Another browser', '5 min ago', '127.0.0.1'])
    t.true((await shown()).includes(expected), expected);

  const [cookie] = (await context.cookies()).filter(({ name }) => name === 'sts_session');
  const bare = await ask(base, '/portal/sign-out-elsewhere', { method: 'POST', cookies: { sts_session: cookie?.value ?? '' }, form: {} });
  t.is(bare.status, 403);
  t.is((await ask(base, '/portal', { cookies: { sts_session: elsewhere } })).status, 200);

  await Promise.all([page.waitForNavigation(), page.click('text=Sign out everywhere else')]);
  t.is(page.url(), `${base}/portal/sessions?done=others`);
  t.false((await page.textContent('main'))?.includes('Another browser'));
  t.is((await ask(base, '/portal', { cookies: { sts_session: elsewhere } })).status, 303);
});

test.serial('signing in again changes the handle, and the old one opens nothing', async (t) => {
  const first = cookieOf(await submit(base, await openScreen(base), ada.uid, ada.password), 'sts_session') ?? '';
  const screen = await openScreen(base);
  const again = await ask(base, screen.target, {
    method: 'POST',
    cookies: { sts_signin: screen.browser, sts_session: first },
    form: { csrf: screen.csrf, username: ada.uid, password: ada.password },
  });
  const second = cookieOf(again, 'sts_session') ?? '';
  t.not(second, first);
  t.is((await ask(base, '/portal', { cookies: { sts_session: second } })).status, 200);
  t.is((await ask(base, '/portal', { cookies: { sts_session: first } })).status, 303);
});

test.serial('someone disabled or deleted over LDAP is out at their next request', async (t) => {
  const eve = await addPerson(atrium, 'eve', 'Eve Gone');
  const sts_session = cookieOf(await submit(base, await openScreen(base), eve.uid, eve.password), 'sts_session') ?? '';
  t.is((await ask(base, '/portal', { cookies: { sts_session } })).status, 200);
  await asAdministrator(atrium, (client) => client.del(eve.dn));
  t.is((await ask(base, '/portal', { cookies: { sts_session } })).status, 303);

  const ivy = await addPerson(atrium, 'ivy', 'Ivy Locked');
  const signIn = async () => cookieOf(await submit(base, await openScreen(base), ivy.uid, ivy.password), 'sts_session') ?? '';
  const handles = [await signIn(), await signIn()];
  const lock = (values: string[]) =>
    asAdministrator(atrium, (client) => {
      const modification = new Attribute({ type: 'pwdAccountLockedTime', values });
      return client.modify(ivy.dn, new Change({ operation: 'replace', modification }));
    });
  await lock(['000001010000Z']);
  t.is((await ask(base, '/portal', { cookies: { sts_session: handles[0] ?? '' } })).status, 303);
  // Enabling brings no session back: the one that was seen, nor the one in the other browser.
  await lock([]);
  for (const handle of handles) t.is((await ask(base, '/portal', { cookies: { sts_session: handle } })).status, 303);
});

test.serial('a session ends after authn.sessionLifetimeS whatever happens in it', async (t) => {
  const sts_session = cookieOf(await submit(base, await openScreen(base), ada.uid, ada.password), 'sts_session') ?? '';
  nowMs += 3_599_000;
  t.is((await ask(base, '/portal', { cookies: { sts_session } })).status, 200);
  nowMs += 1000;
  t.is((await ask(base, '/portal', { cookies: { sts_session } })).status, 303);
});

test.serial('signing in needs a keyboard and nothing else', async (t) => {
  const context = await openContext(t, browser, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(base);
  // The first field has the focus: people type at once.
  await page.waitForSelector('#username:focus');
  await page.keyboard.type(ada.uid);
  await page.keyboard.press('Tab');
  await page.keyboard.type(ada.password);
  // Past the boxes of security keys.
  do await page.keyboard.press('Tab');
  while (await page.locator('[type=checkbox]:focus').count());
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Space')]);
  t.is(page.url(), `${base}/portal`);
  await page.keyboard.press('Tab');
  t.is(await page.locator(':focus').textContent(), 'Skip to the content');
  await inspectFocus(t, page);
});

test.serial('a page that is not there is told plainly', async (t) => {
  const context = await openContext(t, browser);
  const page = await context.newPage();
  t.is((await page.goto(`${base}/nowhere`))?.status(), 404);
  await inspect(t, page, 'not-found');
});

/** The skip link can be seen when it has the focus. */
async function inspectFocus(t: { readonly true: (value: boolean) => unknown }, page: Page): Promise<void> {
  const box = await page.locator(':focus').boundingBox();
  t.true(box !== null && box.y >= 0 && box.height > 20);
}
