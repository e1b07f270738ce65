import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { launch } from './browser.ts';
import { mailedSettings } from './mailed.ts';

/** A running Atrium with a browser, for all tests of a file. */
export interface FlowHouse extends AsyncDisposable {
  readonly atrium: TestAtrium;
  readonly browser: Browser;
  /** Where browsers reach it, without TLS. */
  readonly base: string;
}

/** @param nowMs  the clock, which the file moves by hand */
export async function openHouse(nowMs: () => number, settings: Readonly<Record<string, string>> = {}): Promise<FlowHouse> {
  await using opened = new AsyncDisposableStack();
  const browser = opened.adopt(await launch(), (one) => one.close());
  const atrium = opened.use(await startTestAtrium({ clock: { nowMs }, settings }));
  const kept = opened.move();
  return { atrium, browser, base: atrium.addresses.http ?? '', [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The same with a mail server that keeps what it is given. */
export async function openMailedHouse(
  nowMs: () => number,
  settings: Readonly<Record<string, string>> = {},
): Promise<FlowHouse & { readonly smtp: TestSmtp }> {
  await using opened = new AsyncDisposableStack();
  const smtp = await startSmtp({ teardown: (end) => opened.defer(async () => void (await end())) });
  const house = opened.use(await openHouse(nowMs, { ...mailedSettings(smtp), ...settings }));
  const kept = opened.move();
  return { ...house, smtp, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
