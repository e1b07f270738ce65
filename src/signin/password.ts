import type { Audit } from '#audit';
import { ClientRefusal, type Limited } from '#client';
import type { Holdings } from '#holdings';
import type { Noted } from '#people';
import type { SignedIn, Visit } from '#sessions';
import { fillText, limitRow, type WebRealm } from '#web';
import { errors } from './errors.ts';

/** A person as the sign-in needs them. */
export interface Known extends SignedIn {
  readonly dn: string;
  /** The realm's built-in administrator. */
  readonly isBuiltIn: boolean;
  /** A second factor of theirs has been used. */
  readonly secondFactorUsed?: boolean;
  readonly holdings: Holdings;
  /** The password is to be changed before anything else. */
  readonly mustChange: boolean;
  /** When the password expires; absent for one that does not. */
  readonly passwordExpiresMs?: number;
  readonly administrator?: 'none' | 'role' | 'built-in';
}

/** Where the people of a realm are found, and made where its mode makes them. */
export interface Registry {
  /** The person of a typed name, made first in a mode that makes entries. */
  find(realm: WebRealm, typed: string): Promise<Known | undefined>;
  /** Whom a typed name means, made first in a mode that makes entries. */
  meant(realm: WebRealm, typed: string): Promise<Pick<Known, 'dn' | 'entryUuid'> | undefined>;
  /** The DN of nobody: a bind as it costs what a bind as somebody costs. */
  nobody(realm: WebRealm, typed: string): string;
  /** Notes a sign-in at its person's entry. @throws ClientRefusal when that is not written */
  note(person: Known, noted: Noted): Promise<void>;
  /** Whether nobody may come in as the person by now. */
  isBarred(realm: WebRealm, entryUuid: string): Promise<boolean>;
  /** The person again, as the directory says it by now; `undefined` when the entry is gone. */
  byUuid(realm: WebRealm, entryUuid: string): Promise<Known | undefined>;
}

/** A bind that judges a password. */
export type Judge = (attempt: {
  readonly dn: string;
  readonly password: string;
  readonly door: string;
  readonly address: string;
  readonly isProtected: boolean;
}) => Promise<{ readonly kind: 'accepted' | 'refused' } | Limited>;

export interface PasswordDeps {
  readonly registry: Registry;
  readonly judge: Judge;
  readonly audit: Pick<Audit, 'record'>;
}

/** How it ended. `person` is `undefined` when the entry went meanwhile. `busy`: the directory did not say; nothing is known of the password. */
export type Proved =
  | { readonly kind: 'proven'; readonly person: Known | undefined }
  | { readonly kind: 'failed' }
  /** Too many attempts failed before: nothing was looked at. */
  | Limited
  | { readonly kind: 'busy' };

/** What was typed on the sign-in screen. */
export interface Typed {
  readonly userName: string;
  readonly password: string;
  /** Whether nobody could read it on the way here. */
  readonly secure: boolean;
}

/** Longer names are nobody's. */
export const userNameLengthMax = 256;

/**
 * Proves a person of a realm by their password. The directory alone judges it, by a bind.
 *
 * Unknown, wrong and disabled take the same path: one search, one bind, one answer.
 */
export async function provePassword(
  { registry, judge, audit }: PasswordDeps,
  realm: WebRealm,
  { userName, password, secure }: Typed,
  visit: Visit,
): Promise<Proved> {
  const person = userName.length > userNameLengthMax ? undefined : await registry.meant(realm, userName);
  const dn = person?.dn ?? registry.nobody(realm, userName.slice(0, userNameLengthMax));
  const event = { realm: realm.id, subject: person?.dn ?? '', action: 'signin.password', ...visit };
  const judged = await ask(judge, { dn, password, door: 'signin', address: visit.address, isProtected: secure });
  if (judged instanceof ClientRefusal) {
    const summary = fillText(errors.notJudged.means, { why: judged.message });
    audit.record({ ...event, outcome: 'failed', error: errors.notJudged, summary });
    return { kind: 'busy' };
  }
  if (judged.kind === 'limited') {
    const error = limitRow(judged);
    audit.record({ ...event, outcome: 'refused', error, summary: error.means });
    return judged;
  }
  if (judged.kind === 'refused' || person === undefined) {
    audit.record({ ...event, outcome: 'refused', error: errors.passwordRefused, summary: errors.passwordRefused.means });
    return { kind: 'failed' };
  }
  audit.record({ ...event, outcome: 'success', summary: 'the password was accepted at the sign-in screen' });
  // What was found before the bind is old by now: the person may be disabled, and the name that was bound another's.
  const now = await registry.byUuid(realm, person.entryUuid);
  return { kind: 'proven', person: now?.dn === person.dn ? now : undefined };
}

async function ask(judge: Judge, attempt: Parameters<Judge>[0]): Promise<Awaited<ReturnType<Judge>> | ClientRefusal> {
  try {
    return await judge(attempt);
  } catch (thrown) {
    if (thrown instanceof ClientRefusal) return thrown;
    throw thrown;
  }
}
