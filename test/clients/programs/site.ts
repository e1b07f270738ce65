import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Browser, Page } from 'playwright-core';
import { makeAuthority } from '../lab/certificates.ts';
import { holds } from './steps.ts';

export const atriumUrl = 'https://atrium.example.com';

/** What a web server has before anybody thinks of Atrium: an address, and a certificate that Atrium's machine trusts. */
export async function makeSite(host: string): Promise<void> {
  mkdirSync('/root/authority');
  const authority = await makeAuthority('/root/authority');
  const { certFile, keyFile } = await authority.sign('site', `/CN=${host}`, 'serverAuth', `DNS:${host}`);
  mkdirSync('/etc/ssl/private', { recursive: true });
  copyFileSync(certFile, `/etc/ssl/certs/${host}.pem`);
  copyFileSync(keyFile, `/etc/ssl/private/${host}.key`);
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority.caFile, 'utf8')]);
  mkdirSync('/etc/apache2', { recursive: true });
  writeFileSync('/etc/apache2/ports.conf', 'Listen 127.0.0.2:443\n');
}

/** One person with a browser of their own. */
export async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  context.setDefaultTimeout(20_000);
  return await context.newPage();
}

export const press = (page: Page, button: string) => Promise.all([page.waitForNavigation(), page.click(`button:has-text("${button}")`)]);

export const isAt = (page: Page, path: string) => holds(page.url().startsWith(path), `the browser is at ${page.url()}, not at ${path}`);

/** Opens a page of a site, whose browser must be led to the sign-in of Atrium. */
export async function isAsked(page: Page, path: string): Promise<void> {
  await page.goto(path);
  isAt(page, `${atriumUrl}/authn/login`);
}

/** Whether a site itself knows the browser no more, wherever it is sent then. @returns `undefined` while it does, for `until` */
export async function isShut(page: Page, path: string): Promise<true | undefined> {
  const answer = await page.context().request.get(path, { maxRedirects: 0 });
  return answer.status() === 302 || undefined;
}
