import type { Person } from '#people';
import type { RevokedBecause, SetRecord } from './records.ts';

/** What is known, at this moment, of what a set stands on. */
export interface Footing {
  readonly nowMs: number;
  /** Whether the application is there and may use the server. */
  readonly application: boolean;
  /** Who holds its client id now; `undefined` when nobody does. */
  readonly holder: string | undefined;
  /** Whether the application's entry lets this person in, by their groups and by how they signed in; not asked for an application's own sets. */
  readonly allowed: boolean;
  /** `undefined` when the entry is gone; not asked for an application's own sets. */
  readonly person: (Pick<Person, 'disabled'> & { readonly password: string }) | undefined;
  /** Whether the session in which it began is live; not asked where the set is not bound to it. */
  readonly session: boolean;
  /** Since when the person's consents to the application stand, by resource; not asked where none was needed. */
  readonly consented: Readonly<Record<string, number>> | undefined;
}

/**
 * Why a set is worth nothing any more; `undefined` while it is good. It is asked at each use, so that no change has to find its way to what was issued.
 *
 * @param expiresAtMs  of the set
 */
export function fallOf(set: SetRecord, expiresAtMs: number, footing: Footing): RevokedBecause | 'expired' | undefined {
  if (set.revoked !== undefined) return set.revoked.why;
  if (expiresAtMs <= footing.nowMs) return 'expired';
  // What was issued before a deletion is no affair of whoever has the client id now.
  if (footing.holder !== undefined && footing.holder !== set.holder) return 'application-deleted';
  if (!footing.application) return 'application-gone';
  if (set.entryUuid === '') return undefined;
  if (footing.person === undefined || footing.person.disabled) return 'disabled';
  // Not later than, but another one than: the entry knows seconds only.
  if (footing.person.password !== set.password) return 'password-changed';
  if (set.bound && !footing.session) return 'signed-out';
  if (!footing.allowed) return 'not-allowed';
  // Given once more later, it is another consent: what came of the one before does not come back.
  const stood = Object.entries(set.consented ?? {});
  if (stood.some(([resource, atMs]) => footing.consented?.[resource] !== atMs)) return 'consent-withdrawn';
  return undefined;
}
