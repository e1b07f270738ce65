import test from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { startSmtp } from '../support/smtp.ts';
import { mailedSettings } from './mailed.ts';
import { addPerson } from './people.ts';
import { ask, cookieOf, openScreen, submit } from './raw.ts';

test('a service that listens on every address, and has not been told how it is reached, mails no link to localhost, and takes no password away for one', async (t) => {
  const smtp = await startSmtp(t);
  const settings = { ...mailedSettings(smtp), STS_HTTP_HOST: '' };
  await using atrium = await startTestAtrium({ settings });
  const base = atrium.addresses.http ?? '';
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const run = (...args: string[]) => runCli(args, { ...testEnvironment(atrium.dataDir), ...settings });
  const mailed = await run('person', 'reset-password', 'ada', '--mail');
  t.not(mailed.status, 0);
  t.regex(mailed.stderr, /global\.publicBaseUrl/);
  t.not(cookieOf(await submit(base, await openScreen(base), ada.uid, ada.password), 'sts_session'), undefined);
  t.is((await ask(base, '/portal/forgot-password')).status, 404);
  t.is(smtp.received.length, 0);
  // Whoever is shown a link at the terminal of this machine can open it there.
  t.regex((await run('person', 'reset-password', 'ada')).stdout, /http:\/\/localhost:\d+\/portal\/reset-password/);
});
