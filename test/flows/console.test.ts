import test from 'ava';
import { Attribute, Change } from 'ldapts';
import type { Browser, Page } from 'playwright-core';
import { type Cookies, openConsoleHouse } from '../admin/console-house.ts';
import { inspect, launch, openContext, typeIn } from './browser.ts';
import { addPerson, asAdministrator } from './people.ts';

const house = await openConsoleHouse();
const { atrium, base, reader, writer, get } = house;
let browser: Browser;

test.before(async () => {
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await house[Symbol.asyncDispose]();
});

/** Those whose answer is a download, or a JSON. */
const isPage = (path: string) => !/format=json|\/ldif\?|ldif\.export/.test(path);

/** Where a page leads to. */
const linksOf = (body: string): readonly string[] => [
  ...new Set([...body.matchAll(/href="(\/admin[^"]*)"/g)].map(([, path = '']) => path.replaceAll('&amp;', '&')).filter(isPage)),
];

/** Of which parts a page is made: its marks, without what they say. */
const partsOf = (body: string): ReadonlySet<string> =>
  new Set(
    body
      .match(/<[a-z][^>]*>/g)
      ?.map((mark) => mark.replace(/ (?:href|title|datetime|id|for|value|action|aria-\w+|data-label)="[^"]*"/g, '')),
  );

/** What is asked of the directory by those who manage the realm alone, and what does nothing but change. */
const writersAlone = ['/admin/access-rules/explain', '/admin/keys/emergency'];

const nameOf = (path: string) => `console${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'one').replace(/\W+/g, '-')}`.slice(0, 80);

test.serial('every page of the console, in both roles: axe finds nothing, and nothing is cut off at 360 and at 1280 px', async (t) => {
  t.timeout(600_000);
  await addPerson(atrium, 'looked-at', 'Loo Ked');
  await asAdministrator(atrium, async (client) => {
    await client.add(`cn=wiki,ou=applications,${atrium.suffix}`, {
      objectClass: ['stsApplication', 'stsOAuthClient'],
      cn: 'wiki',
      stsClientId: 'wiki',
      stsRedirectUri: 'https://wiki.example/callback',
      stsServer: ['wikis'],
    });
    await client.add(`cn=no phones,ou=accessRules,${atrium.suffix}`, {
      objectClass: 'stsAccessRule',
      cn: 'no phones',
      stsRuleOrder: '10',
      stsRuleEffect: 'deny',
      stsRuleWho: 'anonymous',
      stsRuleTarget: `children:ou=people,${atrium.suffix}`,
      stsRuleAttribute: 'telephoneNumber',
      stsRuleRight: 'read',
    });
  });
  const openAs = async (cookies: Cookies): Promise<Page> => {
    const context = await openContext(t, browser, { javaScriptEnabled: true, viewport: { width: 360, height: 800 } });
    await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: base })));
    return context.newPage();
  };
  const [page, readersPage] = [await openAs(writer), await openAs(reader)];
  const look = async (path: string) => {
    t.is((await page.goto(base + path))?.status(), 200, path);
    await inspect(t, page, nameOf(path), ['/admin', '/admin/users'].includes(path) ? 'every look' : 'both widths');
  };

  // What the overview leads to, and what the lists lead to.
  const bodyOf = async (path: string, cookies: Cookies) => {
    const answer = await get(path, cookies);
    t.is(answer.status, 200, path);
    return answer.body;
  };
  const first = linksOf(await bodyOf('/admin', writer));
  const groups = await Promise.all(first.map((path) => bodyOf(path, writer)));
  const places = [
    ...new Set([
      '/admin',
      ...first.filter((path) => !path.startsWith('/admin/do/')),
      ...groups.flatMap(linksOf).filter((path) => !/[?]|\/(do|directory|users|groups|applications|api-explorer)\//.test(path)),
    ]),
  ];
  t.true(places.length > 30, places.join());
  const bodies = new Map(await Promise.all(places.map(async (path) => [path, await bodyOf(path, writer)] as const)));
  const more = [...bodies].filter(([path]) => path !== '/admin/api-explorer').flatMap(([, body]) => linksOf(body));
  const starts = [
    '/admin/users/',
    '/admin/groups/',
    '/admin/applications/',
    '/admin/directory/edit',
    '/admin/directory/new',
    '/admin/do/access.change',
  ];
  const some = starts.map((start) => more.find((path) => path.startsWith(start)) ?? start);
  for (const path of [
    ...places,
    ...some,
    ...first.filter((path) => path.startsWith('/admin/do/')),
    '/admin/directory/new?class=inetOrgPerson',
    '/admin/do/users.disable?user=looked-at&thing=looked-at',
    '/admin/do/users.delete?user=looked-at&thing=looked-at',
    '/admin/api-explorer/users.list?run=1',
    '/admin/do/ldif.import',
  ])
    await look(path);

  // A reader's pages are made of the same parts, but for those that offer what they may not do; one that has others is looked at by itself.
  for (const path of places) {
    const answer = await get(path, reader);
    if (writersAlone.includes(path)) {
      t.is(answer.status, 403, path);
      continue;
    }
    t.is(answer.status, 200, path);
    const main = answer.body.slice(answer.body.indexOf('<main'), answer.body.indexOf('</main>'));
    t.false(/method="post"|href="[^"]*\/admin\/do\//.test(main), `${path} offers what may not be done`);
    const known = partsOf(bodies.get(path) ?? '');
    if ([...partsOf(answer.body)].every((part) => known.has(part))) continue;
    await readersPage.goto(base + path);
    await inspect(t, readersPage, `${nameOf(path)}-reader`, 'both widths');
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

test.serial('the page of a person explains their sign-in at another door, and to an application, by a form', async (t) => {
  const person = await addPerson(atrium, 'explained', 'Ex Plained');
  await asAdministrator(atrium, (client) =>
    client.modify(
      person.dn,
      new Change({ operation: 'replace', modification: new Attribute({ type: 'stsMfaRequired', values: ['TRUE'] }) }),
    ),
  );
  const found = await get('/admin/users?q=explained', writer);
  const path = /\/admin\/users\/[0-9a-f-]{36}/.exec(found.body)?.[0] ?? '';
  const said = async (query: string) => {
    const { body, status } = await get(`${path}${query}`, writer);
    t.is(status, 200, query);
    return body.slice(body.indexOf('<section aria-labelledby="why"'), body.indexOf('</section>', body.indexOf('aria-labelledby="why"')));
  };
  t.regex(await said(''), /one is required and none is held/);
  t.regex(await said(''), /one comes in by the password/);
  t.regex(await said('?door=ldap'), /STS-AUTHN-0213/);
  t.regex(await said('?application=nobody-of-that-name'), /STS-OAUTH-9001/);
  t.regex(await said('?door=ldap&application=nobody'), /People sign in to applications at the door browser/);
  t.regex(await said('?from=nowhere'), /class="notice bad"/);
  const page = await (await openContext(t, browser)).newPage();
  await page.context().addCookies(Object.entries(writer).map(([name, value]) => ({ name, value, url: base })));
  await page.goto(`${base}${path}`);
  await page.locator('section[aria-labelledby=why] summary').click();
  await page.locator('section[aria-labelledby=why] select').selectOption('ldap');
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Explain', exact: true }).click()]);
  t.regex((await page.locator('section[aria-labelledby=why]').textContent()) ?? '', /STS-AUTHN-0213/);
  await inspect(t, page, 'console-why', 'both widths');
});
