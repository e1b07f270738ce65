import { text } from '#base';
import { ClientRefusal, type SessionOf } from '#client';
import type { SecurityKey } from '#holdings';
import { parseDn, resultCodes } from '#ldap';
import { type AuthnPolicy, type PasswordPolicy, verifiesPasswords } from '#policy';
import { fillText, type PageReply, type Reply, type WebRealm, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { policyWords } from '../password-pages.ts';
import { appPasswordsSection, type LinkAppPasswords } from './app-passwords.ts';
import type { LinkHolder } from './held.ts';
import { type HolderDeps, note, using } from './holder.ts';
import { type Done, type Fault, type PasswordPage, passwordPage, type Ways } from './pages.ts';
import { linkTexts as texts } from './texts.ts';

export interface LinkPasswordDeps extends HolderDeps {
  /** Sets a person's password in their own name. @throws ClientRefusal when the directory does not take it */
  readonly setPassword: (subject: { readonly dn: string; readonly session: SessionOf }, password: string) => Promise<void>;
  /** The password policy in force in a realm. */
  readonly passwordPolicyOf: (realm: WebRealm) => Promise<PasswordPolicy>;
  readonly appPasswords: LinkAppPasswords;
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  readonly settingsOf: (realm: string) => { readonly 'totp.enabled': boolean };
  readonly webauthn: {
    offTo(realm: WebRealm, role: SecurityKey['role']): string | undefined;
    isFull(realm: WebRealm, person: LinkHolder['person']): boolean;
  };
}

export type Place = PasswordPage['path'];

/** Longer ones are refused here; the directory has limits of its own. */
const passwordLengthMax = 1024;

/** Draws the form for a new password, with the other ways where the link is one that activates. */
export async function showPassword(
  deps: LinkPasswordDeps,
  { realm }: WebRequest,
  holder: LinkHolder,
  path: Place,
  more: Pick<PasswordPage, 'fault' | 'enrolled' | 'revoked'> = {},
): Promise<PageReply> {
  const policy = verifiesPasswords(realm.mode) ? policyWords(await deps.passwordPolicyOf(realm)) : [];
  const activates = path === '/portal/activate';
  const ways = activates ? { ways: await waysOf(deps, realm, holder) } : {};
  const below = activates ? false : appPasswordsSection(realm, holder, await deps.appPasswords.list(holder.person.dn));
  const shown = { realm, holder, name: nameOf(holder), nowMs: deps.clock.nowMs(), path, policy, below, ...ways, ...more };
  return { kind: 'page', page: passwordPage(shown) };
}

/** What an activation link may set up at this moment. Whoever holds a second factor by now adds none with less than that. */
export async function waysOf(
  { policyOf, settingsOf, webauthn }: LinkPasswordDeps,
  realm: WebRealm,
  { person, link }: LinkHolder,
): Promise<Ways> {
  const { firstFactors, secondFactors, totpEnrolment } = await policyOf(realm);
  const { keys, app } = person.holdings;
  const isFree = link.kind === 'activation' && app === undefined && keys.length === 0;
  const keyIn = (role: SecurityKey['role']) => isFree && webauthn.offTo(realm, role) === undefined && !webauthn.isFull(realm, person);
  const isApp = isFree && settingsOf(realm.id)['totp.enabled'] && totpEnrolment && secondFactors.includes('authenticator-app');
  return {
    password: firstFactors.includes('password'),
    primary: keyIn('primary') && firstFactors.includes('security-key'),
    mfa: keyIn('mfa') && secondFactors.includes('security-key'),
    app: isApp,
  };
}

/** Sets the password that was typed; then the link is spent, and the person signed out everywhere. */
export async function takePassword(
  deps: LinkPasswordDeps,
  request: WebRequest,
  holder: LinkHolder,
  path: Place,
  form: URLSearchParams,
): Promise<Reply> {
  const { realm } = request;
  const again = (fault: Fault) => showPassword(deps, request, holder, path, { fault });
  const [fresh, repeated] = [form.get('password') ?? '', form.get('again') ?? ''];
  if (fresh === '' || fresh.length > passwordLengthMax) return again({ words: texts.missing, field: 'password' });
  if (fresh !== repeated) return again({ words: texts.notRepeated, field: 'again' });
  if (!(await waysOf(deps, realm, holder)).password) return again({ words: texts.noWay });
  return await using(deps, request, holder, 'a password was set', async () => {
    try {
      await deps.setPassword(holder.acting, fresh);
    } catch (thrown) {
      if (!(thrown instanceof ClientRefusal)) throw thrown;
      return { spent: false, reply: await refused(deps, request, holder, path, thrown) };
    }
    await deps.sessions.endAll(realm.id, holder.person.entryUuid, holder.visit);
    return { spent: true, reply: done(path, 'password') };
  });
}

async function refused(
  deps: LinkPasswordDeps,
  request: WebRequest,
  holder: LinkHolder,
  path: Place,
  thrown: ClientRefusal,
): Promise<Reply> {
  const again = (fault: Fault) => showPassword(deps, request, holder, path, { fault });
  if (thrown.code === resultCodes.constraintViolation)
    return await again({ words: fillText(texts.notTaken, { why: thrown.message }), field: 'password' });
  note(deps, request, holder, errors.linkUnused);
  const isForbidden = thrown.code === resultCodes.insufficientAccessRights;
  const shown = await again({ words: isForbidden ? texts.forbidden : texts.notDone });
  return { ...shown, status: isForbidden ? 403 : 503, error: errors.linkUnused };
}

/** Without the link in the address, so that it stays behind. */
export function done(path: Place, what: Done): Reply {
  return { kind: 'redirect', status: 303, to: `${path}?done=${what}` };
}

/** What the person signs in with. */
export function nameOf({ person: { dn } }: Pick<LinkHolder, 'person'>): string {
  const value = parseDn(dn)?.[0]?.[0]?.value;
  return (value && text(value)) ?? dn;
}
