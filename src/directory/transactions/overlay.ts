import { compareBytes } from '#base';
import { formOf, isWithin } from '#schema';
import { type Change, type EntryRecord, type Indexer, noLists, type Snapshot, type StoredEntry } from '#store';
import { readableOf } from '../record.ts';
import { takenKeys } from './overlay-keys.ts';

/** A snapshot with changes that are decided and not made yet. Good for as long as the snapshot below it. */
export interface Overlay extends Snapshot {
  /**
   * Takes changes in their order.
   *
   * @param whole  an entry with all values of its lists, for an `amend` that changes them
   */
  take(changes: readonly Change[], whole?: (uuid: string) => EntryRecord | undefined): void;
  /** Whether one of the changes that were taken made, moved or deleted the entry. */
  hasTaken(uuid: string): boolean;
}

/**
 * Lays changes over a snapshot, so that one decision after another is made as if those before it had been.
 *
 * Entries are found by name, entryUUID, superior and whole index key as they will be. What search alone reads, parts of keys and columns, is not
 * answered for: nothing that decides about a write asks for it.
 */
export function overlaid(base: Snapshot, indexer: Indexer): Overlay {
  /** As they will be; nothing for those that are deleted. */
  const taken = new Map<string, StoredEntry | undefined>();
  const byId = new Map<number, string>();
  const byName = new Map<string, string | undefined>();
  const keys = takenKeys(indexer);
  /** Those that have lists: a transaction has few. */
  const listed = new Set<string>();
  let living: readonly StoredEntry[] | undefined;
  let lastMade = 0;

  const live = () => {
    living ??= [...taken.values()].filter((entry) => entry !== undefined);
    return living;
  };
  const own = (uuids: Iterable<string>) => [...uuids].flatMap((uuid) => taken.get(uuid) ?? []);
  const untaken = (ids: readonly number[]) => ids.filter((id) => !byId.has(id));

  const byUuid = (uuid: string) => (taken.has(uuid) ? taken.get(uuid) : base.byUuid(uuid));
  const at = (id: number) => {
    const uuid = byId.get(id);
    return uuid === undefined ? base.byId(id) : taken.get(uuid);
  };
  const byDnKey = (dnKey: Uint8Array) => {
    const form = formOf(dnKey);
    const uuid = byName.get(form);
    if (uuid !== undefined) return taken.get(uuid);
    return byName.has(form) ? undefined : base.byDnKey(dnKey);
  };

  const set = (uuid: string, next: StoredEntry | undefined, before: StoredEntry | undefined) => {
    if (before !== undefined) {
      byId.set(before.id, uuid);
      const form = formOf(before.dnKey);
      if (!byName.has(form) || byName.get(form) === uuid) byName.set(form, undefined);
    }
    if (next !== undefined) {
      byId.set(next.id, uuid);
      byName.set(formOf(next.dnKey), uuid);
    }
    taken.set(uuid, next);
    keys.note(uuid, next);
    living = undefined;
    if (next !== undefined && next.large.length > 0) listed.add(uuid);
    else listed.delete(uuid);
  };

  const takeOne = (change: Change, whole: (uuid: string) => EntryRecord | undefined) => {
    const uuid = change.kind === 'delete' ? change.uuid : change.entry.uuid;
    const before = byUuid(uuid);
    if (change.kind === 'delete') return set(uuid, undefined, before);
    const id = before?.id ?? --lastMade;
    const isSame = change.kind === 'amend' && change.lists.every(({ removed, added }) => removed.length === 0 && added.length === 0);
    if (isSame) return set(uuid, { ...change.entry, id, large: before?.large ?? noLists }, before);
    const record = change.kind === 'put' ? change.entry : whole(uuid);
    if (record === undefined) throw new Error('an entry whose lists change is to be seen whole');
    set(uuid, { ...record, id, large: noLists }, before);
  };

  const children = (uuid: string, afterId: number, limit: number): number[] => {
    const its = live().filter(({ id, parent }) => parent === uuid && (afterId === 0 || id > afterId));
    const ids = untaken(base.children(uuid, afterId, limit + byId.size));
    return [...its.map(({ id }) => id), ...ids].sort((a, b) => a - b).slice(0, limit);
  };

  const subtree = (dnKey: Uint8Array, afterDnKey: Uint8Array | undefined, limit: number): number[] => {
    const isNext = (key: Uint8Array) => isWithin(key, dnKey) && (afterDnKey === undefined || compareBytes(key, afterDnKey) > 0);
    const its = live().filter((entry) => isNext(entry.dnKey));
    const ids = untaken(base.subtree(dnKey, afterDnKey, limit + byId.size));
    if (its.length === 0) return ids.slice(0, limit);
    const placed = ids.map((id) => ({ id, dnKey: base.readable(id)?.dnKey ?? dnKey }));
    return [...its, ...placed]
      .sort((a, b) => compareBytes(a.dnKey, b.dnKey))
      .map(({ id }) => id)
      .slice(0, limit);
  };

  const idsEqual = (attribute: string, key: Uint8Array, limit: number, afterId = 0): number[] => {
    const inLists = own(listed).filter(
      ({ id, large }) => large.some((list) => list.attribute === attribute) && base.hasValue(id, attribute, key),
    );
    const having = [...new Set([...own(keys.having(attribute, key)), ...inLists])].filter(({ id }) => afterId === 0 || id > afterId);
    const ids = untaken(base.idsEqual(attribute, key, limit + byId.size, afterId));
    return [...having.map(({ id }) => id), ...ids].sort((a, b) => a - b).slice(0, limit);
  };

  const idsPrefix = (attribute: string, prefix: Uint8Array, rowsMax: number): number[] | undefined => {
    const ids = base.idsPrefix(attribute, prefix, rowsMax);
    // Its lists are still those below, and which of their keys begin so is not asked.
    const inLists = own(listed).filter(({ large }) => large.some((list) => list.attribute === attribute));
    const having = new Set([...own(keys.beginning(attribute, prefix)), ...inLists]);
    return ids && [...[...having].map(({ id }) => id), ...untaken(ids)].sort((a, b) => a - b);
  };

  // Of entries, where the snapshot counts rows: what is expected of them is said of the snapshot.
  const countWithin = (attribute: string, prefix: Uint8Array, limit: number): number =>
    Math.min(limit, idsPrefix(attribute, prefix, limit)?.length ?? limit);

  return laidOver(base, {
    take: (changes, whole = () => undefined) => {
      for (const change of changes) takeOne(change, whole);
    },
    hasTaken: (uuid) => taken.has(uuid),
    ...ofNoCommit(),
    get csn() {
      return base.csn;
    },
    get visited() {
      return base.visited;
    },
    byDnKey,
    idOf: (dnKey) => byDnKey(dnKey)?.id,
    byUuid,
    byId: at,
    readable: (id) => (byId.has(id) ? readableOf(at(id)) : base.readable(id)),
    hasValue: (id, attribute, key) => base.hasValue(id, attribute, key),
    valuesOf: (list) => base.valuesOf(list),
    idsEqual,
    countEqual: (attribute, key, limit) => idsEqual(attribute, key, limit).length,
    idsPrefix,
    countWithin,
    idsInside: () => undefined,
    countInside: () => undefined,
    children,
    subtree,
    hasChildren: (uuid) => children(uuid, 0, 1).length > 0,
    countChildren: (uuid) => children(uuid, 0, Number.MAX_SAFE_INTEGER - byId.size).length,
    hasFewerChildren: (uuid, count) => children(uuid, 0, count).length < count,
    hasFewerBelow: (dnKey, count) => subtree(dnKey, dnKey, count).length < count,
    lastId: () => base.lastId(),
    scan: () => {
      throw new Error('changes that are not made yet are in no column');
    },
    scanCost: () => undefined,
  });
}

/** What overlays lie over. */
const below = new WeakMap<Snapshot, Snapshot>();

function laidOver(base: Snapshot, overlay: Overlay): Overlay {
  below.set(overlay, storedState(base));
  return overlay;
}

/** The state that is stored: of an overlay, the one below it. */
export function storedState(snapshot: Snapshot): Snapshot {
  return below.get(snapshot) ?? snapshot;
}

/** What is remembered by a commit's number is not to be taken for an overlay, nor that for this; and whether what was taken governs nobody says. */
function ofNoCommit(): Pick<Snapshot, 'number' | 'governing'> {
  return { number: --lastNumber, governing: Number.POSITIVE_INFINITY };
}

/** Those of commits count up. */
let lastNumber = 0;
