import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** What keeps Chromium from wanting a sandbox, a graphics card or the network. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const chromiumPath = '/usr/bin/chromium';
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = join(import.meta.dirname, '..', '..', '.test', 'screenshots');

/** A browser; whoever launched it closes it. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: flags });
}

export interface Look {
  readonly widthPx: 360 | 1280;
  readonly scheme: 'light' | 'dark';
}

/** Phone and desk, light and dark: all that is looked at. */
const looks: readonly Look[] = [
  { widthPx: 360, scheme: 'light' },
  { widthPx: 360, scheme: 'dark' },
  { widthPx: 1280, scheme: 'light' },
  { widthPx: 1280, scheme: 'dark' },
];

/** A context of its own, so that no cookie of another test is there; it ends with the test. */
export async function openContext(
  t: ExecutionContext,
  browser: Browser,
  more: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...more });
  t.teardown(() => context.close());
  return context;
}

/**
 * Looks at a page as it stands, in every look: axe finds nothing, nothing has to be scrolled sideways, every target is large enough.
 * Keeps a screenshot of each under `.test/screenshots`.
 */
export async function inspect(t: ExecutionContext, page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  const before = page.viewportSize();
  for (const { widthPx, scheme } of looks) {
    await page.setViewportSize({ width: widthPx, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    const at = `${name} at ${widthPx} px, ${scheme}`;
    t.deepEqual(await violations(page), [], at);
    t.true(
      await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
      `${at}: has to be scrolled sideways`,
    );
    t.deepEqual(await smallTargets(page), [], `${at}: targets under 44 px`);
    await page.screenshot({ path: join(screenshots, `${name}-${widthPx}-${scheme}.png`), fullPage: true });
  }
  if (before !== null) await page.setViewportSize(before);
}

/** What axe objects to, one line each. The debugger puts it in, past the policy that forbids scripts to pages. */
async function violations(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(`${axeSource}; axe.run()`);
  const { violations: all } = found as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  };
  return all.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

function smallTargets(page: Page): Promise<readonly string[]> {
  // The label of a box is its target. Links within a sentence and what is off the screen until it has the focus are exempt (WCAG 2.2 §2.5.8).
  return page.evaluate(`[...document.querySelectorAll('button, input:not([type=hidden]), .ways a, a[role=button], summary')]
    .filter((each) => (each.type === 'checkbox' ? each.labels[0] : each).getBoundingClientRect().height < 43.5)
    .map((each) => each.outerHTML + ' ' + each.getBoundingClientRect().height)`);
}

/** Types name and password on the sign-in screen and presses Enter, and waits for where that leads. */
export async function typeIn(page: Page, username: string, password: string): Promise<void> {
  await page.fill('#username', username);
  await page.fill('#password', password);
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')]);
}
