import { equalBytes } from '#base';
import { parseDn, type SearchRequest } from '#ldap';
import { isWithin, normalizeDn, parentKey } from '#schema';
import { noLists, type ReadableEntry, type Snapshot } from '#store';
import { type Asker, askerOf } from '../access/asker.ts';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { manageDsaIt } from '../controls/manage-dsa-it.ts';
import { subentries } from '../controls/subentries.ts';
import { hasClass } from '../dse.ts';
import { newestEngine } from '../engine.ts';
import { isDeleted } from '../life/told.ts';
import { areTogether } from '../realms.ts';
import { lastWorking } from '../search/computed.ts';
import { type GuardedFilter, guardedFilter } from '../search/filter.ts';
import { type Projection, projection } from '../search/project.ts';
import type { Wanted } from '../search/select.ts';
import { assertionsOf } from '../search/turn.ts';
import { past, type Step } from './step.ts';

/** An entry as it is sent. */
export interface Shown {
  readonly uuid: string;
  readonly dn: Uint8Array;
  readonly attributes: readonly Uint8Array[];
}

/** What a change did to the content of a search. */
export interface Effect {
  /** Whether the entry was in it. An entry whose earlier values are not known may have been in it when its name could. */
  readonly was: 'in' | 'out' | 'maybe';
  /** The entry, when it is in it now. */
  readonly now: Shown | undefined;
  /** Whether who asks sees nothing of the change. */
  readonly same: boolean;
}

/** The content that a search defines, for who asks: what of the directory they may see and want. */
export interface Content {
  /** Of its filter. */
  readonly assertions: number;
  /** An entry of the snapshot, when it is in the content. */
  holds(entry: ReadableEntry, snapshot: Snapshot): Shown | undefined;
  /** @param snapshot  the newest: what lies outside of entries is taken from it */
  effectOf(step: Step, snapshot: Snapshot): Effect;
  /** The name before, unless it is one that who asks could not see. */
  formerName(step: Step, snapshot: Snapshot): string | undefined;
  /** An entry that is gone, as it was, when it was in the content and is known. */
  holdsBefore(step: Step, snapshot: Snapshot): Shown | undefined;
}

/** Filter and projections for the entries of one place. */
interface View {
  readonly filter: GuardedFilter;
  readonly project: Projection;
}

/** The content of a search that goes on: by the schema that is in force. */
export function lastingContent(
  call: Call,
  ...about: [request: SearchRequest, baseKey: Uint8Array, kind: 'copy' | 'search']
): () => Content {
  let { schema } = call.engine;
  let content = contentOf(call, ...about);
  return () => {
    const engine = newestEngine(call.engine);
    if (engine.schema !== schema) {
      schema = engine.schema;
      content = contentOf({ ...call, engine }, ...about);
    }
    return content;
  };
}

/**
 * @param baseKey  the content is what stands under this name, whatever becomes of the entry that has it now
 * @param kind     a copy has subentries, too, unless it says otherwise: nothing else would bring them
 */
function contentOf(call: Call, request: SearchRequest, baseKey: Uint8Array, kind: 'copy' | 'search'): Content {
  const { engine, asker: first } = call;
  const isLeftOut = leftOutOf(call, request, kind);
  const { schema, prepared } = engine;
  const wanted = steady(prepared.selection(request.attributes));
  const views = new Map<Rights, View>();
  // Rules and settings may give other rights while the search goes on.
  let last = first;
  const asker = (snapshot: Snapshot): Asker => {
    const now = askerOf(engine, first.identity, call.connection, snapshot);
    // What is worked out for a filter is worked out for who asks.
    if (now !== last) views.clear();
    last = now;
    return now;
  };

  // Another realm may begin anywhere below the base.
  const isElsewhere = (snapshot: Snapshot, key: Uint8Array) => !areTogether(engine, snapshot, key, baseKey);

  const viewOf = (rights: Rights, snapshot: Snapshot): View => {
    let view = views.get(rights);
    if (view === undefined) {
      view = {
        filter: guardedFilter({ engine, asker: asker(snapshot) }, request.filter, rights),
        project: projectionOf(engine, wanted, rights, request.typesOnly),
      };
      views.set(rights, view);
    }
    return view;
  };

  const fitting = (entry: ReadableEntry, snapshot: Snapshot): View | undefined => {
    if (!inScope(request, baseKey, entry.dnKey) || isElsewhere(snapshot, entry.dnKey)) return undefined;
    const rights = asker(snapshot).rightsOn(entry, snapshot);
    if (!rights.visible) return undefined;
    const view = viewOf(rights, snapshot);
    return view.filter.fits(entry, snapshot) && !isLeftOut(entry) ? view : undefined;
  };

  const shownPast = (entry: ReadableEntry, snapshot: Snapshot): Shown | undefined => {
    const view = fitting(entry, snapshot);
    return view && { uuid: entry.uuid, dn: entry.dnOctets, attributes: view.project(entry, snapshot, asker(snapshot)) };
  };

  const shownAfter = (step: Step, snapshot: Snapshot): Shown | undefined => {
    if (step.after === undefined) return undefined;
    const stored = step.listed ? snapshot.byUuid(step.uuid) : undefined;
    const id = step.before?.id ?? stored?.id ?? snapshot.idOf(step.after.dnKey) ?? 0;
    const entry = past(step.after, stored?.large ?? noLists, id);
    const view = fitting(entry, snapshot);
    if (view === undefined) return undefined;
    let attributes = step.listed ? undefined : step.shown.get(view.project);
    if (attributes === undefined) {
      attributes = view.project(entry, snapshot, asker(snapshot));
      step.shown.set(view.project, attributes);
    }
    return { uuid: entry.uuid, dn: entry.dnOctets, attributes };
  };

  /** By its name alone, where nothing else is known of it. */
  const mayHaveHeld = ({ uuid, former, before }: Step, snapshot: Snapshot): boolean => {
    // What is kept of deleted people nobody has a copy of.
    if (former === undefined || isDeleted({ dn: former })) return false;
    // Of a name that the schema does not know any more nobody has a copy.
    const key = before?.dnKey ?? normalizeDn(schema, parseDn(former) ?? []);
    return (
      key !== undefined &&
      inScope(request, baseKey, key) &&
      !isElsewhere(snapshot, key) &&
      asker(snapshot).rightsOnName(key, snapshot, uuid).visible
    );
  };

  /** Of two states of an entry, both in the content. */
  const isSame = (before: ReadableEntry, after: ReadableEntry, snapshot: Snapshot): boolean => {
    const everything = steady(prepared.selection(['*', '+']));
    const [was, now] = [before, after].map((entry) => {
      const rights = asker(snapshot).rightsOn(entry, snapshot);
      if (rights.allUser && rights.allOperational) return undefined;
      return Buffer.concat([entry.dnOctets, ...projectionOf(engine, everything, rights, false)(entry, snapshot, asker(snapshot))]);
    });
    return was !== undefined && now !== undefined && equalBytes(was, now);
  };

  return {
    assertions: assertionsOf(request.filter),
    holds(entry, snapshot) {
      const view = fitting(entry, snapshot);
      return view && { uuid: entry.uuid, dn: entry.dnOctets, attributes: view.project(entry, snapshot, asker(snapshot)) };
    },
    effectOf(step, snapshot) {
      const now = shownAfter(step, snapshot);
      const { before } = step;
      if (before === undefined || before.partly) return { was: mayHaveHeld(step, snapshot) ? 'maybe' : 'out', now, same: false };
      if (fitting(before, snapshot) === undefined) return { was: 'out', now, same: false };
      const same = now !== undefined && step.after !== undefined && !step.listed && isSame(before, past(step.after, noLists, 0), snapshot);
      return { was: 'in', now, same };
    },
    formerName: ({ former, before }, snapshot) =>
      before !== undefined && asker(snapshot).rightsOn(before, snapshot).visible ? former : undefined,
    holdsBefore: ({ before }, snapshot) => before && shownPast(before, snapshot),
  };
}

/** Which entries are left out for what they are: subentries (RFC 3672 §3), and referrals where they are not meant themselves (RFC 3296 §3). */
function leftOutOf(
  { engine: { schema }, controls }: Call,
  { scope }: SearchRequest,
  kind: 'copy' | 'search',
): (entry: ReadableEntry) => boolean {
  const asked = controls.of(subentries);
  const withSubentries = asked ?? (kind === 'copy' || scope === 'base');
  const withReferrals = scope === 'base' || controls.has(manageDsaIt);
  return (entry) =>
    isDeleted(entry) ||
    (asked === true && !hasClass(schema, entry, 'subentry')) ||
    (!withSubentries && hasClass(schema, entry, 'subentry')) ||
    (!withReferrals && hasClass(schema, entry, 'referral'));
}

function inScope({ scope }: SearchRequest, base: Uint8Array, key: Uint8Array): boolean {
  switch (scope) {
    case 'base':
      return equalBytes(key, base);
    case 'one':
      return equalBytes(parentKey(key) ?? key, base) && key.length > 0;
    case 'sub':
      return isWithin(key, base);
    case 'children':
      return key.length !== base.length && isWithin(key, base);
  }
}

/** What is worked out from other entries, and so changes without a change of the entry: a copy could not follow it. Members found by searches are such, too. */
const unsteady = new Set(['memberof', 'hassubordinates', 'numsubordinates', 'entryttl', 'contextcsn']);
const steadies = new WeakMap<Wanted, Wanted>();

/** The same object for the same selection: so all who want the same share what is made of it. */
function steady(wanted: Wanted): Wanted {
  let made = steadies.get(wanted);
  if (made === undefined) {
    made = {
      ...wanted,
      holds: (type, options) => !unsteady.has(type.key) && wanted.holds(type, options),
      isNamed: (type) => !unsteady.has(type.key) && wanted.isNamed(type),
    };
    steadies.set(wanted, made);
  }
  return made;
}

const projections = new WeakMap<Wanted, Map<Rights, Map<boolean, Projection>>>();
const keepsNothing = { get: () => undefined, keep: () => undefined };

/** One for all who want the same and may read the same: answers from the past are not kept by their version. */
function projectionOf(engine: Call['engine'], wanted: Wanted, rights: Rights, typesOnly: boolean): Projection {
  const byRights = kept(projections, wanted, () => new Map<Rights, Map<boolean, Projection>>());
  const both = kept(byRights, rights, () => new Map<boolean, Projection>());
  return kept(both, typesOnly, () =>
    projection(engine.schema, { ...lastWorking(engine), isDynamic: () => false }, wanted, rights, typesOnly, keepsNothing),
  );
}

function kept<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
