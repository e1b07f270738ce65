import { type Dn, decodeAttributes, type Filter, type PartialAttribute, parseDn } from '#ldap';
import { compileFilter, describe, type Schema, typeOfKey } from '#schema';
import type { ReadableEntry } from '#store';
import type { Rights } from '../access/resolve.ts';
import { guardFilter } from './guard.ts';

/** A filter as someone with certain rights may ask it. */
export interface GuardedFilter {
  fits(entry: ReadableEntry): boolean;
  /** True when nothing was taken out of it: what an index names exactly needs no further look. */
  readonly whole: boolean;
}

/** Prepares a filter once for all entries of a search that stand at the same place. */
export function guardedFilter(schema: Schema, filter: Filter, rights: Rights): GuardedFilter {
  const asked = guardFilter(schema, filter, rights);
  const test = compileFilter(schema, asked);
  const everything = looksAtEverything(asked);
  const types = new Set<string>();
  if (!everything) collectTypes(schema, asked, types);

  const keys = new Map<string, string | undefined>();
  const keyOf = (description: string): string | undefined => {
    if (!keys.has(description)) {
      const described = describe(schema, description);
      const seen = described !== undefined && rights.mayRead(described.type) && (everything || types.has(described.type.key));
      keys.set(description, seen ? described.key : undefined);
    }
    return keys.get(description);
  };

  return {
    whole: isWhole(schema, filter, rights),
    fits: (entry) => test(new FilteredEntry(entry, keyOf)) === true,
  };
}

/** An entry as a filter looks at it: only what it asks about, only what one may read, and its name parsed when it is needed. */
class FilteredEntry {
  readonly attributes: ReadonlyMap<string, PartialAttribute>;
  readonly #dn: string;

  constructor(entry: ReadableEntry, keyOf: (description: string) => string | undefined) {
    const attributes = new Map<string, PartialAttribute>();
    for (const part of [entry.user, entry.operational]) {
      for (const attribute of decodeAttributes(part)) {
        const key = keyOf(attribute.description);
        if (key !== undefined) attributes.set(key, attribute);
      }
    }
    this.attributes = attributes;
    this.#dn = entry.dn;
  }

  get dn(): Dn {
    return parseDn(this.#dn) ?? [];
  }
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
