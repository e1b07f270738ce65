import test from 'ava';
import { codeOf, mailedSettings, setAttribute, setPolicy } from '../flows/mailed.ts';
import { addPerson, type TestPerson } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { addApplication, back, configure, exchange, go, type Jar, type OauthHouse, openHouse, request } from './house.ts';

let house: OauthHouse;
let smtp: TestSmtp;
const ends: (() => unknown)[] = [];

test.before(async () => {
  smtp = await startSmtp({ teardown: (end) => ends.unshift(end) });
  house = await openHouse(mailedSettings(smtp));
  await setPolicy(house.atrium, { stsSecondFactor: ['security-key', 'authenticator-app', 'recovery-code', 'email-code'] });
});

test.after.always(async () => {
  await house?.atrium[Symbol.asyncDispose]();
  for (const end of ends) await end();
});

/** The screen's answer to the password of somebody, who then stands before the next step. */
async function withPassword(url: string, { uid, password }: TestPerson, jar: Jar) {
  const led = await go(house.base, url, jar);
  const page = await go(house.base, led.location, jar);
  return go(house.base, led.location, jar, { csrf: hiddenOf(page, 'csrf'), username: uid, password });
}

test.serial(
  'stsRefuseEmailFactor: a session that stands on a mailed code is no session for it, and at its sign-in no code is mailed',
  async (t) => {
    const { base, atrium } = house;
    const eve = await addPerson(atrium, 'eve', 'Eve Reader');
    await setAttribute(atrium, eve.dn, 'stsVerifiedMail', ['eve@example.com']);
    await setAttribute(atrium, eve.dn, 'stsEmailFactor', ['TRUE']);
    const lax = await configure(base, await addApplication(house, 'lax', { stsRequiredAcr: 'mfa' }));
    const strict = await configure(base, await addApplication(house, 'strict', { stsRefuseEmailFactor: 'TRUE' }));

    const jar: Jar = {};
    const flow = request(lax);
    const step = await withPassword(flow.url.href, eve, jar);
    t.regex(step.location, /^\/authn\/email-code\?/);
    await go(base, step.location, jar, { csrf: hiddenOf(await go(base, step.location, jar), 'csrf') });
    const asked = await go(base, step.location, jar);
    const proved = await go(base, step.location, jar, { csrf: hiddenOf(asked, 'csrf'), code: codeOf(await smtp.next()) });
    const answer = await go(base, proved.location, jar);
    t.is((await exchange(lax, flow, answer.location)).claims()?.['acr'], 'mfa', 'of another application it is good');

    t.regex((await go(base, request(strict).url.href, jar)).location, /^\/authn\/login\?/, 'it is asked for anew');
    const silent = await go(base, request(strict, { prompt: 'none' }).url.href, jar);
    t.is(new URL(silent.location).searchParams.get('error'), 'login_required');
    const mails = smtp.received.length;
    const refused = await withPassword(request(strict).url.href, eve, jar);
    t.is(refused.status, 403);
    t.is(house.codesSince(0).at(-1), 'STS-AUTHN-9332');
    t.is(smtp.received.length, mails);

    await setAttribute(atrium, `cn=strict,ou=applications,${atrium.suffix}`, 'stsRefuseEmailFactor', []);
    t.true((await go(base, request(strict).url.href, jar)).location.startsWith(back), 'without the line the same session is enough');
  },
);
