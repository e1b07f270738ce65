import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Browser, Page } from 'playwright-core';
import { launch, typeIn } from '../../../flows/browser.ts';
import { plugIn } from '../../../flows/virtual-key.ts';
import { makeAuthority } from '../../lab/certificates.ts';
import { holds, same, step, until } from '../steps.ts';
import { memberLdif, passwordOf, suffix, type World } from '../world.ts';

const wiki = 'https://wiki.example.com/wiki/';
const home = 'https://wiki.example.com/';
const atrium = 'https://atrium.example.com';
const secretPage = 'what only readers see';
const signOut = `https://wiki.example.com/oidc/callback?logout=${encodeURIComponent(home)}`;
const application = `cn=Wiki,ou=applications,${suffix}`;

/** What the web server has before anybody thinks of Atrium: pages, an address, and a certificate that Atrium's machine trusts. */
export async function prepare(): Promise<void> {
  mkdirSync('/root/authority');
  const authority = await makeAuthority('/root/authority');
  const { certFile, keyFile } = await authority.sign('wiki', '/CN=wiki.example.com', 'serverAuth', 'DNS:wiki.example.com');
  mkdirSync('/etc/ssl/private', { recursive: true });
  copyFileSync(certFile, '/etc/ssl/certs/wiki.example.com.pem');
  copyFileSync(keyFile, '/etc/ssl/private/wiki.example.com.key');
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority.caFile, 'utf8')]);
  mkdirSync('/etc/apache2', { recursive: true });
  writeFileSync('/etc/apache2/ports.conf', 'Listen 127.0.0.2:443\n');
  mkdirSync('/var/www/html/wiki', { recursive: true });
  writeFileSync('/var/www/html/wiki/index.html', `<!doctype html><title>Wiki</title><p>${secretPage}</p>`);
  writeFileSync('/var/www/html/index.html', '<!doctype html><title>Home</title><p>welcome to all</p>');
}

/** One person with a browser of their own. */
async function open(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(20_000);
  return await context.newPage();
}

const touch = (page: Page, button: string) => Promise.all([page.waitForNavigation(), page.click(`button:has-text("${button}")`)]);
const at = (page: Page, path: string) => holds(page.url().startsWith(path), `the browser is at ${page.url()}, not at ${path}`);
const reads = async (page: Page) =>
  holds((await page.content()).includes(secretPage), `${page.url()} shows ${await page.textContent('body')}`);
const isAsked = async (page: Page) => {
  await page.goto(wiki);
  at(page, `${atrium}/authn/login`);
};

export async function test(world: World): Promise<void> {
  await until('Apache', async () => (await fetch(home)).text());
  const browser = await launch();
  try {
    const page = await open(browser);
    await judgeSignIn(page);
    await judgeSignOut(page, world);
    await judgeEntry(browser, world);
  } finally {
    await browser.close();
  }
}

async function judgeSignIn(page: Page): Promise<void> {
  await step('who opens the page is led to the sign-in of Atrium', () => isAsked(page));
  await step('a password alone is not enough; with a key that is added for it, the page is there', async () => {
    await plugIn(page);
    await typeIn(page, 'ada', passwordOf('ada'));
    at(page, atrium);
    await touch(page, 'Add a security key');
    at(page, wiki);
    await reads(page);
  });
  await step('whoever has a session is not asked again', async () => {
    await page.goto(wiki);
    await reads(page);
  });
}

/** From the sign-in screen to the page, with password and key. */
async function signIn(page: Page): Promise<void> {
  await isAsked(page);
  await typeIn(page, 'ada', passwordOf('ada'));
  await touch(page, 'Use your security key');
  at(page, wiki);
  await reads(page);
}

async function judgeSignOut(page: Page, world: World): Promise<void> {
  await step('signing out at the site signs out at Atrium, and leads back to the site', async () => {
    await page.goto(signOut);
    same(page.url(), home, 'the browser is at');
    await page.goto(`${atrium}/portal`);
    at(page, `${atrium}/authn/login`);
    await isAsked(page);
  });
  await step('signing in with password and security key', () => signIn(page));
  await step('signing out at Atrium shuts the page', async () => {
    await page.goto(`${atrium}/portal`);
    await touch(page, 'Sign out');
    await until('the end at the site', async () => ((await isShut(page)) ? true : undefined));
    await isAsked(page);
  });
  await step('who is disabled at Atrium is out of the site, and may sign in when they are enabled again', async () => {
    await signIn(page);
    await world.command('person', 'disable', 'ada');
    await until('the end at the site', async () => ((await isShut(page)) ? true : undefined));
    await world.command('person', 'enable', 'ada');
    await signIn(page);
  });
}

/** Whether the site itself knows the browser no more, wherever it is sent then. */
async function isShut(page: Page): Promise<boolean> {
  const { status } = await page
    .context()
    .request.get(wiki, { maxRedirects: 0 })
    .then((answer) => ({ status: answer.status() }));
  return status === 302;
}

async function judgeEntry(browser: Browser, world: World): Promise<void> {
  await step('who is not in the group is refused by Atrium, in the words of the protocol', async () => {
    await world.change(`dn: ${application}\nchangetype: modify\ndelete: stsRequiredAcr\n`);
    const page = await open(browser);
    await isAsked(page);
    await typeIn(page, 'alan', passwordOf('alan'));
    at(page, 'https://wiki.example.com/oidc/callback?');
    holds(page.url().includes('error=access_denied'), page.url());
    holds(!(await page.content()).includes(secretPage), 'the page is shown');
    await world.change(memberLdif('add', `cn=wiki,ou=groups,${suffix}`, 'alan'));
    await page.goto(wiki);
    await reads(page);
  });
  await step('an address of the entry that is changed counts at the next sign-in', async () => {
    await world.change(`dn: ${application}\nchangetype: modify\nreplace: stsRedirectUri\nstsRedirectUri: https://wiki.example.com/else\n`);
    const page = await open(browser);
    await page.goto(wiki);
    at(page, `${atrium}/oauth2/authorize`);
    holds((await page.content()).includes('redirect_uri'), `no word of the address: ${await page.textContent('body')}`);
  });
}
