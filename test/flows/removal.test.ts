import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Browser } from 'playwright-core';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { openClock } from '../support/clock.ts';
import { inspect, launch, openContext } from './browser.ts';
import { addPerson, type TestPerson } from './people.ts';
import { ask, cookieOf, openScreen, submit } from './raw.ts';
import { addPersonTo, addRealm, replaceValues, type TestRealm } from './realms.ts';

let atrium: TestAtrium;
let browser: Browser;
let base: string;
let acme: TestRealm;
const clock = openClock();

/** Resolves with the first audit row that fits, be it there already or still to come. */
async function recorded(fits: (row: TestAtrium['audit'][number]) => boolean, { audit } = atrium): Promise<TestAtrium['audit'][number]> {
  for (;;) {
    const row = audit.find(fits);
    if (row !== undefined) return row;
    await new Promise(setImmediate);
  }
}

test.before(async () => {
  atrium = await startTestAtrium({ clock, timers: clock.timers });
  base = atrium.addresses.http ?? '';
  acme = await addRealm(atrium, 'acme', { displayName: 'Acme Ltd' });
  browser = await launch();
});

test.after.always(async () => {
  await browser?.close();
  await atrium?.[Symbol.asyncDispose]();
});

async function signIn(base: string, prefix: string, { uid, password }: TestPerson): Promise<string> {
  return cookieOf(await submit(base, await openScreen(base, `${prefix}/portal`), uid, password), 'sts_session') ?? '';
}

test.serial('STS-CORE-0121: a realm that is being removed refuses sign-ins, its sessions end, and no other realm notices', async (t) => {
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const hers = await addPersonTo(atrium, acme, 'ada', 'Ada of Acme', 'Second-engine-1843');
  const [here, there] = [await signIn(base, '', ada), await signIn(base, '/realm/acme', hers)];
  const screen = await openScreen(base, '/realm/acme/portal');
  t.is((await ask(base, '/realm/acme/portal', { cookies: { sts_session: there } })).status, 200);

  await replaceValues(atrium, acme.dn, 'stsRealmState', ['removing']);
  const from = atrium.audit.length;
  for (const answer of [
    await ask(base, '/realm/acme/portal', { cookies: { sts_session: there } }),
    await ask(base, screen.target),
    await submit(base, screen, hers.uid, hers.password),
  ]) {
    t.is(answer.status, 503);
    t.deepEqual(answer.setCookies, []);
    t.true(answer.body.includes('This realm is being removed'));
  }
  t.deepEqual([...new Set(atrium.audit.slice(from).flatMap(({ errorCode }) => errorCode ?? []))], ['STS-CORE-0121']);
  const page = await (await openContext(t, browser)).newPage();
  await page.goto(`${base}/realm/acme`);
  await inspect(t, page, 'realm-removed');

  clock.passS(2);
  const delivered = await recorded(({ action }) => action === 'realm.deliver');
  t.like(delivered, { realm: 'acme', outcome: 'success' });
  t.is(atrium.audit.filter(({ realm, summary }) => realm === 'acme' && summary === 'session ended: its realm is being removed').length, 1);
  t.is((await ask(base, '/portal', { cookies: { sts_session: here } })).status, 200);

  // The directory deletes, and then there is no such realm.
  clock.passS(2);
  await recorded(({ realm, summary }) => realm === 'acme' && summary.startsWith('the realm is gone'));
  t.is((await ask(base, '/realm/acme/portal', { cookies: { sts_session: there } })).status, 404);

  // One that is made under the same id begins with nothing of the old one: no session, and no request that waits.
  await addRealm(atrium, 'acme');
  t.is((await ask(base, '/realm/acme/portal', { cookies: { sts_session: there } })).status, 303);
  t.is((await ask(base, screen.target)).status, 400);
});

test.serial('a removal that was interrupted goes on at the next start', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-removal-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const options = { dataDir, timers: clock.timers, clock };
  const before = await startTestAtrium(options);
  const beta = await addRealm(before, 'beta');
  const ada = await addPersonTo(before, beta, 'ada', 'Ada of Beta', 'Third-engine-1843');
  t.not(await signIn(before.addresses.http ?? '', '/realm/beta', ada), '');
  await replaceValues(before, beta.dn, 'stsRealmState', ['removing']);
  await before.stop();

  await using after = await startTestAtrium(options);
  const there = `${after.addresses.http}/realm/beta/portal`;
  t.is((await fetch(there)).status, 503);
  clock.passS(2);
  await recorded(({ action }) => action === 'realm.deliver', after);
  t.is(after.audit.filter(({ realm, action }) => realm === 'beta' && action === 'session.end').length, 1);
  clock.passS(2);
  await recorded(({ summary }) => summary.startsWith('the realm is gone'), after);
  t.is((await fetch(there)).status, 404);
});
