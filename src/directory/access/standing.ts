import { equalBytes } from '#base';
import { parseDn } from '#ldap';
import { normalizeDn } from '#schema';
import type { Snapshot } from '#store';
import type { Engine } from '../engine.ts';
import { secondFactorsOf } from '../holders.ts';
import type { Realm } from '../realm.ts';
import type { Identity } from '../types.ts';
import type { Book } from './book.ts';
import { membershipsOf, noMemberships } from './memberships.ts';
import type { Origin } from './networks.ts';
import { createPlan, type Fitting, type Plan } from './plan.ts';
import type { Guard } from './protections.ts';
import { type EntryRight, fitsWay, fitsWho, type Memberships, type Subject } from './rule.ts';
import { holdsUntilMs } from './strength.ts';

/** One who asks, before any realm is asked about them. */
export interface Somebody {
  readonly identity: Identity;
  /** Where the request comes from; for the web layer, where the browser is that it acts for, when it says so. */
  readonly origin: Origin;
  /** Of the name that their entry has now; none for who has no entry. */
  readonly key: Uint8Array | undefined;
  /** The realm that has their entry. */
  readonly home: Realm | undefined;
}

export function somebody(engine: Engine, identity: Identity, origin: Origin, snapshot: Snapshot): Somebody {
  const key = keyOf(engine, identity, snapshot);
  const { address = '', isProtected = false } = identity.session ?? {};
  return {
    identity,
    // Where the browser is that the web layer acts for nobody knows but the web layer: its own socket is no answer.
    origin: identity.strength === 'onBehalf' ? originOf(address, isProtected) : origin,
    key,
    home: key && engine.realms.in(snapshot).owning(key),
  };
}

/** The name that their entry has now. Whose entry is gone is nobody any more: another one of its name is another's. */
function keyOf({ schema }: Engine, { dn, uuid }: Identity, snapshot: Snapshot): Uint8Array | undefined {
  if (dn === undefined) return undefined;
  if (uuid !== undefined) return snapshot.byUuid(uuid)?.dnKey;
  const parsed = parseDn(dn);
  return parsed && normalizeDn(schema, parsed);
}

/** Where a browser is, as the web layer says. */
export function originOf(address: string, secure: boolean): Origin {
  return { address, loopback: address === '::1' || address.startsWith('127.'), secure };
}

/** What the rules of a realm are asked about somebody. */
export interface Standing {
  readonly book: Book;
  readonly subject: Subject;
  readonly guard: Guard;
}

/** How somebody stands to the rules of a realm. */
export function standingIn(engine: Engine, realm: Realm, who: Somebody, snapshot: Snapshot): Standing {
  const { identity, origin, key, home } = who;
  const book = engine.access.bookOf(engine, realm, snapshot);
  const subject: Subject = {
    key,
    // Nor is anybody of a realm that is being removed known there any more.
    isForeign: key !== undefined && (home !== realm || realm.state === 'removing'),
    cameIn: { ...identity, heldSecond: heldSecond(engine, identity, snapshot) },
    origin,
    groups: groupsOf(engine, realm, who, snapshot),
  };
  return { book, subject, guard: guardOf(engine, realm, who) };
}

/** Looked up for a session of one factor alone: nobody else is asked. */
function heldSecond(engine: Engine, { uuid, session }: Identity, snapshot: Snapshot): boolean {
  if (uuid === undefined || session === undefined || session.factors >= 2) return false;
  const entry = snapshot.byUuid(uuid);
  return entry !== undefined && secondFactorsOf(engine, entry).some(({ addedMs }) => addedMs < session.authenticatedMs);
}

/** The groups of their own realm; in another one these count for nobody but people of the default realm, and for their roles alone (`fitsWho`). */
function groupsOf(engine: Engine, realm: Realm, { key, home }: Somebody, snapshot: Snapshot): Memberships {
  const realms = engine.realms.in(snapshot);
  if (key === undefined || home === undefined || (home !== realm && home !== realms.default)) return noMemberships;
  const { roles } = engine.access.bookOf(engine, home, snapshot);
  return membershipsOf(engine, snapshot, key, roles, (groupKey) => realms.owning(groupKey) === home);
}

/** @param realm  none for a name that no realm has */
function guardOf(engine: Engine, realm: Realm | undefined, { identity, key }: Somebody): Guard {
  const byAppPassword = identity.strength === 'appPassword';
  const isAdministrator = (of: Realm | undefined) => key !== undefined && of !== undefined && equalBytes(key, of.administrator.key);
  const isTheirs = realm?.state !== 'removing' && isAdministrator(realm);
  if (isAdministrator(engine.realms.default) || isTheirs) return { byAppPassword, power: 'everything' };
  if (identity.dn !== undefined) return { byAppPassword, power: 'none' };
  if (identity.strength === 'operatorsSocket') return { byAppPassword, power: 'everything' };
  return { byAppPassword, power: identity.strength === 'webLayer' ? 'webLayer' : 'none' };
}

/** What somebody may do in a realm. */
export interface InRealm {
  readonly plan: Plan;
  /** About the entry of a person that they make: in development mode the web layer makes some. */
  readonly planForPeople: () => Plan;
  /** In milliseconds since 1970, when what depends on it being fresh does not any more. */
  readonly untilMs: number;
  /** Whether there may be an entry that they manage. */
  readonly managesSome: boolean;
  /** The same of `enumerate`. */
  readonly enumeratesSome: boolean;
}

/** Chooses the rules of a realm that are for somebody. Of who may do everything, and of the web layer by itself, no rule is asked. */
export function planIn(engine: Engine, realm: Realm | undefined, who: Somebody, snapshot: Snapshot): InRealm {
  if (realm === undefined) return nowhere(engine, who);
  const { book, subject, guard } = standingIn(engine, realm, who, snapshot);
  const nowMs = engine.clock.nowMs();
  const fitting: Fitting[] = [];
  if (guard.power === 'none')
    book.rules.forEach((rule, at) => {
      if (!fitsWay(rule, subject, nowMs)) return;
      const fits = fitsWho(rule, subject);
      if (fits !== 'never') fitting.push({ rule, at, onlyOwn: fits === 'self' });
    });
  const plan = book.plan(guard, fitting);
  const givesSome = (right: EntryRight) => fitting.some(({ rule }) => rule.effect === 'allow' && rule.rights.has(right));
  const makesPeople = guard.power === 'webLayer' && realm.settings['global.mode'] === 'development';
  return {
    plan,
    planForPeople: () => (makesPeople ? book.plan({ ...guard, power: 'newPerson' }, []) : plan),
    untilMs: fitting.reduce(
      (end, { rule }) => Math.min(end, holdsUntilMs(rule.strengths, subject.cameIn, nowMs)),
      Number.POSITIVE_INFINITY,
    ),
    managesSome: guard.power === 'everything' || givesSome('manage'),
    enumeratesSome: guard.power === 'everything' || givesSome('enumerate'),
  };
}

/** About names that no realm has there are no rules. */
function nowhere(engine: Engine, who: Somebody): InRealm {
  const guard = guardOf(engine, undefined, who);
  const plan = createPlan([], () => engine.access.rightsWithout(guard));
  return {
    plan,
    planForPeople: () => plan,
    untilMs: Number.POSITIVE_INFINITY,
    managesSome: guard.power === 'everything',
    enumeratesSome: guard.power === 'everything',
  };
}
