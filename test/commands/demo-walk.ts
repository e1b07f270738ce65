import type { ExecutionContext } from 'ava';
import { ask, cookieOf, hiddenOf, submit } from '../flows/raw.ts';

const triesMax = 2000;

/** The address behind a label of what the demo prints. */
function addressOf(said: string, label: string): string {
  return new RegExp(`${label} +(http://\\S+)`).exec(said)?.[1] ?? '';
}

/** Uses what a running demo prints as its visitor would: signs in to its application through OpenID Connect and out of it, and reads a mail that the service sent on its page of mails. */
export async function useDemo(t: ExecutionContext, said: string, username: string, password: string): Promise<void> {
  const [base, site, mails] = ['Sign in', 'Demo app', 'Mails'].map((label) => addressOf(said, label)) as [string, string, string];
  const at = (url: string) => url.slice(new URL(url).origin.length);
  t.regex((await ask(site, '/')).body, /Sign in with Atrium/);

  const begun = await ask(site, '/sign-in');
  t.is(begun.status, 303);
  const state = { demo_state: cookieOf(begun, 'demo_state') ?? '' };
  const asked = await ask(base, at(begun.location));
  const screen = await ask(base, at(new URL(asked.location, base).href));
  t.regex(screen.body, /Demo application/, 'the screen says who asks');
  const open = {
    target: at(new URL(asked.location, base).href),
    csrf: hiddenOf(screen, 'csrf'),
    browser: cookieOf(screen, 'sts_signin') ?? '',
    page: screen,
  };
  const answered = await submit(base, open, username, password);
  const session = { sts_session: cookieOf(answered, 'sts_session') ?? '' };
  const back = await ask(base, at(new URL(answered.location, base).href), { cookies: session });
  t.true(back.location.startsWith(`${site}/callback?`), back.location);
  const hello = await ask(site, at(back.location), { cookies: state });
  t.regex(hello.body, /<h1>Hello, [^<]*Khalil<\/h1>/);
  t.regex(hello.body, /email<\/th><td>&#34;dalia\.khalil@example\.com/);
  t.regex((await ask(site, at(back.location), { cookies: state })).body, /This sign-in was not begun here/, 'a way back is good once');
  const leaving = /href="([^"]*id_token_hint[^"]*)">Sign out</.exec(hello.body)?.[1]?.replaceAll('&#38;', '&') ?? '';
  const left = await ask(base, at(leaving), { cookies: session });
  t.is(left.location, `${site}/`, 'who signs out there is signed out of Atrium and comes back');
  t.not((await ask(base, '/portal', { cookies: session })).status, 200);
  t.regex((await ask(site, '/callback?state=x&code=y')).body, /This sign-in was not begun here/);

  const form = await ask(base, '/portal/forgot-password');
  t.is((await ask(base, '/portal/forgot-password', { method: 'POST', form: { csrf: hiddenOf(form, 'csrf'), username } })).status, 200);
  let shown = '';
  for (let tries = 0; !shown.includes('/portal/reset-password') && tries < triesMax; tries++) shown = (await ask(site, at(mails))).body;
  t.regex(shown, /<article><h2>Set a new password[^<]*<\/h2><p>to dalia\.khalil@example\.com/);
  const link = /href="([^"]*\/portal\/reset-password[^"]*)"/.exec(shown)?.[1]?.replaceAll('&#38;', '&') ?? '';
  t.is((await ask(base, at(link))).status, 200, 'the link of the mail opens');
}
