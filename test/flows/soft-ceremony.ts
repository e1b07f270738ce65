import type { TestAtrium } from '../support/atrium.ts';
import type { Asked, Authenticator, Bent } from '../support/soft-key.ts';
import type { TestPerson } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, type RawAnswer } from './raw.ts';

/** A page that asks for a key, as a browser has it. */
export interface KeyPage {
  /** Where its form goes. */
  readonly action: string;
  readonly cookies: Readonly<Record<string, string>>;
  readonly page: RawAnswer;
  readonly csrf: string;
  readonly asked: Asked;
  readonly options: { readonly allowCredentials?: readonly { readonly id: string }[]; readonly challenge?: string };
}

/** Browsers know this machine by a name: security keys are made for names. */
export function namedBase({ addresses }: TestAtrium): string {
  return (addresses.http ?? '').replace('127.0.0.1', 'localhost');
}

/** Types name and password, and follows to what is asked next. */
export async function toKeyStep(
  base: string,
  person: Pick<TestPerson, 'uid' | 'password'>,
  boxes: Readonly<Record<string, string>> = {},
  target = '/portal',
): Promise<KeyPage & { readonly answer: RawAnswer }> {
  const screen = await openScreen(base, target);
  const cookies = { sts_signin: screen.browser };
  const form = { csrf: screen.csrf, username: person.uid, password: person.password, ...boxes };
  const answer = await ask(base, screen.target, { method: 'POST', cookies, form });
  return { ...(await keyPage(base, answer.location, cookies)), answer };
}

/** Signs in with a password alone. @returns the session's handle */
export async function passwordSession(base: string, person: TestPerson): Promise<string> {
  const screen = await openScreen(base);
  const form = { csrf: screen.csrf, username: person.uid, password: person.password };
  return cookieOf(await ask(base, screen.target, { method: 'POST', cookies: { sts_signin: screen.browser }, form }), 'sts_session') ?? '';
}

/** Asks for a page of a ceremony and reads what it would ask the browser. */
export async function keyPage(base: string, path: string, cookies: Readonly<Record<string, string>>): Promise<KeyPage> {
  const page = await ask(base, path, { cookies });
  const options = optionsOf(page.body);
  const asked = { challenge: options.challenge ?? '', origin: base, rpId: options.rpId ?? options.rp?.id ?? '' };
  return { action: path.replace(/\?role=.*/, ''), cookies, page, csrf: hiddenOf(page, 'csrf'), asked, options };
}

/** Posts an answer as the script would. */
export function answerWith(
  base: string,
  { action, cookies, csrf }: Pick<KeyPage, 'action' | 'cookies' | 'csrf'>,
  answer: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return ask(base, action, { method: 'POST', cookies, form: { csrf, answer, ...more } });
}

/** Adds a key on the portal's page. */
export async function enrolAtPortal(
  base: string,
  sts_session: string,
  key: Authenticator,
  role: 'mfa' | 'primary' = 'mfa',
  bent: Bent = {},
): Promise<RawAnswer> {
  const page = await keyPage(base, `/portal/keys/add?role=${role}`, { sts_session });
  return answerWith(base, page, key.create(page.asked, bent));
}

interface Options {
  readonly challenge?: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly allowCredentials?: readonly { readonly id: string }[];
}

function optionsOf(body: string): Options {
  const attribute = /data-options="([^"]*)"/.exec(body)?.[1] ?? '{}';
  return JSON.parse(
    attribute.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  ) as Options;
}
