import { Attribute, Change } from 'ldapts';
import type { TestSmtp } from '../support/smtp.ts';
import { asAdministrator, type Written } from './people.ts';
import { ask, cookieOf, hiddenOf, openScreen, type RawAnswer } from './raw.ts';

/** The settings by which an Atrium mails to a test's server what a test asks for and nothing else, and lets it try as often as it likes. */
export function mailedSettings({ port, caFile }: TestSmtp): Readonly<Record<string, string>> {
  return {
    STS_MAIL_SMTP_HOST: 'localhost',
    STS_MAIL_SMTP_PORT: String(port),
    STS_MAIL_SMTP_CA_FILE: caFile,
    STS_SECURITY_RATE_PER_IDENTITY: '10000',
    STS_SECURITY_RATE_PER_ADDRESS: '10000',
    STS_MAIL_PER_ADDRESS_PER_HOUR: '10000',
    STS_MAIL_TELL_OF_CHANGES: 'false',
    STS_AUTHN_SESSION_LIFETIME_S: '86400',
  };
}

/** Makes the default realm's policy say something; an empty list takes an attribute away. */
export async function setPolicy(atrium: Written, values: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const dn = `cn=default,ou=authnPolicies,${atrium.suffix}`;
  await asAdministrator(atrium, async (client) => {
    try {
      await client.add(dn, { objectClass: 'stsAuthnPolicy', cn: 'default' });
    } catch {
      // It is there.
    }
    for (const [type, list] of Object.entries(values))
      await client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values: [...list] }) }));
  });
}

/** Writes an attribute of an entry as the administrator. */
export async function setAttribute(atrium: Written, dn: string, type: string, values: readonly string[]): Promise<void> {
  await asAdministrator(atrium, (client) =>
    client.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values: [...values] }) })),
  );
}

/** The values of an attribute, as the administrator sees them. */
export async function attributeOf(atrium: Written, dn: string, type: string): Promise<readonly string[]> {
  return await asAdministrator(atrium, async (client) => {
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: [type] });
    const value = searchEntries[0]?.[type] ?? [];
    return (Array.isArray(value) ? value : [value]).map(String);
  });
}

/** The six digits of a mail. */
export function codeOf({ text }: { readonly text: string }): string {
  return /^(\d{6})\r?$/m.exec(text)?.[1] ?? '';
}

/** The address of a mail to open. */
export function linkOf({ text }: { readonly text: string }): string {
  return /^(http\S+)\r?$/m.exec(text)?.[1] ?? '';
}

/** A browser without a browser: one sign-in, its cookie and its forms' tokens. */
export interface RawSignin {
  readonly id: string;
  readonly browser: string;
  get(path: string): Promise<RawAnswer>;
  /** Posts a form, with the token of the page that is there. */
  post(path: string, fields: Readonly<Record<string, string>>): Promise<RawAnswer>;
  /** Asks for a mail, by name; follows to the page that tells of it. */
  send(path: string, username?: string): Promise<RawAnswer>;
}

/** Begins a sign-in, with a request that waits. */
export async function beginRaw(base: string, prefix = ''): Promise<RawSignin> {
  const screen = await openScreen(base, `${prefix}/portal`);
  const id = screen.target.replace(`${prefix}/authn/login?authn=`, '');
  let csrf = screen.csrf;
  const cookies = { sts_signin: screen.browser };
  const get = async (path: string) => {
    const answer = await ask(base, `${prefix}${path}${path.includes('?') ? '&' : '?'}authn=${id}`, { cookies });
    csrf = hiddenOf(answer, 'csrf') || csrf;
    return answer;
  };
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    ask(base, `${prefix}${path}?authn=${id}`, { method: 'POST', cookies, form: { csrf, ...fields } });
  return {
    id,
    browser: screen.browser,
    get,
    post,
    send: async (path, username) => {
      const sent = await post(path, username === undefined ? {} : { username });
      return sent.status === 303 ? await get(path) : sent;
    },
  };
}

/** Whether an answer finished a sign-in. */
export function isIn(answer: RawAnswer): boolean {
  return answer.status === 303 && (cookieOf(answer, 'sts_session') ?? '') !== '';
}
