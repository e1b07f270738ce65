import test, { type ExecutionContext } from 'ava';
import { Client } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import type { TestAtrium } from '../support/atrium.ts';
import { inspect, openContext, typeIn } from './browser.ts';
import { type FlowHouse, openHouse } from './house.ts';
import { setAttribute } from './mailed.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, submit } from './raw.ts';
import { addPersonTo, addRealm } from './realms.ts';

let house: FlowHouse;
let atrium: TestAtrium;
let browser: Browser;
let base: string;
let nowMs = 1_795_000_020_000;

test.before(async () => {
  house = await openHouse(() => nowMs, {
    STS_SECURITY_RATE_PER_IDENTITY: '1000',
    STS_SECURITY_RATE_PER_ADDRESS: '1000',
    STS_AUTHN_SESSION_LIFETIME_S: '86400',
    STS_APP_PASSWORDS_MAX_PER_PERSON: '4',
  });
  ({ atrium, browser, base } = house);
});

test.after.always(async () => await house?.[Symbol.asyncDispose]());

const home = '/portal/app-passwords';
const press = async (page: Page, words: string | RegExp) =>
  Promise.all([page.waitForNavigation(), page.getByRole('button', { name: words }).last().click()]);
const said = async (page: Page) => (await page.locator('.notice, .fault').allTextContents()).join(' ').trim();

async function signIn(t: ExecutionContext, { uid, password }: TestPerson): Promise<Page> {
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(`${base}/portal`);
  await typeIn(page, uid, password);
  await page.goto(base + home);
  return page;
}

async function rawSession({ uid, password }: TestPerson, prefix = ''): Promise<string> {
  return cookieOf(await submit(base, await openScreen(base, `${prefix}/portal`), uid, password), 'sts_session') ?? '';
}

/** Whether a bind is taken, as a mail server would do it for its user. */
async function binds(dn: string, password: string): Promise<boolean> {
  const client = new Client({ url: atrium.addresses.ldap ?? '' });
  try {
    await client.bind(dn, password);
    return true;
  } catch {
    return false;
  } finally {
    await client.unbind();
  }
}

const valueForm = /^(?:[A-Z2-9]{4}-){5}[A-Z2-9]{4}$/;

test.serial(
  'an app password is made for a program, shown once with its settings, lets the program in, and its last use is told',
  async (t) => {
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const page = await signIn(t, ada);
    t.true((await page.textContent('main'))?.includes('You have no app passwords.'));
    await inspect(t, page, 'app-passwords-none');
    await page.selectOption('#program', 'dovecot');
    await page.fill('#name', 'Mail server');
    await press(page, 'Make the app password');
    t.is(await page.textContent('h1'), 'Your new app password');
    const value = (await page.textContent('.value code')) ?? '';
    t.regex(value, valueForm);
    const settings = (await page.textContent('section:has(#settings)')) ?? '';
    for (const part of ['localhost', 'StartTLS', ada.dn, `ou=people,${atrium.suffix}`, `dnpass = ${value}`, 'auth_bind = yes'])
      t.true(settings.includes(part), part);
    await inspect(t, page, 'app-password-made');
    t.true(await binds(ada.dn, value));
    t.true(await binds(ada.dn, value.toLowerCase().replaceAll('-', ' ')), 'dashes, spaces and case do not matter');
    await page.goto(base + home);
    t.false((await page.content()).includes(value), 'shown once');
    t.regex(
      (await page.locator('.things').first().textContent()) ?? '',
      /Mail server.*Made just now · last used just now from (?:127\.0\.0\.1|::1) at LDAP.*For Dovecot.*Good for mail, VPN/s,
    );
    await page.goto(`${base}/portal`);
    t.regex((await page.textContent('section:has(#how)')) ?? '', /Mail server.*App password.*last used just now from/s);
  },
);

test.serial('who has a second factor is told that programs need one, and is let in with it where their own password is not', async (t) => {
  const bea = await addPerson(atrium, 'bea', 'Bea Two');
  const page = await signIn(t, bea);
  t.false((await page.textContent('main'))?.includes('do not take your own password'));
  await setAttribute(atrium, bea.dn, 'stsMfaRequired', ['TRUE']);
  await page.reload();
  t.true((await page.textContent('main'))?.includes('do not take your own password'));
  t.false(await binds(bea.dn, bea.password));
  await press(page, 'Make the app password');
  t.true(await binds(bea.dn, (await page.textContent('.value code')) ?? ''));
});

test.serial('what is narrowed down is: by network and by time; what is unfit is told at its field, and what was typed stays', async (t) => {
  const cy = await addPerson(atrium, 'cy', 'Cy Narrow');
  const page = await signIn(t, cy);
  const make = async (name: string, networks: string, expires = 'never') => {
    await page.goto(base + home);
    await page.fill('#name', name);
    await page.click('details summary');
    await page.fill('#networks', networks);
    await page.selectOption('#expires', expires);
    await press(page, 'Make the app password');
    return (await page.locator('.value code').allTextContents())[0] ?? '';
  };
  t.is(await make('from nowhere', '192.0.2.0/99'), '');
  t.regex(await said(page), /^This is not taken: "192\.0\.2\.0\/99" is neither an address nor a network/);
  t.is(await page.inputValue('#name'), 'from nowhere');
  t.is(await page.inputValue('#networks'), '192.0.2.0/99');
  await inspect(t, page, 'app-password-fault');
  await page.uncheck('#scope-ldap');
  await page.fill('#networks', '');
  await press(page, 'Make the app password');
  t.is(await said(page), 'Choose what it is good for.');
  const elsewhere = await make('elsewhere', '192.0.2.0/24, 2001:db8::/32');
  t.regex(elsewhere, valueForm);
  t.false(await binds(cy.dn, elsewhere));
  const here = await make('here', '127.0.0.0/8 ::1', '30');
  t.true(await binds(cy.dn, here));
  await make('here', '');
  t.regex(await said(page), /You have an app password of this name already/);
  await page.goto(base + home);
  t.regex((await page.textContent('main')) ?? '', /here.*ends in 30 days.*Only from 127\.0\.0\.0\/8/s);
  const before = nowMs;
  nowMs += 31 * 86_400_000;
  t.false(await binds(cy.dn, here));
  nowMs = before;
});

test.serial('one is revoked after a page that says what stops working, then all of them; nobody revokes another’s', async (t) => {
  const dan = await addPerson(atrium, 'dan', 'Dan Revokes');
  const page = await signIn(t, dan);
  const values: string[] = [];
  for (const name of ['one', 'two', 'three', 'four']) {
    await page.fill('#name', name);
    await press(page, 'Make the app password');
    values.push((await page.textContent('.value code')) ?? '');
    await page.goto(base + home);
  }
  t.true((await page.textContent('main'))?.includes('You have as many app passwords as you may.'));
  t.is(await page.locator('form:has(#program)').count(), 0);
  await inspect(t, page, 'app-passwords');
  await Promise.all([
    page.waitForNavigation(),
    page
      .getByRole('button', { name: 'Revoke two' })
      .or(page.getByRole('link', { name: 'Revoke two' }))
      .click(),
  ]);
  t.is(await page.textContent('h1'), 'Revoke “two”?');
  await inspect(t, page, 'app-password-revoke');
  t.true(await binds(dan.dn, values[1] ?? ''), 'nothing has happened yet');
  await press(page, 'Revoke it');
  t.is(await said(page), 'The app password was revoked.');
  t.deepEqual(await Promise.all(values.map((value) => binds(dan.dn, value))), [true, false, true, true]);

  const eve = await addPerson(atrium, 'eve', 'Eve Other');
  const sts_session = await rawSession(eve);
  const csrf = hiddenOf(await ask(base, home, { cookies: { sts_session } }), 'csrf');
  const id = /revoke\?id=([^"]+)"/.exec(await page.content())?.[1] ?? '';
  t.not(id, '');
  const post = (form: Readonly<Record<string, string>>) => ask(base, `${home}/revoke`, { method: 'POST', cookies: { sts_session }, form });
  t.regex((await post({ csrf, id: decodeURIComponent(id) })).body, /not there any more/);
  t.is((await post({ id: decodeURIComponent(id) })).status, 403);
  t.is((await ask(base, home, { method: 'POST', cookies: { sts_session }, form: { program: 'mail', scope: 'ldap' } })).status, 403);
  t.true(await binds(dan.dn, values[0] ?? ''));

  await Promise.all([page.waitForNavigation(), page.getByRole('link', { name: 'Revoke all' }).click()]);
  await inspect(t, page, 'app-passwords-revoke-all');
  await press(page, 'Revoke all of them');
  t.is(await said(page), 'All app passwords were revoked.');
  t.deepEqual(await Promise.all(values.map((value) => binds(dan.dn, value))), [false, false, false, false]);
});

test.serial(
  'they are made and revoked after a fresh authentication alone, no more than a person may have, and not where they are off',
  async (t) => {
    const flo = await addPerson(atrium, 'flo', 'Flo Fresh');
    const sts_session = await rawSession(flo);
    const csrf = hiddenOf(await ask(base, home, { cookies: { sts_session } }), 'csrf');
    const make = (name: string) =>
      ask(base, home, { method: 'POST', cookies: { sts_session }, form: { csrf, name, program: 'other', scope: 'ldap' } });
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(make));
    t.is(all.filter(({ body }) => body.includes('class="value"')).length, 4);
    t.true(
      all.every(({ status }) => status < 500),
      all.map(({ status }) => status).join(),
    );
    nowMs += 301_000;
    t.regex((await make('late')).location, /^\/authn\/login\?authn=/);
    const revoke = await ask(base, `${home}/revoke`, { method: 'POST', cookies: { sts_session }, form: { csrf, all: 'yes' } });
    t.regex(revoke.location, /^\/authn\/login\?authn=/);

    const acme = await addRealm(atrium, 'acme', { stsSetting: 'appPasswords.enabled=false' });
    const gil = await addPersonTo(atrium, acme, 'gil', 'Gil Off', 'Correct-horse-7-battery');
    const cookies = { sts_session: await rawSession(gil, '/realm/acme') };
    const page = await ask(base, `/realm/acme${home}`, { cookies });
    t.true(page.body.includes('No new app passwords are made here at this moment.'));
    const token = hiddenOf(page, 'csrf');
    const made = await ask(base, `/realm/acme${home}`, { method: 'POST', cookies, form: { csrf: token, program: 'mail', scope: 'ldap' } });
    t.is(made.status, 403);
    t.false(made.body.includes('class="value"'));
  },
);
