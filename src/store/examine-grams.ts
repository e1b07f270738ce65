import type Database from 'better-sqlite3';
import type { Damage } from './examine.ts';
import { unpackMoved } from './gram-pending.ts';
import type { GramList, GramSort } from './gram-sort.ts';
import { forGrams, suppressed, unpack } from './grams.ts';
import type { InsideKey } from './keys.ts';

interface Options {
  /** The grams of all keys that all entries have. */
  readonly expected: GramSort;
  /** Entries whose keys nobody can tell. */
  readonly unknown: ReadonlySet<number>;
  readonly nameOf: (attribute: number) => string;
  readonly tell: (damage: Damage) => void;
}

/** Entries that are told of for one attribute: a table that is lost is no million of lines. */
const toldMax = 100;

/**
 * Holds the lists of grams, and what is pending, against the entries: whoever has a gram stands in its list or came to it with a pending row, and
 * whoever stands there without having it goes with one. Suppressed grams have no list.
 */
export function examineGrams(database: Database.Database, { expected, unknown, nameOf, tell }: Options): void {
  const pending = pendingOf(database, tell);
  const dnOf = database.prepare<[number], string>('SELECT dn FROM entry WHERE id = ?').pluck();
  const told = new Map<string, Set<number>>();
  const tellOnce = (kind: 'missing' | 'extra', attribute: number, id: number) => {
    const of = told.get(`${kind} ${attribute}`) ?? new Set();
    told.set(`${kind} ${attribute}`, of);
    if (unknown.has(id) || of.has(id) || of.size >= toldMax) return;
    of.add(id);
    const dn = dnOf.get(id);
    const name = nameOf(attribute);
    const leads = dn === undefined ? 'an entry that is not there' : `${dn}, which has no such value`;
    const what = kind === 'missing' ? `${dn}: it is not found by what stands inside ${name}` : `grams of ${name} lead to ${leads}`;
    tell({ kind: 'index', what });
  };

  for (const { attribute, gram, wanted, held } of besideEachOther(expected.lists(), heldLists(database))) {
    if (held !== undefined && held.at(0) === suppressed) continue;
    const { came, went } = pending.get(keyOf(attribute, gram)) ?? nobody;
    pending.delete(keyOf(attribute, gram));
    for (const id of without(wanted ?? [], held ?? [])) if (!came.has(id)) tellOnce('missing', attribute, id);
    const brought = came.size === 0 ? [] : [...came].sort((a, b) => a - b);
    for (const ids of [held ?? [], brought])
      for (const id of without(ids, wanted ?? [])) if (!went.has(id)) tellOnce('extra', attribute, id);
  }
  for (const [key, { came, went }] of pending) for (const id of came) if (!went.has(id)) tellOnce('extra', Math.floor(key / gramsAll), id);
}

interface PendingGram {
  readonly came: Set<number>;
  readonly went: Set<number>;
}

const nobody: PendingGram = { came: new Set(), went: new Set() };

/** Whom pending rows bring to a gram, and whom they take from it. */
function pendingOf(database: Database.Database, tell: Options['tell']): Map<number, PendingGram> {
  const pending = new Map<number, PendingGram>();
  const note = (way: 'came' | 'went', id: number, { attribute, inside }: InsideKey) =>
    forGrams(inside, (gram) => {
      const key = keyOf(attribute, gram);
      let both = pending.get(key);
      if (both === undefined) {
        both = { came: new Set(), went: new Set() };
        pending.set(key, both);
      }
      both[way].add(id);
    });
  const rows = database.prepare<[], { number: number; id: number; moved: Uint8Array }>('SELECT number, id, moved FROM gram_pending');
  for (const { number, id, moved } of rows.iterate()) {
    const keys = readable(moved);
    if (keys === undefined) tell({ kind: 'index', what: `the pending grams of change ${number} cannot be read` });
    for (const key of keys?.came ?? []) note('came', id, key);
    for (const key of keys?.went ?? []) note('went', id, key);
  }
  return pending;
}

const gramsAll = 2 ** 32;

function keyOf(attribute: number, gram: number): number {
  return attribute * gramsAll + gram;
}

function readable(moved: Uint8Array): ReturnType<typeof unpackMoved> | undefined {
  try {
    return unpackMoved(moved);
  } catch (error) {
    // Octets that `packMoved` did not write.
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The lists as they stand in the file; a suppressed one has nobody but the mark. */
function* heldLists(database: Database.Database): Generator<GramList> {
  const rows = database
    .prepare<[], [attribute: number, gram: number, first: number, packed: Uint8Array]>(
      'SELECT attribute, gram, first, ids FROM gram ORDER BY attribute, gram, first',
    )
    .raw();
  let list: { readonly attribute: number; readonly gram: number; readonly ids: number[] } | undefined;
  for (const [attribute, gram, first, packed] of rows.iterate()) {
    if (list !== undefined && (list.attribute !== attribute || list.gram !== gram)) {
      yield list;
      list = undefined;
    }
    list ??= { attribute, gram, ids: [] };
    unpack(first, packed, list.ids);
  }
  if (list !== undefined) yield list;
}

interface Beside {
  readonly attribute: number;
  readonly gram: number;
  readonly wanted: readonly number[] | undefined;
  readonly held: readonly number[] | undefined;
}

/** Two rows of lists, both by attribute and gram, as one. */
function* besideEachOther(wanted: Generator<GramList>, held: Generator<GramList>): Generator<Beside> {
  let [a, b] = [wanted.next(), held.next()];
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : a.value.attribute - b.value.attribute || a.value.gram - b.value.gram;
    const { attribute, gram } = (order <= 0 ? a.value : b.value) as GramList;
    yield { attribute, gram, wanted: order <= 0 ? a.value?.ids : undefined, held: order >= 0 ? b.value?.ids : undefined };
    if (order <= 0) a = wanted.next();
    if (order >= 0) b = held.next();
  }
}

/** Those of ascending ids that others do not have. Ids that do not ascend are found by nobody, so that they are told. */
function without(ids: readonly number[], others: readonly number[]): number[] {
  const left: number[] = [];
  let at = 0;
  for (const id of ids) {
    while (at < others.length && (others[at] as number) < id) at++;
    if (others[at] !== id) left.push(id);
  }
  return left;
}
