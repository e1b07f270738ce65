import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findProgram } from '../support/programs.ts';

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
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = join(import.meta.dirname, '..', '..', '.test', 'screenshots');
const keepsScreenshots = (process.env['ATRIUM_SCREENSHOTS'] ?? '') !== '';

/** A browser; whoever launched it closes it. @throws Error where none is installed */
export async function launch(): Promise<Browser> {
  const executablePath = findProgram('chromium-headless-shell');
  if (executablePath === undefined) throw new Error('there is no Chromium');
  return await chromium.launch({ executablePath, args: flags });
}

export interface Look {
  readonly widthPx: 360 | 1280;
  readonly scheme: 'light' | 'dark';
}

/** Phone and desk, light and dark: all that is looked at. In the first by all of axe's rules. */
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

/** The rules of axe to which a width or a scheme of colours makes a difference; all others are about what the page says, which is the same in every look. */
const rulesOfLook = ['color-contrast', 'scrollable-region-focusable', 'target-size'];

/** On the phone and at the desk: what pages made of parts that others have are looked at in. */
const widths = looks.filter(({ scheme }) => scheme === 'light');

/**
 * Looks at a page as it stands, in every look: axe finds nothing, nothing has to be scrolled sideways, nothing is cut off, every target is large enough.
 * Pages made of parts that others have are looked at in both widths alone. With `ATRIUM_SCREENSHOTS` set, it keeps a screenshot of each under `.test/screenshots`.
 */
export async function inspect(
  t: ExecutionContext,
  page: Page,
  name: string,
  how: 'every look' | 'both widths' = 'every look',
): Promise<void> {
  const before = page.viewportSize();
  const chosen = how === 'every look' ? looks : widths;
  // A page whose style sheets have not come yet is as wide as it likes.
  await page.waitForLoadState('load');
  for (const [nth, { widthPx, scheme }] of chosen.entries()) {
    if (page.viewportSize()?.width !== widthPx) await page.setViewportSize({ width: widthPx, height: 800 });
    // Light is what it shows before and after.
    if (how === 'every look') await page.emulateMedia({ colorScheme: scheme });
    const at = `${name} at ${widthPx} px, ${scheme}`;
    t.true(
      await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
      `${at}: has to be scrolled sideways`,
    );
    t.deepEqual(await cutOff(page), [], `${at}: cut off`);
    t.deepEqual(await smallTargets(page), [], `${at}: targets under 44 px`);
    if (keepsScreenshots) await page.screenshot({ path: join(screenshots, `${name}-${widthPx}-${scheme}.png`), fullPage: true });
    if (how === 'every look') t.deepEqual(await violations(page, nth === 0 ? undefined : rulesOfLook), [], at);
  }
  if (how === 'both widths') {
    await leaveOneOfEachRow(page);
    for (const { widthPx, scheme } of widths.toReversed()) {
      if (page.viewportSize()?.width !== widthPx) await page.setViewportSize({ width: widthPx, height: 800 });
      t.deepEqual(await violations(page, widthPx === 360 ? undefined : rulesOfLook), [], `${name} at ${widthPx} px, ${scheme}`);
    }
  } else await page.emulateMedia({ colorScheme: 'light' });
  if (before !== null && before.width !== page.viewportSize()?.width) await page.setViewportSize(before);
}

/**
 * What of a page nobody sees whole, with all that is folded in unfolded: what reaches beyond the window or beyond a box that hides the rest, a table that has to be
 * scrolled, a hint or a choice that is longer than its field. Blocks of code scroll in a box of their own.
 */
function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const folded = [...document.querySelectorAll('details:not([open])')];
    for (const each of folded) each.open = true;
    const width = document.documentElement.clientWidth;
    const isUnseen = (element) => element.closest('.off, .skip, thead, option') !== null || !element.checkVisibility();
    const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
    const inScroller = (element) => element !== null && (scrolls(element) || inScroller(element.parentElement));
    const brush = document.createElement('canvas').getContext('2d');
    const why = (element) => {
      const { left, right } = element.getBoundingClientRect();
      if ((left < -0.5 || right > width + 0.5) && !inScroller(element.parentElement)) return 'reaches to ' + right;
      if (element.matches('.table') && element.scrollWidth > element.clientWidth + 1) return 'is scrolled to ' + element.scrollWidth;
      const style = getComputedStyle(element);
      if (['hidden', 'clip'].includes(style.overflowX) && !element.matches('input, select') && element.scrollWidth > element.clientWidth + 1) return 'hides';
      brush.font = style.font;
      const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const long = element.matches('select') && [...element.options].find(({ text }) => brush.measureText(text).width > room);
      if (long) return 'has a choice for which there is no room: ' + long.text;
      if (!element.placeholder || element.value !== '') return undefined;
      return brush.measureText(element.placeholder).width > room ? 'has a hint for which there is no room: ' + element.placeholder : undefined;
    };
    const found = [...document.body.querySelectorAll('*')].filter((each) => !isUnseen(each)).flatMap((each) => {
      const words = why(each);
      return words === undefined ? [] : [each.outerHTML.slice(0, 200) + ' ' + words];
    });
    for (const each of folded) each.open = false;
    return found;
  })()`);
}

/**
 * Takes away rows of tables, and items of lists, that are made as one before: axe finds in a thousand of them what it finds in one, and takes a thousand times
 * as long. What they could have wrong together, an id twice, is looked for before.
 */
async function leaveOneOfEachRow(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    const twice = ids.find((id, nth) => ids.indexOf(id) !== nth);
    if (twice !== undefined) throw new Error('two elements have the id ' + twice);
    const madeOf = (element) => element.outerHTML.replace(/>[^<]+</g, '><').replace(/ (href|title|datetime|id|for|value|aria-label|data-label)="[^"]*"/g, ' $1');
    for (const list of document.querySelectorAll('tbody, ul, ol, dl')) {
      const seen = new Set();
      for (const row of [...list.children]) {
        const made = madeOf(row);
        if (seen.has(made)) row.remove();
        seen.add(made);
      }
    }
  })()`);
}

/** What axe objects to by some of its rules, or by all, one line each. The debugger puts it in, past the policy that forbids scripts to pages. */
async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  const asked = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const found = await page.evaluate(`axe.run(${JSON.stringify(asked)})`);
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
