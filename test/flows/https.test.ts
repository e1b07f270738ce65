import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { launch, openContext } from './browser.ts';
import { addPerson } from './people.ts';

test('https: the certificate is trusted by its own authority alone, and the session’s cookie is Secure', async (t) => {
  await using atrium = await startTestAtrium();
  const base = atrium.addresses.https ?? '';
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');

  const ca = readFileSync(join(atrium.dataDir, 'tls', 'ca.pem'), 'utf8');
  const status = await new Promise((resolve, reject) => {
    request(`${base}/portal/signed-out`, { ca }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
  t.is(status, 200);

  const browser = await launch();
  t.teardown(() => browser.close());
  const context = await openContext(t, browser, { ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(base);
  await page.fill('#username', ada.uid);
  await page.fill('#password', ada.password);
  await Promise.all([page.waitForNavigation(), page.press('#password', 'Enter')]);
  t.is(page.url(), `${base}/portal`);
  t.like(
    (await context.cookies()).find(({ name }) => name === 'sts_session'),
    { secure: true, httpOnly: true, sameSite: 'Lax' },
  );
});
