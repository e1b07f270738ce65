import type { Browser, Page } from 'playwright-core';
import { launch, typeIn } from '../../../flows/browser.ts';
import { atriumUrl, isAsked, isAt, isShut, makeSite, openPage, press } from '../site.ts';
import { holds, same, step, until } from '../steps.ts';
import { memberLdif, passwordOf, suffix, type World } from '../world.ts';

const home = 'https://notes.example.com/';
const notes = `${home}notes`;
const callback = `${home}oidc/callback`;

export const prepare = () => makeSite('notes.example.com');

export async function test(world: World): Promise<void> {
  await until('the site', async () => {
    const { ok, status } = await fetch(home);
    if (!ok) throw new Error(`it answers ${status}`);
    return true;
  });
  const browser = await launch();
  try {
    const page = await openPage(browser);
    await judgeSignIn(page);
    await judgeEnds(page, world);
    await judgeRefusals(browser, world);
  } finally {
    await browser.close();
  }
}

const reads = async (page: Page, text: string) => {
  const shown = await page.textContent('body');
  holds(shown?.includes(text) === true, `${page.url()} shows ${shown}`);
};

/** From the sign-in screen to the page. */
async function signIn(page: Page, uid: string): Promise<void> {
  await isAsked(page, notes);
  await typeIn(page, uid, passwordOf(uid));
}

async function judgeSignIn(page: Page): Promise<void> {
  await step('everybody sees the front page', async () => {
    await page.goto(home);
    await reads(page, 'Welcome');
  });
  await step('who opens the notes is led to the sign-in of Atrium, and back; the page says who they are', async () => {
    await signIn(page, 'ada');
    same(page.url(), notes, 'the browser is at');
    await reads(page, 'Ada Example, ada@example.com');
    await reads(page, 'Groups: notes');
  });
  await step('whoever has a session is not asked again', async () => {
    await page.goto(notes);
    await reads(page, 'Ada Example');
  });
}

async function judgeEnds(page: Page, world: World): Promise<void> {
  await step('signing out at the site signs out at Atrium, and leads back to the site', async () => {
    await press(page, 'Sign out');
    same(page.url(), home, 'the browser is at');
    await page.goto(`${atriumUrl}/portal`);
    isAt(page, `${atriumUrl}/authn/login`);
    await isAsked(page, notes);
  });
  await step('signing out at Atrium shuts the page', async () => {
    await signIn(page, 'ada');
    await reads(page, 'Ada Example');
    await page.goto(`${atriumUrl}/portal`);
    await press(page, 'Sign out');
    await until('the end at the site', () => isShut(page, notes));
    await isAsked(page, notes);
  });
  await step('who is disabled at Atrium is out of the site, and may sign in when they are enabled again', async () => {
    await signIn(page, 'ada');
    await world.command('person', 'disable', 'ada');
    await until('the end at the site', () => isShut(page, notes));
    await world.command('person', 'enable', 'ada');
    await signIn(page, 'ada');
    await reads(page, 'Ada Example');
  });
}

async function judgeRefusals(browser: Browser, world: World): Promise<void> {
  await step('who is not in the group is refused by Atrium, and the site says so', async () => {
    const page = await openPage(browser);
    await signIn(page, 'alan');
    isAt(page, `${callback}?`);
    await reads(page, 'You were not signed in: access_denied');
    await world.change(memberLdif('add', `cn=notes,ou=groups,${suffix}`, 'alan'));
    await page.goto(notes);
    await reads(page, 'Alan Example');
  });
  await step('an answer that the browser did not ask for signs nobody in', async () => {
    const answer = await fetch(`${callback}?code=of-somebody-else&state=of-somebody-else`, { redirect: 'manual' });
    same(answer.status, 403, 'status');
  });
  await step('an end that Atrium did not sign ends nothing', async () => {
    const page = await openPage(browser);
    await signIn(page, 'ada');
    const unsigned = [{ alg: 'none' }, { sid: 'any' }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    for (const token of ['nonsense', `${unsigned.join('.')}.`]) {
      const answer = await fetch(`${home}oidc/ended`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
      same(answer.status, 400, 'status');
    }
    await page.goto(notes);
    await reads(page, 'Ada Example');
  });
}
