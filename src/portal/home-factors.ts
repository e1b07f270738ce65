import type { AppPassword, Holdings } from '#holdings';
import type { Use } from '#sessions';
import { fillText, html, type Piece, pathIn, type SafeHtml, type ThingRow, timeHtml, type WebRealm } from '#web';
import { appPasswordRow } from './app-passwords-pages.ts';
import { handleOf } from './keys.ts';
import { texts } from './texts.ts';

type Uses = ReadonlyMap<string, Use>;

/** What is known of somebody's password. */
interface PasswordState {
  readonly isChecked: boolean;
  readonly has: boolean;
  readonly changedMs: number | undefined;
  readonly expiresMs: number | undefined;
}

/** The password among what somebody signs in with. */
export function passwordRow(realm: WebRealm, { isChecked, has, changedMs, expiresMs }: PasswordState, uses: Uses, nowMs: number): ThingRow {
  const action = way(realm, '/portal/password', has ? texts.passwordAct : texts.passwordSet, texts.password);
  if (!isChecked) return { name: texts.password, lines: [texts.passwordUnchecked], action };
  if (!has) return { name: texts.password, lines: [texts.passwordNone], action };
  const expires = expiresMs !== undefined && html` · ${texts.expiresAt} ${timeHtml(expiresMs, nowMs)}`;
  const lastly = html`${used(uses.get('password'), nowMs)}${expires}`;
  return { name: texts.password, lines: [line(texts.changedAt, changedMs, lastly, nowMs)], action };
}

/** All that somebody signs in with beside a password, one row each. */
export function factorRows(
  realm: WebRealm,
  { keys, app, recoveryCodesLeft, email }: Holdings,
  uses: Uses,
  nowMs: number,
): readonly ThingRow[] {
  const rows: ThingRow[] = keys.map((key) => {
    const use = key.lastUsedMs === undefined ? undefined : { atMs: key.lastUsedMs, address: key.lastUsedFrom ?? '' };
    const lastly = use === undefined ? texts.neverUsed : used(use, nowMs);
    const kind = key.role === 'mfa' ? texts.keyMfa : texts.keyPrimary;
    const action = way(realm, `/portal/keys/change?key=${handleOf(key)}`, texts.see, key.name);
    return { name: key.name, lines: [kind, line(texts.added, key.addedMs, lastly, nowMs)], action };
  });
  const mfa = (name: string) => way(realm, '/portal/mfa', texts.see, name);
  if (app !== undefined) {
    const atMs = app.lastStep === undefined ? 0 : Math.min(nowMs, app.lastStep * app.period * 1000);
    const signedIn = uses.get('authenticator-app');
    // Its newest code may have been one that it was set up with: then nobody knows from where.
    const use = signedIn ?? (atMs === 0 ? undefined : { atMs, address: '' });
    rows.push({ name: texts.app, lines: [line(texts.added, app.addedMs, used(use, nowMs), nowMs)], action: mfa(texts.app) });
  }
  if (recoveryCodesLeft !== undefined) {
    const left = fillText(texts.codesLeft, { count: recoveryCodesLeft });
    rows.push({ name: texts.codes, lines: [left, used(uses.get('recovery-code'), nowMs)], action: mfa(texts.codes) });
  }
  if (email?.optedIn === true && email.verified) {
    const [code, link] = [uses.get('email-code'), uses.get('email-link')];
    const use = (code?.atMs ?? 0) > (link?.atMs ?? 0) ? code : link;
    const action = way(realm, '/portal/mfa/email', texts.see, texts.email);
    rows.push({ name: texts.email, lines: [email.address, used(use, nowMs)], action });
  }
  return rows;
}

/** Passwords for programs: each when and from where it was last used. */
export function appPasswordRows(realm: WebRealm, all: readonly AppPassword[], nowMs: number): readonly ThingRow[] {
  return all.map((one) => {
    const [when = ''] = appPasswordRow(one, nowMs).lines;
    return { name: one.name, lines: [texts.appPassword, when], action: way(realm, '/portal/app-passwords', texts.see, one.name) };
  });
}

function line(words: string, sinceMs: number | undefined, lastly: Piece, nowMs: number): SafeHtml {
  return html`${sinceMs !== undefined && sinceMs > 0 && html`${words} ${timeHtml(sinceMs, nowMs)} · `}${lastly}`;
}

function used(use: Use | undefined, nowMs: number): Piece {
  if (use === undefined) return texts.notUsed;
  return html`${texts.lastUsedAt} ${timeHtml(use.atMs, nowMs)}${use.address !== '' && ` ${fillText(texts.usedFrom, { address: use.address })}`}`;
}

function way(realm: WebRealm, path: string, words: string, about: string): SafeHtml {
  return html`<a href="${pathIn(realm, path)}" role="button" class="outline">${words}<span class="off"> ${about}</span></a>`;
}
