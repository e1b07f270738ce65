import test from 'ava';
import { Attribute, Change } from 'ldapts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { startSmtp } from '../support/smtp.ts';
import { isIn, mailedSettings, setAttribute, setPolicy } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, openScreen } from './raw.ts';

const [home, elsewhere] = ['127.0.0.1', '127.0.9.9'];

/** Types a password, coming from an address. */
async function signInFrom(atrium: TestAtrium, person: TestPerson, from: string) {
  const base = atrium.addresses.http ?? '';
  const screen = await openScreen(base);
  const cookies = { sts_signin: screen.browser };
  const form = { csrf: screen.csrf, username: person.uid, password: person.password };
  const answer = await ask(base, screen.target, { method: 'POST', cookies, form, from });
  const ignore = async () => {
    const page = await ask(base, answer.location, { cookies, from });
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
    return ask(base, answer.location, { method: 'POST', cookies, form: { csrf, choice: 'ignore' }, from });
  };
  return { answer, ignore };
}

const since = (atrium: TestAtrium, from: number) =>
  atrium.audit
    .slice(from)
    .filter(({ action }) => action.startsWith('authn.mfa.enrolment'))
    .map(({ action, errorCode = '' }) => `${action} ${errorCode}`.trim());

test('authn.riskOfNewNetwork=elevated: administrators are offered a second factor where they have not signed in from before, told under STS-RISK-0039', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_AUTHN_RISK_OF_NEW_NETWORK: 'elevated' } });
  await setPolicy(atrium, { stsRequireSecondFactorForAdministrators: ['if-held'] });
  const [ada, bob] = [await addPerson(atrium, 'ada', 'Ada Lovelace'), await addPerson(atrium, 'bob', 'Bob Plain')];
  await asAdministrator(atrium, (client) =>
    client.modify(
      `cn=Admin Read,ou=groups,${atrium.suffix}`,
      new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [ada.dn] }) }),
    ),
  );
  const from = atrium.audit.length;
  // Everybody begins somewhere.
  for (const person of [ada, bob]) t.true(isIn((await signInFrom(atrium, person, home)).answer));
  t.true(isIn((await signInFrom(atrium, bob, elsewhere)).answer), 'somebody who administers nothing is not asked for more');
  t.deepEqual(since(atrium, from), []);

  const { answer, ignore } = await signInFrom(atrium, ada, elsewhere);
  t.regex(answer.location, /^\/authn\/mfa-setup/);
  t.deepEqual(since(atrium, from), ['authn.mfa.enrolment.offered', 'authn.mfa.enrolment.at-risk STS-RISK-0039']);
  t.true(isIn(await ignore()));
  t.deepEqual(since(atrium, from).at(-1), 'authn.mfa.enrolment.declined');
  // Known by now: the same network, whichever address of it.
  t.true(isIn((await signInFrom(atrium, ada, '127.0.9.77')).answer));
  t.true(isIn((await signInFrom(atrium, ada, home)).answer));
});

test('authn.riskOfNewNetwork=step-up: a second factor is required where somebody has not signed in from before, and a mailed one never answers it', async (t) => {
  const smtp = await startSmtp(t);
  await using atrium = await startTestAtrium({ settings: { ...mailedSettings(smtp), STS_AUTHN_RISK_OF_NEW_NETWORK: 'step-up' } });
  await setPolicy(atrium, { stsSecondFactor: ['security-key', 'authenticator-app', 'email-code'] });
  const [bob, mia] = [await addPerson(atrium, 'bob', 'Bob Plain'), await addPerson(atrium, 'mia', 'Mia Mailed')];
  for (const person of [bob, mia]) t.true(isIn((await signInFrom(atrium, person, home)).answer));
  await setAttribute(atrium, mia.dn, 'stsVerifiedMail', ['mia@example.com']);
  await setAttribute(atrium, mia.dn, 'stsEmailFactor', ['TRUE']);
  t.regex((await signInFrom(atrium, mia, home)).answer.location, /^\/authn\/email-code/);

  const from = atrium.audit.length;
  const refused = (await signInFrom(atrium, mia, elsewhere)).answer;
  t.is(refused.status, 403);
  t.true(atrium.audit.slice(from).some(({ errorCode }) => errorCode === 'STS-AUTHN-9332'));
  const required = await signInFrom(atrium, bob, elsewhere);
  t.regex(required.answer.location, /^\/authn\/mfa-setup/);
  t.deepEqual(since(atrium, from), ['authn.mfa.enrolment.at-risk STS-RISK-0039']);
  t.is((await required.ignore()).status, 403);
  t.true(isIn((await signInFrom(atrium, bob, home)).answer));
});
