import test, { type ExecutionContext } from 'ava';
import { Client } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import type { TestAtrium } from '../support/atrium.ts';
import { inspect, openContext, typeIn } from './browser.ts';
import { type FlowHouse, openHouse } from './house.ts';
import { attributeOf, setAttribute } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';
import { addPersonTo, addRealm } from './realms.ts';

let house: FlowHouse;
let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = 1_795_000_020_000;

test.before(async () => {
  house = await openHouse(() => nowMs, {
    STS_SECURITY_RATE_PER_IDENTITY: '4',
    STS_SECURITY_RATE_PER_ADDRESS: '1000',
    STS_AUTHN_SESSION_LIFETIME_S: '86400',
  });
  ({ atrium, browser, base } = house);
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

async function signIn(t: ExecutionContext, { uid, password }: TestPerson, path = '/portal'): Promise<Page> {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(`${base}/portal`);
  await typeIn(page, uid, password);
  if (path !== '/portal') await page.goto(base + path);
  return page;
}

/** The cookie of a session, without a browser. */
async function rawSession({ uid, password }: TestPerson): Promise<string> {
  const answer = await submit(base, await openScreen(base), uid, password);
  const cookie = cookieOf(answer, 'sts_session');
  if (cookie === undefined) throw new Error(`${uid} could not sign in`);
  return cookie;
}

const press = async (page: Page, words: string) =>
  Promise.all([page.waitForNavigation(), page.getByRole('button', { name: words, exact: true }).click()]);
const follow = async (page: Page, words: string) =>
  Promise.all([page.waitForNavigation(), page.getByRole('link', { name: words, exact: true }).click()]);
const said = async (page: Page) => (await page.locator('.notice, .fault').allTextContents()).join(' ').trim();
const isIn = async (cookie: string) => (await ask(base, '/portal', { cookies: { sts_session: cookie } })).status === 200;

async function changePassword(page: Page, old: string, fresh: string, again = fresh): Promise<string> {
  if ((await page.locator('#old').count()) > 0) await page.fill('#old', old);
  await page.fill('#password', fresh);
  await page.fill('#again', again);
  await Promise.all([page.waitForNavigation(), page.locator('section form button[type=submit]').click()]);
  return said(page);
}

test.serial('one navigation leads through all of the portal, and says where one is', async (t) => {
  const ada = await addPerson(atrium, 'nav', 'Nav Igator');
  const page = await signIn(t, ada);
  await inspect(t, page, 'portal-home');
  const seen: string[] = [];
  for (const words of await page.locator('nav a').allTextContents()) {
    await follow(page, words);
    seen.push(new URL(page.url()).pathname);
    t.is((await page.locator('nav [aria-current=page]').textContent()) ?? '', words);
    t.is(await page.locator('h1').count(), 1);
    // Where one is stands in bold, and is wider: at the desk all of them still stand in one line.
    const boxes = await Promise.all((await page.locator('nav a').all()).map((each) => each.boundingBox()));
    t.is(new Set(boxes.map((box) => box?.y)).size, 1, words);
  }
  t.deepEqual(seen.toSorted(), [
    '/portal',
    '/portal/app-passwords',
    '/portal/consents',
    '/portal/delegate',
    '/portal/keys',
    '/portal/mfa',
    '/portal/password',
    '/portal/sessions',
  ]);
  t.true((await page.locator('.corner').textContent())?.includes('nav'));
});

test.serial(
  '/portal/password: the old one is asked for, the policy is said in words and judged by the directory, other sessions end',
  async (t) => {
    const pat = await addPerson(atrium, 'pat', 'Pat Changer');
    const elsewhere = await rawSession(pat);
    const page = await signIn(t, pat, '/portal/password');
    await inspect(t, page, 'portal-password');
    t.deepEqual(await page.locator('#policy li').allTextContents(), [
      'at least 12 characters',
      'among them 1 upper-case letter',
      'among them 1 digit',
      'among them 1 that is neither a letter nor a digit',
      'not been one of your last 5 passwords',
    ]);
    t.is(await changePassword(page, 'not this one', 'Another-password-7'), 'This is not your present password.');
    t.is(await changePassword(page, pat.password, 'short'), 'This password is not taken: it must have at least 12 characters.');
    await inspect(t, page, 'portal-password-fault');
    t.is(await page.inputValue('#password'), '', 'no secret is kept');
    t.is(await changePassword(page, pat.password, pat.password), 'This password is not taken: it is one of the last 5 passwords.');
    t.is(
      await changePassword(page, pat.password, 'Another-password-7', 'Another-password-8'),
      'The two are not the same. Type the new password once more.',
    );
    t.true(await isIn(elsewhere), 'nothing has happened yet');
    t.is(
      await changePassword(page, pat.password, 'Another-password-7'),
      'Your password was changed, and you are signed in nowhere else any more.',
    );
    t.false(await isIn(elsewhere));
    await page.goto(`${base}/portal`);
    t.is(await page.textContent('h1'), 'Pat Changer', 'this browser stays signed in');
    const signedInWith = async (password: string) =>
      cookieOf(await submit(base, await openScreen(base), 'pat', password), 'sts_session') !== undefined;
    t.false(await signedInWith(pat.password));
    t.true(await signedInWith('Another-password-7'));
  },
);

test.serial('/portal/password: other sessions stay where the person wants that', async (t) => {
  const sam = await addPerson(atrium, 'sam', 'Sam Stays');
  const elsewhere = await rawSession(sam);
  const page = await signIn(t, sam, '/portal/password');
  await page.uncheck('#others');
  t.is(await changePassword(page, sam.password, 'Another-password-7'), 'Your password was changed.');
  t.true(await isIn(elsewhere));
});

test.serial('/portal/password: a session that is not fresh is asked to sign in again before anything is judged', async (t) => {
  const old = await addPerson(atrium, 'olga', 'Olga Old');
  const page = await signIn(t, old, '/portal/password');
  nowMs += 301_000;
  await changePassword(page, old.password, 'Another-password-7');
  t.regex(page.url(), /\/authn\/login\?authn=/);
  await typeIn(page, old.uid, old.password);
  t.is(new URL(page.url()).pathname, '/portal/password');
  t.is(await changePassword(page, old.password, 'Another-password-7'), 'Your password was changed.');
});

test.serial(
  '/portal/password: wrong old passwords are counted as at any door, and then the right one is not looked at either',
  async (t) => {
    const lou = await addPerson(atrium, 'lou', 'Lou Limited');
    const page = await signIn(t, lou, '/portal/password');
    for (let tries = 0; tries < 4; tries++)
      t.is(await changePassword(page, 'wrong', 'Another-password-7'), 'This is not your present password.');
    t.regex(await changePassword(page, lou.password, 'Another-password-7'), /Too many attempts have failed. Wait \d+ seconds/);
    const limited = atrium.audit.filter(({ errorCode }) => errorCode === 'STS-HTTP-0017');
    t.true(limited.some(({ summary }) => summary.startsWith('[STS-HTTP-0017] POST /portal/password: ')));
    nowMs += 61_000;
    t.is(await changePassword(page, lou.password, 'Another-password-7'), 'Your password was changed.');
  },
);

test.serial(
  '/portal/password: of two changes at once one is made, and the other finds that the old password is another by now',
  async (t) => {
    const two = await addPerson(atrium, 'two', 'Two Atonce');
    const sts_session = await rawSession(two);
    const csrf = hiddenOf(await ask(base, '/portal/password', { cookies: { sts_session } }), 'csrf');
    const send = (password: string) =>
      ask(base, '/portal/password', {
        method: 'POST',
        cookies: { sts_session },
        form: { csrf, old: two.password, password, again: password },
      });
    const answers = await Promise.all(['First-password-11', 'Other-password-22', 'Third-password-33'].map(send));
    t.is(answers.filter(({ status }) => status === 303).length, 1, answers.map(({ status }) => status).join());
    t.true(answers.every(({ status }) => status < 500));
  },
);

test.serial(
  '/portal/password: who has no password sets one without an old one, and whether somebody has one is told to them alone',
  async (t) => {
    const nan = await addPerson(atrium, 'nan', 'Nan Without');
    const page = await signIn(t, nan, '/portal/password');
    t.deepEqual(await attributeOf(atrium, nan.dn, 'stsHasPassword'), ['TRUE']);
    await setAttribute(atrium, nan.dn, 'userPassword', []);
    t.deepEqual(await attributeOf(atrium, nan.dn, 'stsHasPassword'), ['FALSE']);
    await page.reload();
    t.is(await page.locator('#old').count(), 0);
    t.true((await page.textContent('main'))?.includes('You have no password.'));
    t.is(await changePassword(page, '', 'Another-password-7'), 'Your password was changed.');
    const client = new Client({ url: atrium.addresses.ldap ?? '' });
    t.teardown(() => client.unbind());
    await client.bind(nan.dn, 'Another-password-7');
    const seen = async (dn: string) =>
      (await client.search(dn, { scope: 'base', attributes: ['stsHasPassword', 'stsDelegate'] })).searchEntries[0]?.['stsHasPassword'];
    t.is(await seen(nan.dn), 'TRUE');
    t.deepEqual(await seen(atrium.adminDn), []);
  },
);

test.serial('/portal/sessions: each with how, when and from where, this one marked; one is ended, then all others', async (t) => {
  const sid = await addPerson(atrium, 'sid', 'Sid Session');
  const [first, second, third] = [await rawSession(sid), await rawSession(sid), await rawSession(sid)];
  nowMs += 300_000;
  const page = await signIn(t, sid, '/portal/sessions');
  await inspect(t, page, 'portal-sessions');
  t.regex((await page.locator('section').first().textContent()) ?? '', /This browser.*Password, from .*Signed in just now/s);
  t.is(await page.locator('text=Another browser').count(), 3);
  t.regex((await page.locator('section').nth(1).textContent()) ?? '', /Password, from 127\.0\.0\.1.*Signed in 5 min ago/s);
  await Promise.all([page.waitForNavigation(), page.locator('section').nth(1).getByRole('button', { name: /^End/ }).first().click()]);
  t.is(await said(page), 'The session has ended.');
  t.is((await Promise.all([first, second, third].map(isIn))).filter((is) => is).length, 2);
  await press(page, 'Sign out everywhere else');
  t.is(await said(page), 'You are signed in nowhere else any more.');
  t.deepEqual(await Promise.all([first, second, third].map(isIn)), [false, false, false]);
  t.true((await page.textContent('main'))?.includes('You are signed in nowhere else.'));
  await Promise.all([
    page.waitForNavigation(),
    page
      .locator('section')
      .first()
      .getByRole('button', { name: /^Sign out/ })
      .click(),
  ]);
  t.is(await page.textContent('h1'), 'You are signed out');
});

test.serial(
  'nobody ends a session of somebody else, by its id neither, and no form counts without the token of one’s own session',
  async (t) => {
    const [eve, vic] = [await addPerson(atrium, 'eve', 'Eve Other'), await addPerson(atrium, 'vic', 'Vic Tim')];
    const [hers, his] = [await rawSession(eve), await rawSession(vic)];
    const sidOf = async (cookie: string) => hiddenOf(await ask(base, '/portal/sessions', { cookies: { sts_session: cookie } }), 'sid');
    const csrfOf = async (cookie: string) => hiddenOf(await ask(base, '/portal/sessions', { cookies: { sts_session: cookie } }), 'csrf');
    const post = (path: string, form: Readonly<Record<string, string>>) =>
      ask(base, path, { method: 'POST', cookies: { sts_session: hers }, form });
    t.is((await post('/portal/sessions/end', { csrf: await csrfOf(hers), sid: await sidOf(his) })).location, '/portal/sessions?done=gone');
    t.true(await isIn(his));
    const paths = ['/portal/sessions/end', '/portal/sign-out-elsewhere', '/portal/password', '/portal/delegate'];
    for (const path of paths) {
      t.is((await post(path, { sid: await sidOf(hers), do: 'remove' })).status, 403, `${path} without a token`);
      t.is(
        (await post(path, { csrf: await csrfOf(his), sid: await sidOf(hers), do: 'remove' })).status,
        403,
        `${path} with another’s token`,
      );
    }
    t.true(await isIn(hers));
    for (const path of [...paths, '/portal/delegate/confirm'])
      t.regex(
        (await ask(base, path, path.endsWith('confirm') ? {} : { method: 'POST', form: {} })).location,
        /^\/authn\/login\?authn=/,
        `${path} without a session`,
      );
  },
);

test.serial('sessions of two realms in one browser are two: what is ended in one realm goes on in the other', async (t) => {
  const acme = await addRealm(atrium, 'acme');
  const hers = await addPersonTo(atrium, acme, 'rea', 'Rea of Acme', 'Correct-horse-7-battery');
  const rea = await addPerson(atrium, 'rea', 'Rea Lms');
  const [here, elsewhere] = [await rawSession(rea), await rawSession(rea)];
  const there = cookieOf(await submit(base, await openScreen(base, '/realm/acme/portal'), hers.uid, hers.password), 'sts_session') ?? '';
  // As browsers send cookies of one name and nested paths.
  const cookies = { sts_session: `${there}; sts_session=${here}` };
  const page = await ask(base, '/realm/acme/portal/sessions', { cookies });
  t.true(page.body.includes('You are signed in nowhere else.'));
  t.is(page.body.match(/name="sid"/g)?.length, 1);
  const csrf = hiddenOf(page, 'csrf');
  const post = (path: string, form: Readonly<Record<string, string>>) => ask(base, path, { method: 'POST', cookies, form });
  t.is((await post('/realm/acme/portal/sign-out-elsewhere', { csrf })).location, '/realm/acme/portal/sessions?done=others');
  t.is((await post('/portal/sign-out-elsewhere', { csrf })).status, 403, 'a token of one realm is none of another');
  t.deepEqual(await Promise.all([here, elsewhere].map(isIn)), [true, true]);
  await post('/realm/acme/portal/sessions/end', { csrf, sid: hiddenOf(page, 'sid') });
  t.is((await ask(base, '/realm/acme/portal', { cookies })).status, 303);
  t.true(await isIn(here));
});

test.serial('/portal/consents: what a person has allowed each application, and the way to take it back', async (t) => {
  const con = await addPerson(atrium, 'con', 'Con Sents');
  await asAdministrator(atrium, (client) =>
    client.add(`cn=Field Notes,ou=applications,${atrium.suffix}`, {
      objectClass: ['stsApplication', 'stsOAuthClient'],
      cn: 'Field Notes',
      stsClientId: 'field-notes',
      stsRedirectUri: 'https://notes.example.com/back',
    }),
  );
  const page = await signIn(t, con, '/portal/consents');
  t.true((await page.textContent('main'))?.includes('You have allowed nothing.'));
  await setAttribute(atrium, con.dn, 'stsConsent', [
    JSON.stringify({ client: 'field-notes', scopes: ['openid', 'email'], atMs: nowMs - 7_200_000 }),
    JSON.stringify({ client: '<gone>', scopes: ['else'], atMs: nowMs - 60_000 }),
  ]);
  await page.reload();
  await inspect(t, page, 'portal-consents');
  t.regex((await page.locator('.things').textContent()) ?? '', /<gone>.*what it calls “else”.*Field Notes.*2 h ago.*your mail address/s);
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Withdraw Field Notes' }).click()]);
  t.is(await said(page), 'You have withdrawn it.');
  t.is((await attributeOf(atrium, con.dn, 'stsConsent')).length, 1);
  t.false((await page.textContent('main'))?.includes('Field Notes'));

  const cookies = { sts_session: await rawSession(con) };
  const form = { client: '<gone>' };
  t.is((await ask(base, '/portal/consents', { method: 'POST', form, cookies })).status, 403, 'without a token nothing is withdrawn');
  t.is((await ask(base, '/portal/consents')).status, 303, 'who has not signed in is asked to');
  t.is((await attributeOf(atrium, con.dn, 'stsConsent')).length, 1);
});

test.serial('/portal/delegate: one party is named, seen before it is confirmed, kept by its entryUUID, and taken back', async (t) => {
  const dee = await addPerson(atrium, 'dee', 'Dee Legates');
  const act = await addPerson(atrium, 'act', 'Act Ing');
  await asAdministrator(atrium, (client) =>
    client.add(`cn=payroll,ou=applications,${atrium.suffix}`, {
      objectClass: 'stsApplication',
      cn: 'payroll',
      description: 'Pays everybody',
    }),
  );
  const page = await signIn(t, dee, '/portal/delegate');
  t.true((await page.textContent('main'))?.includes('Nobody may act for you.'));
  await inspect(t, page, 'portal-delegate');
  const find = async (name: string) => {
    await page.fill('#party', name);
    await press(page, 'Go on');
  };
  await find('nobody-there');
  t.regex(await said(page), /Nobody is known by this name/);
  t.is(await page.inputValue('#party'), 'nobody-there');
  await find('*');
  t.regex(await said(page), /Nobody is known by this name/);
  await find('dee');
  t.is(await said(page), 'That is you. Name somebody else.');
  await find('act@example.com');
  t.is(await page.textContent('h1'), 'Let Act Ing act for you?');
  await inspect(t, page, 'portal-delegate-confirm');
  t.deepEqual(await attributeOf(atrium, dee.dn, 'stsDelegate'), []);
  await press(page, 'Let them act for me');
  t.is(await said(page), 'It is written down: Act Ing may act for you.');
  t.deepEqual(await attributeOf(atrium, dee.dn, 'stsDelegate'), await attributeOf(atrium, act.dn, 'entryUUID'));
  await find('payroll');
  t.true((await page.textContent('main'))?.includes('Act Ing may not act for you any more from then on.'));
  await press(page, 'Let them act for me');
  await inspect(t, page, 'portal-delegate-named');
  t.regex((await page.locator('section').first().textContent()) ?? '', /Applicationpayroll.*Pays everybody/s);
  // Renamed, it is the same party; gone, it is nobody's, whoever comes to have its name.
  await asAdministrator(atrium, async (client) => {
    await client.modifyDN(`cn=payroll,ou=applications,${atrium.suffix}`, 'cn=wages');
  });
  await page.reload();
  t.true((await page.locator('section').first().textContent())?.includes('wages'));
  await asAdministrator(atrium, (client) => client.del(`cn=wages,ou=applications,${atrium.suffix}`));
  await page.goto(`${base}/portal/delegate`);
  t.true((await page.textContent('main'))?.includes('is not there any more'));
  await press(page, 'Take it back');
  t.is(await said(page), 'Nobody may act for you any more.');
  t.deepEqual(await attributeOf(atrium, dee.dn, 'stsDelegate'), []);
});

test.serial(
  'who may act for somebody is written after a fresh authentication alone, and an id that is no party’s is not taken',
  async (t) => {
    const fay = await addPerson(atrium, 'fay', 'Fay Fresh');
    const sts_session = await rawSession(fay);
    const csrf = hiddenOf(await ask(base, '/portal/delegate', { cookies: { sts_session } }), 'csrf');
    const post = (form: Readonly<Record<string, string>>) =>
      ask(base, '/portal/delegate', { method: 'POST', cookies: { sts_session }, form: { csrf, ...form } });
    for (const party of [
      '',
      'x',
      '*',
      '00000000-0000-0000-0000-000000000000',
      (await attributeOf(atrium, atrium.suffix, 'entryUUID'))[0] ?? '',
    ])
      t.true((await post({ do: 'set', party })).body.includes('They are not there any more'), party);
    t.true((await post({ do: 'set', party: (await attributeOf(atrium, fay.dn, 'entryUUID'))[0] ?? '' })).body.includes('That is you'));
    t.is((await post({ do: 'constructor' })).status, 403);
    t.deepEqual(await attributeOf(atrium, fay.dn, 'stsDelegate'), []);
    nowMs += 301_000;
    t.regex((await post({ do: 'remove' })).location, /^\/authn\/login\?authn=/);
  },
);
