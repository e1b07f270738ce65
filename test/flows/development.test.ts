import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { inspect, launch, openContext } from './browser.ts';

test('development mode: the typed name becomes the identity with any password but invalid, and every page says so', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_GLOBAL_MODE: 'development', STS_HTTP_HOST: '' } });
  const base = atrium.addresses.http ?? '';
  const browser = await launch();
  t.teardown(() => browser.close());
  const context = await openContext(t, browser);
  const page = await context.newPage();
  const band = async () => (await page.textContent('.band')) ?? '';

  await page.goto(base);
  t.regex(await band(), /passwords are not checked/);
  await inspect(t, page, 'development-signin');
  await page.fill('#username', 'grace.hopper');
  await page.fill('#password', 'invalid');
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')]);
  t.regex((await page.textContent('[role=alert]')) ?? '', /Authentication failed/);
  t.regex(await band(), /passwords are not checked/);

  await page.fill('#password', 'anything');
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')]);
  t.is(page.url(), `${base}/portal`);
  t.regex((await page.textContent('main')) ?? '', /uid=grace\.hopper,ou=people/);
  t.regex(await band(), /passwords are not checked/);
  await inspect(t, page, 'development-portal');

  await page.goto(`${base}/portal/password`);
  t.regex((await page.textContent('main')) ?? '', /passwords are not checked/);
  t.is(await page.locator('#old').count(), 0, 'what is not checked is not asked for');
  await page.fill('#password', 'x');
  await page.fill('#again', 'x');
  await Promise.all([page.waitForNavigation(), page.press('#again', 'Enter')]);
  t.is((await page.locator('.notice.good').textContent())?.trim(), 'Your password was changed.', 'no policy holds');
});
