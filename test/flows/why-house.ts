import type { ExecutionContext } from 'ava';
import { Attribute, Change } from 'ldapts';
import { connectOperators, type OperatorsClient } from '#client';
import { back } from '../oauth/house.ts';
import { createApp } from '../support/app.ts';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';
import { type Authenticator, makeAuthenticator } from '../support/soft-key.ts';
import { codeOf, isIn, mailedSettings, setAttribute } from './mailed.ts';
import { addPerson, asAdministrator, type TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, type RawAnswer } from './raw.ts';
import { enrolAtPortal, keyPage, namedBase, passwordSession } from './soft-ceremony.ts';

/** A real Atrium with people of every kind, and what explains their sign-ins. */
export interface House {
  readonly atrium: TestAtrium;
  readonly base: string;
  readonly smtp: TestSmtp;
  readonly operators: OperatorsClient;
  readonly people: ReadonlyMap<string, TestPerson>;
  readonly keys: ReadonlyMap<string, Authenticator>;
}

/** With what somebody begins. */
export type By = 'password' | 'key' | 'mail';

/** What became of it: in; what is asked for next, by its page; the code under which it is refused; or that the page has no such way. */
export type Became = string;

export const noSuchWay = 'no such way';

export const home = '127.0.0.1';
export const elsewhere = '127.9.9.9';

const primaries = ['primary', 'both', 'adminkey', 'required', 'disabled', 'late', 'nopassword'];
export const uids = ['plain', 'app', 'mfa', ...primaries, 'mailed', 'unmailed', 'officer', 'adminapp', 'reset', 'absent'];

/** @param settings  beside those by which it mails */
export async function openHouse(t: ExecutionContext, settings: Readonly<Record<string, string>> = {}): Promise<House> {
  const smtp = await startSmtp(t);
  const atrium = await startTestAtrium({ settings: { ...mailedSettings(smtp), STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap', ...settings } });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const socketPath = decodeURIComponent((atrium.addresses.operators ?? '').replace('ldapi://', ''));
  const operators = await connectOperators({ socketPath });
  t.teardown(() => operators[Symbol.asyncDispose]());
  const base = namedBase(atrium);
  const people = new Map<string, TestPerson>();
  const keys = new Map<string, Authenticator>();
  for (const uid of uids) {
    const person = await addPerson(atrium, uid, `Person ${uid}`);
    people.set(uid, person);
    const roles = [...(primaries.includes(uid) ? ['primary' as const] : []), ...(['mfa', 'both'].includes(uid) ? ['mfa' as const] : [])];
    const session = roles.length === 0 ? '' : await passwordSession(base, person);
    for (const role of roles) {
      const key = makeAuthenticator('ES256');
      if (role === 'primary') keys.set(uid, key);
      const made = await enrolAtPortal(base, session, key, role);
      if (made.status !== 303) throw new Error(`no key: ${uid} ${made.status}`);
    }
  }
  const dn = (uid: string) => people.get(uid)?.dn ?? '';
  const set = (uid: string, type: string, ...values: readonly string[]) => setAttribute(atrium, dn(uid), type, values);
  for (const uid of ['app', 'adminapp']) await set(uid, 'stsTotpCredential', createApp().credential);
  await set('mailed', 'stsVerifiedMail', 'mailed@example.com');
  await set('mailed', 'stsEmailFactor', 'TRUE');
  await set('required', 'stsMfaRequired', 'TRUE');
  await set('reset', 'pwdReset', 'TRUE');
  await set('disabled', 'pwdAccountLockedTime', '000001010000Z');
  await set('late', 'stsValidUntil', '20200101000000Z');
  for (const uid of ['nopassword', 'absent']) await set(uid, 'userPassword');
  const member = new Attribute({ type: 'member', values: ['officer', 'adminapp', 'adminkey'].map(dn) });
  await asAdministrator(atrium, (client) =>
    client.modify(`cn=Admin Read,ou=groups,${atrium.suffix}`, new Change({ operation: 'add', modification: member })),
  );
  return { atrium, base, smtp, operators, people, keys };
}

export function personOf({ people }: House, uid: string): TestPerson {
  const person = people.get(uid);
  if (person === undefined) throw new Error(`nobody is ${uid}`);
  return person;
}

/** A browser, and under which code it was refused last. */
function openBrowser({ atrium, base }: House, from: string) {
  const since = atrium.audit.length;
  const cookies: Record<string, string> = {};
  return {
    cookies,
    go: async (target: string, form?: Readonly<Record<string, string>>): Promise<RawAnswer> => {
      const answer = await ask(base, target, { cookies, from, ...(form === undefined ? {} : { method: 'POST', form }) });
      for (const name of ['sts_signin', 'sts_session']) {
        const value = cookieOf(answer, name);
        if (value !== undefined) cookies[name] = value;
      }
      return answer;
    },
    refusal: (): Became => {
      const codes = atrium.audit.slice(since).flatMap(({ errorCode }) => errorCode ?? []);
      // The screen's own row says that the directory refused a password; which rule did, that one's says.
      return codes.findLast((code) => code !== 'STS-AUTHN-9300' && !code.startsWith('STS-RISK')) ?? 'no refusal';
    },
  };
}

export interface Where {
  readonly application?: string;
  readonly from?: string;
}

/** Signs in as a browser does, as far as one gets with what one begins with. */
export async function signIn(house: House, uid: string, by: By, { application, from = home }: Where = {}): Promise<Became> {
  const { base, keys, smtp } = house;
  const { go, refusal, cookies } = openBrowser(house, from);
  const came = async (answer: RawAnswer): Promise<Became> => {
    if (!isIn(answer)) {
      const asked = answer.status === 303 && /^\/authn\/([a-z-]+)/.exec(answer.location)?.[1];
      return asked && asked !== 'login' ? `asks ${asked}` : refusal();
    }
    if (application === undefined) return 'in';
    const { location } = await go(answer.location);
    return location.startsWith(back) && location.includes('code=') ? 'in' : refusal();
  };
  const led = await go(application === undefined ? '/portal' : authorizePath(application));
  if (!led.location.startsWith('/authn/')) return refusal();
  const page = await go(led.location);
  if (page.status !== 200 && page.status !== 303) return refusal();
  // Who has a key can say so also where the page has no box for it.
  const offers = { password: /name="password"/, key: keys.has(uid) ? /./ : /name="pass(?:wordless|key)"/, mail: /email-code/ };
  if (page.status === 200 ? !offers[by].test(page.body) : by !== 'mail') return noSuchWay;
  if (by === 'mail') {
    const path = led.location.replace('/authn/login', '/authn/email-code');
    const sent = await go(path, { csrf: hiddenOf(await go(path), 'csrf'), username: uid });
    if (sent.status !== 303 || refusal() !== 'no refusal') return refusal();
    const csrf = hiddenOf(await go(path), 'csrf');
    return await came(await go(path, { csrf, code: codeOf(await smtp.next()) }));
  }
  const given = by === 'key' ? { passwordless: 'on' } : { password: personOf(house, uid).password };
  const answer = await go(led.location, { csrf: hiddenOf(page, 'csrf'), username: uid, ...given });
  const key = by === 'key' && answer.location.startsWith('/authn/webauthn') ? keys.get(uid) : undefined;
  if (key === undefined) return await came(answer);
  const ceremony = await keyPage(base, answer.location, cookies);
  return await came(await go(ceremony.action, { csrf: ceremony.csrf, answer: key.get(ceremony.asked) }));
}

function authorizePath(application: string): string {
  const proof = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256', state: 's' };
  const query = { client_id: application, response_type: 'code', redirect_uri: back, scope: 'openid', ...proof };
  return `/oauth2/authorize?${new URLSearchParams(query)}`;
}
