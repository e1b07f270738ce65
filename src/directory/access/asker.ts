import { isWithin } from '#schema';
import type { ReadableEntry, Snapshot, StoredEntry } from '#store';
import type { Engine } from '../engine.ts';
import type { Realm } from '../realm.ts';
import { storedState } from '../transactions/overlay.ts';
import type { Identity } from '../types.ts';
import type { NewEntry } from './book.ts';
import type { Origin } from './networks.ts';
import type { Plan } from './plan.ts';
import type { Rights } from './rights.ts';
import { type InRealm, planIn, somebody } from './standing.ts';

/** An entry as it is stored. */
type Judged = Pick<StoredEntry, 'id' | 'dn' | 'dnKey' | 'uuid' | 'user' | 'operational' | 'large'>;

/** One who asks, with what the rules give them. Rights are the same object for all entries about which the same rules decide. */
export interface Asker {
  readonly identity: Identity;
  readonly origin: Origin;
  /** Rights on an entry as search reads it. */
  rightsOn(entry: ReadableEntry, snapshot: Snapshot): Rights;
  /** The same of one that was read whole. */
  rightsAt(entry: Judged, snapshot: Snapshot): Rights;
  /** The same where it stands, or will stand, under another name. */
  rightsUnder(dnKey: Uint8Array, entry: Judged, snapshot: Snapshot): Rights;
  /** On an entry that is still to be made. */
  rightsOnNew(dnKey: Uint8Array, entry: NewEntry, snapshot: Snapshot): Rights;
  /** On one of which nothing but its name is known: what a filter would have to allow is not. */
  rightsOnName(dnKey: Uint8Array, snapshot: Snapshot, uuid?: string): Rights;
  /** How many assertions rules make of each entry in the realm of a name to find out what they may do with it. */
  assertionsOn(dnKey: Uint8Array, snapshot: Snapshot): number;
  /** Whether there may be an entry that they manage in the realm of a name; in their own without one. Where there is none nobody needs to ask. */
  managesSome(snapshot: Snapshot, dnKey?: Uint8Array): boolean;
  /** The same of one where searches without limits begin. */
  enumeratesSome(snapshot: Snapshot, dnKey: Uint8Array): boolean;
}

/** One who asks, and until when what they may do stays as it is, if nothing else changes. */
interface LastingAsker extends Asker {
  readonly untilMs: number;
}

interface Kept {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly secure: boolean;
  readonly when: string;
  readonly number: number;
  readonly asker: LastingAsker;
  /** Who asked before: where one acts for another, both ask. */
  readonly before: Kept | undefined;
}

/** Who asked last on a connection: an identity is made at bind and lasts as long as it is bound. */
const kept = new WeakMap<Origin, Kept>();

/**
 * Works out what an identity may do, by the rules and the settings of this moment. One that asks again on their connection is looked at anew only when what
 * governs others has changed, or when they are not fresh any more.
 *
 * @param origin  the connection
 * @param snapshot  where one is held: to ask for a newer one would end it
 */
export function askerOf(engine: Engine, identity: Identity, origin: Origin, snapshot = engine.store.snapshot()): Asker {
  const last = kept.get(origin);
  const when = conditionsText(engine);
  for (let known = last; known !== undefined; known = known.before)
    if (isGood(known, engine, identity, origin, when, snapshot)) return known.asker;
  const asker = resolveAsker(engine, identity, origin, snapshot);
  const { number } = snapshot;
  const before = last === undefined || last.identity === identity ? undefined : { ...last, before: undefined };
  if (number >= 0) kept.set(origin, { engine, identity, secure: origin.secure, when, number, asker, before });
  return asker;
}

function isGood(known: Kept, engine: Engine, identity: Identity, origin: Origin, when: string, snapshot: Snapshot): boolean {
  return (
    known.identity === identity &&
    known.engine === engine &&
    known.secure === origin.secure &&
    known.when === when &&
    snapshot.governing <= known.number &&
    known.number <= snapshot.number &&
    (known.asker.untilMs === Number.POSITIVE_INFINITY || engine.clock.nowMs() <= known.asker.untilMs)
  );
}

function conditionsText({ settings }: Engine): string {
  return settings['global.mode'] === 'development' ? `+${settings['ldap.anonymousRead']}` : settings['ldap.anonymousRead'];
}

function resolveAsker(engine: Engine, identity: Identity, origin: Origin, first: Snapshot): LastingAsker {
  const { access } = engine;
  const realms = engine.realms.in(first);
  const own = identity.uuid;
  const who = somebody(engine, identity, origin, first);
  const plans = new Map<Realm | undefined, InRealm>();
  let untilMs = Number.POSITIVE_INFINITY;
  const inRealm = (realm: Realm | undefined, snapshot: Snapshot): InRealm => {
    let there = plans.get(realm);
    if (there === undefined) {
      // Within a transaction, too, rules and memberships are those before it, and a plan is kept longer than what it makes and may take back.
      there = planIn(engine, realm, who, storedState(snapshot));
      untilMs = Math.min(untilMs, there.untilMs);
      plans.set(realm, there);
    }
    return there;
  };
  const only = realms.all.length === 1 ? inRealm(realms.default, first).plan : undefined;
  const planAt = (dnKey: Uint8Array, snapshot: Snapshot): Plan => only ?? inRealm(realms.owning(dnKey), snapshot).plan;

  const rightsUnder: Asker['rightsUnder'] = (dnKey, entry, snapshot) => {
    const plan = planAt(dnKey, snapshot);
    const isOwn = own !== undefined && entry.uuid === own;
    return plan.rightsOf(dnKey, isOwn, plan.hasFilters ? (filter) => access.fits(filter, entry, snapshot) : undefined);
  };
  return {
    identity,
    origin,
    get untilMs() {
      return untilMs;
    },
    rightsOn(entry, snapshot) {
      const { dnKey } = entry;
      const plan = planAt(dnKey, snapshot);
      const isOwn = own !== undefined && plan.hasOwn && entry.hasUuid(own);
      return plan.rightsOf(dnKey, isOwn, plan.hasFilters ? (filter) => access.fits(filter, entry, snapshot) : undefined);
    },
    rightsUnder,
    rightsAt: (entry, snapshot) => rightsUnder(entry.dnKey, entry, snapshot),
    rightsOnNew(dnKey, entry, snapshot) {
      const { plan, planForPeople } = inRealm(realms.owning(dnKey), snapshot);
      const people = realms.owning(dnKey)?.people.key;
      const isPerson = people !== undefined && dnKey.length > people.length && isWithin(dnKey, people);
      return (isPerson ? planForPeople() : plan).rightsOf(dnKey, false, (filter) => access.fitsNew(filter, entry));
    },
    rightsOnName: (dnKey, snapshot, uuid) => planAt(dnKey, snapshot).rightsOf(dnKey, uuid !== undefined && uuid === own),
    assertionsOn: (dnKey, snapshot) => planAt(dnKey, snapshot).assertions,
    managesSome(snapshot, dnKey) {
      const realm = dnKey === undefined ? (who.home ?? realms.default) : realms.owning(dnKey);
      return inRealm(realm, snapshot).managesSome;
    },
    enumeratesSome: (snapshot, dnKey) => inRealm(realms.owning(dnKey), snapshot).enumeratesSome,
  };
}

/** Whether somebody is held to the limits that are for all but those who manage, or may enumerate, the entry that they begin at. */
export function isLimited(asker: Asker, base: ReadableEntry, snapshot: Snapshot): boolean {
  if (asker.identity.strength === 'webLayer') return false;
  if (!asker.managesSome(snapshot, base.dnKey) && !asker.enumeratesSome(snapshot, base.dnKey)) return true;
  const { mayManage, mayEnumerate } = asker.rightsOn(base, snapshot);
  return !mayManage && !mayEnumerate;
}
