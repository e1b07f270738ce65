import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import type { Browser } from 'playwright-core';
import { launch, openContext, typeIn } from '../flows/browser.ts';
import { addApplication, configure, exchange, type OauthHouse, openHouse, request } from './house.ts';

let house: OauthHouse;
let browser: Browser;
/** An application at an origin of its own: what it was called with. */
let application: Server;
const called: { readonly method: string; readonly search: string; readonly form: string }[] = [];
let there: string;

test.before(async () => {
  application = createServer((asked, answer) => {
    let form = '';
    asked.setEncoding('utf8').on('data', (chunk: string) => {
      form += chunk;
    });
    asked.on('end', () => {
      const { pathname, search } = new URL(asked.url ?? '', 'http://127.0.0.1');
      if (pathname === '/back') called.push({ method: asked.method ?? '', search, form });
      answer.setHeader('Content-Type', 'text/html');
      answer.end('<!doctype html><title>App</title><h1>Welcome</h1>');
    });
  });
  application.listen(0, '127.0.0.1');
  await once(application, 'listening');
  there = `http://127.0.0.1:${(application.address() as AddressInfo).port}/back`;
  house = await openHouse();
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  application?.close();
  await house?.atrium[Symbol.asyncDispose]();
});

for (const mode of ['query', 'form_post'] as const) {
  test.serial(`a browser is led from the sign-in back to an application at another origin, by ${mode}`, async (t) => {
    const app = await addApplication(house, `app-${mode}`, { stsRedirectUri: there });
    const config = await configure(house.base, app);
    const context = await openContext(t, browser);
    const page = await context.newPage();
    const flow = request(config, { redirect_uri: there, response_mode: mode });
    await page.goto(flow.url.href);
    await typeIn(page, house.ada.uid, house.ada.password);
    await page.waitForSelector('text=Welcome', { timeout: 10_000 });
    const last = called.at(-1);
    t.is(last?.method, mode === 'query' ? 'GET' : 'POST');
    const url = new URL(there);
    url.search = mode === 'query' ? (last?.search ?? '') : `?${last?.form ?? ''}`;
    t.truthy((await exchange(config, flow, url.href)).id_token);
    t.false((await context.cookies()).some(({ name }) => name === 'sts_interaction' || name === 'sts_resume'));
  });
}
