import test from 'ava';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { makeAuthenticator } from '../support/soft-key.ts';
import { codeOf, isIn, mailedSettings, setAttribute, setPolicy } from './mailed.ts';
import { addPerson } from './people.ts';
import { ask, hiddenOf, openScreen, type RawAnswer } from './raw.ts';
import { answerWith, enrolAtPortal, namedBase, passwordSession, toKeyStep } from './soft-ceremony.ts';

let atrium: TestAtrium;
let smtp: TestSmtp;
let base: string;
const rounds = 6;

const ends: (() => unknown)[] = [];

test.before(async () => {
  smtp = await startSmtp({ teardown: (end) => void ends.push(end) });
  atrium = await startTestAtrium({ settings: mailedSettings(smtp) });
  base = namedBase(atrium);
  await setPolicy(atrium, {
    stsSecondFactor: ['security-key', 'authenticator-app', 'email-code'],
    stsEmailCodeAttempts: ['2'],
  });
});

test.after.always(async () => {
  await atrium?.[Symbol.asyncDispose]();
  for (const end of ends.reverse()) await end();
});

test.serial(
  'two posts of one step at once: whoever has shown their key is in, whatever else the same browser sends meanwhile',
  async (t) => {
    const ada = await addPerson(atrium, 'ada', 'Ada Lovelace');
    const key = makeAuthenticator('ES256');
    t.is((await enrolAtPortal(base, await passwordSession(base, ada), key)).status, 303);
    for (let round = 0; round < rounds; round++) {
      const step = await toKeyStep(base, ada);
      const again = () => ask(base, step.action, { cookies: step.cookies });
      // Each page that is drawn, and each answer that is not taken, begins the step anew.
      const [right] = await Promise.all([
        answerWith(base, step, key.get(step.asked)),
        again(),
        answerWith(base, step, '{}'),
        again(),
        again(),
      ]);
      t.true(isIn(right), `round ${round}: ${right.status} ${right.location}`);
    }
  },
);

test.serial('two posts of one step at once: a wrong code that ends the step takes nothing away from the right one', async (t) => {
  const mia = await addPerson(atrium, 'mia', 'Mia Mailed');
  await setAttribute(atrium, mia.dn, 'stsVerifiedMail', ['mia@example.com']);
  await setAttribute(atrium, mia.dn, 'stsEmailFactor', ['TRUE']);
  for (let round = 0; round < rounds; round++) {
    const screen = await openScreen(base);
    const cookies = { sts_signin: screen.browser };
    const form = { csrf: screen.csrf, username: mia.uid, password: mia.password };
    const { location } = await ask(base, screen.target, { method: 'POST', cookies, form });
    const csrf = hiddenOf(await ask(base, location, { cookies }), 'csrf');
    const post = (fields: Readonly<Record<string, string>>): Promise<RawAnswer> =>
      ask(base, location, { method: 'POST', cookies, form: { csrf, ...fields } });
    await post({});
    const code = codeOf(await smtp.next());
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const [right] = await Promise.all([post({ code }), post({ code: wrong })]);
    t.true(isIn(right), `round ${round}: ${right.status} ${right.location}`);
  }
});

test.serial('two posts of one step at once: a password that is sent twice leads on twice, and to the same step', async (t) => {
  const bob = await addPerson(atrium, 'bob', 'Bob Twice');
  await setAttribute(atrium, bob.dn, 'stsTotpCredential', [createApp().credential]);
  for (let round = 0; round < rounds; round++) {
    const { target, csrf, browser } = await openScreen(base);
    const form = { csrf, username: bob.uid, password: bob.password };
    const send = () => ask(base, target, { method: 'POST', cookies: { sts_signin: browser }, form });
    const answers = await Promise.all([send(), send(), send()]);
    for (const { location } of answers) t.regex(location, /^\/authn\/totp\?/);
    // Another browser is led nowhere by it.
    const other = await ask(base, target, { method: 'POST', form });
    t.notRegex(other.location, /totp/);
  }
});
