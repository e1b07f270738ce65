import { type Dn, type Filter, type PartialAttribute, parseDn, walkAttributes, walkValues } from '#ldap';
import { type AttributeType, compileFilter, type Described, describe, type Schema, typeOfKey } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import { largeAttribute } from '../large.ts';
import { isFollowable, isInChain, type WalkDesk } from '../relations/chain.ts';
import { computedTypes, createWorking } from './computed.ts';
import { createDecisions, type Decisions } from './descriptions.ts';
import { guardFilter } from './guard.ts';

/** A filter as someone with certain rights may ask it. */
export interface GuardedFilter {
  fits(entry: ReadableEntry, snapshot: Snapshot): boolean;
  /** True when nothing was taken out of it: what an index names exactly needs no further look. */
  readonly whole: boolean;
}

/** Prepares a filter once for all entries of a search that stand at the same place; compiled only when an entry must be held against it. */
export function guardedFilter(desk: WalkDesk, filter: Filter, rights: Rights): GuardedFilter {
  const { schema } = desk.engine;
  let fits: GuardedFilter['fits'] | undefined;
  return {
    whole: isWhole(schema, filter, rights),
    fits(entry, snapshot) {
      fits ??= compile(desk, filter, rights);
      return fits(entry, snapshot);
    },
  };
}

function compile(desk: WalkDesk, filter: Filter, rights: Rights): GuardedFilter['fits'] {
  const asked = guardFilter(desk.engine.schema, filter, rights);
  return compileSeen(desk.engine.schema, asked, (type) => rights.maySearch(type), workOn(desk, asked));
}

/** What a filter looks at of an entry. */
export type Filterable = Pick<ReadableEntry, 'id' | 'dn' | 'user' | 'operational' | 'large'>;

/**
 * Whether an entry fits a filter, by what it stores.
 *
 * @param maySee  whether the filter sees attributes of a type
 * @param work  what is put beside what an entry stores
 */
export function compileSeen<Looked extends Filterable>(
  schema: Schema,
  filter: Filter,
  maySee: (type: AttributeType) => boolean,
  work?: Work<Looked>,
): (entry: Looked, snapshot: Snapshot) => boolean {
  const test = compileFilter(schema, filter);
  const everything = looksAtEverything(filter);
  const types = typesOf(schema, filter);
  const isSeen = ({ type }: Described) => maySee(type) && (everything || types.has(type.key));
  const usages = new Set([...types].map((key) => schema.attributeType(key)?.usage === 'userApplications'));
  const looks: Looks = {
    user: everything || usages.has(true),
    operational: everything || usages.has(false),
    keyOf: keysOf(schema, isSeen),
  };
  return (entry, snapshot) => {
    const filtered = new FilteredEntry(entry, looks);
    for (const list of entry.large) {
      const described = describe(schema, list.description);
      if (described !== undefined && isSeen(described))
        filtered.attributes.set(described.key, largeAttribute(schema, snapshot, entry.id, list));
    }
    work?.(filtered.attributes, entry, snapshot);
    return test(filtered) === true;
  };
}

function typesOf(schema: Schema, filter: Filter): ReadonlySet<string> {
  const types = new Set<string>();
  collectTypes(schema, filter, types);
  return types;
}

type Work<Looked> = (attributes: Map<string, PartialAttribute>, entry: Looked, snapshot: Snapshot) => void;

/** Puts beside what an entry holds what a filter asks for besides; nothing for most filters, which ask for nothing of it. */
function workOn(desk: WalkDesk, filter: Filter): Work<ReadableEntry> | undefined {
  const { schema } = desk.engine;
  const types = typesOf(schema, filter);
  const computed = computedTypes(schema, (type) => types.has(type.key));
  const chained = new Set<AttributeType>();
  collectChained(schema, filter, chained);
  if (computed.length === 0 && chained.size === 0) return undefined;
  const working = createWorking(desk);
  return (attributes, entry, snapshot) => {
    for (const type of computed) {
      const worked = working.askedOf(type, entry, snapshot);
      if (worked !== undefined) attributes.set(type.key, worked);
    }
    for (const type of chained) {
      const held = attributes.get(type.key);
      if (held !== undefined && !computed.includes(type)) attributes.set(type.key, working.chained(type, held, entry, snapshot));
    }
  };
}

/** The types that a filter wants followed from entry to entry. */
function collectChained(schema: Schema, filter: Filter, types: Set<AttributeType>): void {
  if (filter.kind === 'and' || filter.kind === 'or') for (const each of filter.filters) collectChained(schema, each, types);
  else if (filter.kind === 'not') collectChained(schema, filter.filter, types);
  else if (filter.kind === 'extensible' && filter.description !== undefined && isInChain(schema, filter)) {
    const type = describe(schema, filter.description)?.type;
    if (type !== undefined && isFollowable(schema, type)) types.add(type);
  }
}

/** Which attributes of an entry a filter looks at. */
interface Looks {
  /** Whether it looks into the part at all. */
  readonly user: boolean;
  readonly operational: boolean;
  /** The key of the attribute with the description at a place; nothing when the filter does not see it. */
  keyOf(bytes: Uint8Array, start: number, end: number): string | undefined;
}

/** What a description means, by a number of its own. */
interface Meaning {
  readonly number: number;
  readonly described: Described | undefined;
}

const descriptions = new WeakMap<Schema, Decisions<Meaning>>();

/** No attribute's key. */
const notSeen = '';

/** What descriptions mean is the same for all filters: to look two dozen up anew for each took longer than to hold three entries against it. */
function keysOf(schema: Schema, isSeen: (described: Described) => boolean): Looks['keyOf'] {
  let known = descriptions.get(schema);
  if (known === undefined) {
    let number = 0;
    known = createDecisions((description) => ({ number: number++, described: describe(schema, description) }));
    descriptions.set(schema, known);
  }
  const meanings = known;
  const keys: (string | undefined)[] = [];
  return (bytes, start, end) => {
    const { number, described } = meanings.of(bytes, start, end);
    let key = keys[number];
    if (key === undefined) {
      key = described !== undefined && isSeen(described) ? described.key : notSeen;
      keys[number] = key;
    }
    return key === notSeen ? undefined : key;
  };
}

/** An entry as a filter looks at it: only what it asks about, only what one may read, and its name parsed when it is needed. */
class FilteredEntry {
  readonly attributes: Map<string, PartialAttribute>;
  readonly #entry: Filterable;

  constructor(entry: Filterable, looks: Looks) {
    const attributes = new Map<string, PartialAttribute>();
    if (looks.user) collect(entry.user, looks, attributes);
    if (looks.operational) collect(entry.operational, looks, attributes);
    this.attributes = attributes;
    this.#entry = entry;
  }

  get dn(): Dn {
    return parseDn(this.#entry.dn) ?? [];
  }
}

/** Decodes the attributes that have a key, and passes over all others. */
function collect(bytes: Uint8Array, looks: Looks, into: Map<string, PartialAttribute>): void {
  walkAttributes(bytes, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    const key = looks.keyOf(bytes, descriptionStart, descriptionEnd);
    if (key === undefined) return;
    const values: Uint8Array[] = [];
    walkValues(bytes, valuesStart, valuesEnd, (start, end) => void values.push(bytes.subarray(start, end)));
    into.set(key, { description: key, values });
  });
}

function looksAtEverything(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.some(looksAtEverything);
    case 'not':
      return looksAtEverything(filter.filter);
    case 'extensible':
      return filter.description === undefined;
    case 'equality':
    case 'approx':
    case 'substrings':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'present':
      return false;
  }
}

function collectTypes(schema: Schema, filter: Filter, types: Set<string>): void {
  if (filter.kind === 'and' || filter.kind === 'or') {
    for (const each of filter.filters) collectTypes(schema, each, types);
  } else if (filter.kind === 'not') {
    collectTypes(schema, filter.filter, types);
  } else if (filter.description !== undefined) {
    for (const type of describe(schema, filter.description)?.type.family ?? []) types.add(typeOfKey(type.key));
  }
}

function isWhole(schema: Schema, filter: Filter, rights: Rights): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.filters.every((each) => isWhole(schema, each, rights));
  if (filter.kind === 'not') return isWhole(schema, filter.filter, rights);
  return guardFilter(schema, filter, rights) === filter;
}
