import { beginRaw, codeOf, setAttribute, setPolicy } from '../flows/mailed.ts';
import { addPerson, type TestPerson } from '../flows/people.ts';
import { ask, hiddenOf } from '../flows/raw.ts';
import { enrolAtPortal, keyPage, passwordSession } from '../flows/soft-ceremony.ts';
import { createApp } from '../support/app.ts';
import type { TestSmtp } from '../support/smtp.ts';
import { makeAuthenticator } from '../support/soft-key.ts';
import type { Post } from './gate.ts';
import type { TwoWebs } from './house.ts';

/** What two sign-ins race for. */
export interface Kind {
  readonly name: string;
  /** Brings both as far as the form that shows it, one at each process, with the same secret typed into both. */
  prepare(round: number): Promise<readonly [Post, Post]>;
}

export interface KindsOptions {
  readonly house: TwoWebs;
  readonly smtp: TestSmtp;
  /** A number below the one given. */
  readonly draw: (below: number) => number;
}

const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Makes the people of the races, and what each holds. */
export async function makeKinds(options: KindsOptions): Promise<readonly Kind[]> {
  const { house } = options;
  await setPolicy(house, {
    stsFirstFactor: ['password'],
    stsSecondFactor: ['security-key', 'authenticator-app', 'recovery-code', 'email-code'],
  });
  return [await apps(options), await recoveryCodes(options), await keys(options), await mails(options)];
}

async function apps({ house }: KindsOptions): Promise<Kind> {
  const person = await addPerson(house, 'app', 'App Holder');
  return {
    name: 'authenticator-app step',
    prepare: async () => {
      const app = createApp();
      await setAttribute(house, person.dn, 'stsTotpCredential', [app.credential]);
      const [a, b] = await atBoth(house, person);
      const code = app.code(Date.now());
      return [typed(a, code), typed(b, code)];
    },
  };
}

async function recoveryCodes({ house, draw }: KindsOptions): Promise<Kind> {
  const person = await addPerson(house, 'codes', 'Code Holder');
  await setAttribute(house, person.dn, 'stsTotpCredential', [createApp().credential]);
  const drawn = () => Array.from({ length: 10 }, () => letters[draw(letters.length)]).join('');
  return {
    name: 'recovery code',
    prepare: async () => {
      const code = drawn();
      await setAttribute(house, person.dn, 'stsRecoveryCode', [drawn(), code, drawn()]);
      const [a, b] = await atBoth(house, person, '/authn/backup-code');
      return [typed(a, code), typed(b, `${code.slice(0, 5)}-${code.slice(5).toLowerCase()}`)];
    },
  };
}

async function keys({ house }: KindsOptions): Promise<Kind> {
  const person = await addPerson(house, 'key', 'Key Holder');
  const key = makeAuthenticator('ES256');
  const enrolled = await enrolAtPortal(house.bases[0], await passwordSession(house.bases[0], person), key);
  if (enrolled.status !== 303) throw new Error(`the key was not enrolled: ${enrolled.status}`);
  return {
    name: 'security-key counter',
    prepare: async (round) => {
      const counter = 10 + round;
      const posts = house.bases.map(async (base): Promise<Post> => {
        const step = await toStep(base, person);
        const page = await keyPage(base, step.target, step.cookies);
        return { ...step, target: page.action, form: { csrf: page.csrf, answer: key.get(page.asked, { counter }) } };
      });
      return both(await Promise.all(posts));
    },
  };
}

async function mails({ house, smtp }: KindsOptions): Promise<Kind> {
  const person = await addPerson(house, 'mail', 'Mail Reader');
  await setAttribute(house, person.dn, 'stsVerifiedMail', ['mail@example.com']);
  await setAttribute(house, person.dn, 'stsEmailFactor', ['TRUE']);
  return {
    name: 'emailed code',
    prepare: async () => {
      // One sign-in: a code is good in the browser that asked for it. Its page was drawn by one process, and is sent to both.
      const [base, other] = house.bases;
      const signin = await beginRaw(base);
      await signin.post('/authn/login', { username: person.uid, password: person.password });
      await signin.get('/authn/email-code');
      const page = await signin.send('/authn/email-code', person.uid);
      const code = codeOf(await smtp.next());
      const post: Post = {
        base,
        target: `/authn/email-code?authn=${signin.id}`,
        cookies: { sts_signin: signin.browser },
        form: { csrf: hiddenOf(page, 'csrf'), code },
      };
      return [post, { ...post, base: other }];
    },
  };
}

/** A form that is open: where it goes, and what it holds already. */
interface OpenStep extends Post {
  readonly form: Readonly<Record<string, string>>;
}

/** Types the password at both processes, and follows to a page of the second factor. */
async function atBoth(house: TwoWebs, person: TestPerson, path?: string): Promise<readonly [OpenStep, OpenStep]> {
  return both(await Promise.all(house.bases.map((base) => toStep(base, person, path))));
}

async function toStep(base: string, person: TestPerson, path?: string): Promise<OpenStep> {
  const signin = await beginRaw(base);
  const { status, location } = await signin.post('/authn/login', { username: person.uid, password: person.password });
  if (status !== 303) throw new Error(`the password of ${person.uid} led to ${status}`);
  const target = path === undefined ? location : `${path}?authn=${signin.id}`;
  const cookies = { sts_signin: signin.browser };
  if (path === undefined && location.startsWith('/authn/webauthn')) return { base, target, cookies, form: {} };
  return { base, target, cookies, form: { csrf: hiddenOf(await ask(base, target, { cookies }), 'csrf') } };
}

function typed(step: OpenStep, code: string): Post {
  return { ...step, form: { ...step.form, code } };
}

function both(posts: readonly Post[]): readonly [Post, Post] {
  const [a, b] = posts;
  if (a === undefined || b === undefined) throw new Error('there are two processes');
  return [a, b];
}
