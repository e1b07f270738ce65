import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { addPerson } from './people.ts';
import { openScreen, submit } from './raw.ts';

test('more sign-ins than the service can hash are told so: the name stays, the request waits, and nobody is called wrong', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_KEYS_HASH_QUEUE_MAX: '1', STS_SECURITY_PASSWORD_HASH_R: '8' } });
  const base = atrium.addresses.http ?? '';
  const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const screens = await Promise.all(Array.from({ length: 40 }, () => openScreen(base)));
  const answers = await Promise.all(screens.map((screen) => submit(base, screen, ada.uid, ada.password)));
  const at = answers.findIndex(({ status }) => status === 503);
  const [busy, screen] = [answers[at], screens[at]];
  if (busy === undefined || screen === undefined) return t.fail('nobody was told to wait');
  t.regex(busy.body, /was not looked at/);
  t.regex(busy.body, /value="ada"/);
  t.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [303, 503]);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-AUTHN-9301'));
  t.is((await submit(base, screen, ada.uid, ada.password)).status, 303);
});
