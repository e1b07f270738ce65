import { mkdirSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { launch, typeIn } from '../../../flows/browser.ts';
import { plugIn } from '../../../flows/virtual-key.ts';
import { atriumUrl, isAsked, isAt, isShut, makeSite, openPage, press } from '../site.ts';
import { holds, same, step, until } from '../steps.ts';
import { memberLdif, passwordOf, suffix, type World } from '../world.ts';

const wiki = 'https://wiki.example.com/wiki/';
const home = 'https://wiki.example.com/';
const secretPage = 'what only readers see';
const signOut = `https://wiki.example.com/oidc/callback?logout=${encodeURIComponent(home)}`;
const application = `cn=Wiki Site,ou=applications,${suffix}`;

/** The web server's address, and its pages. */
export async function prepare(): Promise<void> {
  await makeSite('wiki.example.com');
  mkdirSync('/var/www/html/wiki', { recursive: true });
  writeFileSync('/var/www/html/wiki/index.html', `<!doctype html><title>Wiki</title><p>${secretPage}</p>`);
  writeFileSync('/var/www/html/index.html', '<!doctype html><title>Home</title><p>welcome to all</p>');
}

const reads = async (page: Page) =>
  holds((await page.content()).includes(secretPage), `${page.url()} shows ${await page.textContent('body')}`);

export async function test(world: World): Promise<void> {
  await until('Apache', async () => (await fetch(home)).text());
  const browser = await launch();
  try {
    const page = await openPage(browser);
    await judgeSignIn(page);
    await judgeSignOut(page, world);
    await judgeEntry(browser, world);
  } finally {
    await browser.close();
  }
}

async function judgeSignIn(page: Page): Promise<void> {
  await step('who opens the page is led to the sign-in of Atrium', () => isAsked(page, wiki));
  await step('a password alone is not enough; with a key that is added for it, the page is there', async () => {
    await plugIn(page);
    await typeIn(page, 'ada', passwordOf('ada'));
    isAt(page, atriumUrl);
    await press(page, 'Add a security key');
    isAt(page, wiki);
    await reads(page);
  });
  await step('whoever has a session is not asked again', async () => {
    await page.goto(wiki);
    await reads(page);
  });
}

/** From the sign-in screen to the page, with password and key. */
async function signIn(page: Page): Promise<void> {
  await isAsked(page, wiki);
  await typeIn(page, 'ada', passwordOf('ada'));
  await press(page, 'Use your security key');
  isAt(page, wiki);
  await reads(page);
}

async function judgeSignOut(page: Page, world: World): Promise<void> {
  await step('signing out at the site signs out at Atrium, and leads back to the site', async () => {
    await page.goto(signOut);
    same(page.url(), home, 'the browser is at');
    await page.goto(`${atriumUrl}/portal`);
    isAt(page, `${atriumUrl}/authn/login`);
    await isAsked(page, wiki);
  });
  await step('signing in with password and security key', () => signIn(page));
  await step('signing out at Atrium shuts the page', async () => {
    await page.goto(`${atriumUrl}/portal`);
    await press(page, 'Sign out');
    await until('the end at the site', () => isShut(page, wiki));
    await isAsked(page, wiki);
  });
  await step('who is disabled at Atrium is out of the site, and may sign in when they are enabled again', async () => {
    await signIn(page);
    await world.command('person', 'disable', 'ada');
    await until('the end at the site', () => isShut(page, wiki));
    await world.command('person', 'enable', 'ada');
    await signIn(page);
  });
}

async function judgeEntry(browser: Browser, world: World): Promise<void> {
  await step('who is not in the group is refused by Atrium, in the words of the protocol', async () => {
    await world.change(`dn: ${application}\nchangetype: modify\ndelete: stsRequiredAcr\n`);
    const page = await openPage(browser);
    await isAsked(page, wiki);
    await typeIn(page, 'alan', passwordOf('alan'));
    isAt(page, 'https://wiki.example.com/oidc/callback?');
    holds(page.url().includes('error=access_denied'), page.url());
    holds(!(await page.content()).includes(secretPage), 'the page is shown');
    await world.change(memberLdif('add', `cn=wiki,ou=groups,${suffix}`, 'alan'));
    await page.goto(wiki);
    await reads(page);
  });
  await step('an address of the entry that is changed counts at the next sign-in', async () => {
    await world.change(`dn: ${application}\nchangetype: modify\nreplace: stsRedirectUri\nstsRedirectUri: https://wiki.example.com/else\n`);
    const page = await openPage(browser);
    await page.goto(wiki);
    isAt(page, `${atriumUrl}/oauth2/authorize`);
    holds((await page.content()).includes('redirect_uri'), `no word of the address: ${await page.textContent('body')}`);
  });
}
