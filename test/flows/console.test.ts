import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator } from './people.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;

test.before(async () => {
  atrium = await startTestAtrium({ settings: { STS_SECURITY_RATE_PER_ADDRESS: '1000' } });
  base = atrium.addresses.http ?? '';
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

/** Those whose answer is a download, or a JSON. */
const isPage = (path: string) => !/format=json|\/ldif\?|ldif\.export/.test(path);

async function linksOf(page: Page): Promise<readonly string[]> {
  const links = await page.evaluate(`[...document.querySelectorAll('a[href^="/admin"]')].map((link) => link.getAttribute('href'))`);
  return [...new Set(links as readonly string[])].filter(isPage);
}

test.serial('every page of the console, in both roles: axe finds nothing, and nothing is scrolled sideways at 360 px', async (t) => {
  t.timeout(300_000);
  const [looks, acts] = [await addPerson(atrium, 'looks', 'Lo Oks'), await addPerson(atrium, 'acts', 'Ac Ts')];
  const open = async ({ uid, password }: { readonly uid: string; readonly password: string }) => {
    const page = await (await openContext(t, browser, { javaScriptEnabled: true })).newPage();
    await page.goto(`${base}/portal`);
    await typeIn(page, uid, password);
    return page;
  };
  const [reader, writer] = [await open(looks), await open(acts)];
  await asAdministrator(atrium, async (client) => {
    const { Attribute, Change } = await import('ldapts');
    const joined = (dn: string) => new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [dn] }) });
    await client.modify(`cn=Admin Read,ou=groups,${atrium.suffix}`, joined(looks.dn));
    await client.modify(`cn=Admin Write,ou=groups,${atrium.suffix}`, joined(acts.dn));
    await client.add(`cn=wiki,ou=applications,${atrium.suffix}`, {
      objectClass: ['stsApplication', 'stsOAuthClient'],
      cn: 'wiki',
      stsClientId: 'wiki',
      stsRedirectUri: 'https://wiki.example/callback',
    });
  });

  // What the overview leads to, and what the lists lead to.
  await writer.goto(`${base}/admin`);
  const first = await linksOf(writer);
  t.true(first.length > 20, `${writer.url()} ${first.join()}`);
  const seen = new Set<string>();
  const forms = new Set<string>();
  for (const path of ['/admin', ...first]) {
    if (seen.has(path)) continue;
    seen.add(path);
    t.is((await writer.goto(base + path))?.status(), 200, path);
    await inspect(t, writer, `console${path.replace(/\W+/g, '-')}`, ['/admin', '/admin/users'].includes(path) ? 'every look' : 'phone');
    if (path !== '/admin/api-explorer')
      for (const more of await linksOf(writer))
        if (/^\/admin\/(users|groups|applications)\/|^\/admin\/directory\/(edit|new)/.test(more)) forms.add(more);
  }
  const some = ['/admin/users/', '/admin/groups/', '/admin/applications/', '/admin/directory/edit', '/admin/directory/new'].map((start) =>
    [...forms].find((path) => path.startsWith(start)),
  );
  t.false(some.includes(undefined));
  for (const path of [
    ...some,
    '/admin/directory/new?class=inetOrgPerson',
    '/admin/do/users.disable?user=looks&thing=looks',
    '/admin/do/users.delete?user=looks&thing=looks',
    '/admin/api-explorer/users.list?run=1',
    '/admin/do/ldif.import',
  ]) {
    if (path === undefined) continue;
    t.is((await writer.goto(base + path))?.status(), 200, path);
    await inspect(t, writer, `console${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'one').replace(/\W+/g, '-')}`, 'phone');
  }

  await reader.goto(`${base}/admin`);
  const shown = await linksOf(reader);
  for (const path of shown) {
    t.is((await reader.goto(base + path))?.status(), 200, path);
    t.is(await reader.locator('main form[method=post], main a[href*="/admin/do/"]').count(), 0, `${path} offers what may not be done`);
  }
});

test.serial('a person is disabled without any script, and the page says how it is undone', async (t) => {
  await addPerson(atrium, 'gone', 'Go Ne');
  const page = await (await openContext(t, browser, { javaScriptEnabled: false })).newPage();
  await page.goto(`${base}/admin/users`);
  await typeIn(page, 'acts', 'Analytical-Engine-1843-acts');
  if (page.url().includes('mfa-setup'))
    await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Not now' }).click()]);
  await page.fill('main input[name=q]', 'gone');
  const press = (name: string | RegExp, role: 'button' | 'link' = 'button') =>
    Promise.all([page.waitForNavigation(), page.locator('main').getByRole(role, { name }).first().click()]);
  await press('Show');
  await press('gone', 'link');
  await press(/^Disable/, 'button').catch(() => undefined);
  if (!page.url().includes('/admin/do/')) await press(/^Disable/, 'link');
  await press('Disable');
  t.regex((await page.locator('.notice').textContent()) ?? '', /Done: Disable\. Enable undoes it/);
  t.is(await page.locator('.state.bad').first().textContent(), 'disabled');
});
