import { text } from '#base';
import type { Filter } from '#ldap';
import { schema } from '../directory/driver.ts';
import type { PlainEntry } from './plain.ts';

/** True, false or Undefined, as RFC 4511 §4.5.1.7 has it. */
export type Truth = boolean | undefined;

/**
 * Whether an entry fits a filter, of the kinds that are drawn here: values are texts whose case does not count.
 *
 * @param maySearch  whether an attribute, by its name in the schema, may be looked at; what may not is Undefined, and so are secrets
 */
export function holds(filter: Filter, entry: PlainEntry, maySearch: (name: string) => boolean): Truth {
  switch (filter.kind) {
    case 'not': {
      const inner = holds(filter.filter, entry, maySearch);
      return inner === undefined ? undefined : !inner;
    }
    case 'and': {
      const each = filter.filters.map((one) => holds(one, entry, maySearch));
      if (each.includes(false)) return false;
      return each.includes(undefined) ? undefined : true;
    }
    case 'or': {
      const each = filter.filters.map((one) => holds(one, entry, maySearch));
      if (each.includes(true)) return true;
      return each.includes(undefined) ? undefined : false;
    }
    default:
      return leaf(filter, entry, maySearch);
  }
}

type Leaf = Exclude<Filter, { readonly kind: 'and' | 'or' | 'not' }>;

function leaf(filter: Leaf, entry: PlainEntry, maySearch: (name: string) => boolean): Truth {
  const may = (name: string) => {
    const type = schema.attributeType(name);
    return type !== undefined && !type.secret && !type.sealed && maySearch(type.name);
  };
  // A match on no attribute in particular looks at all that may be looked at.
  if (filter.kind === 'extensible' && filter.description === undefined) {
    const wanted = (text(filter.value) ?? '').toLowerCase();
    return Object.keys(entry.attributes).some((name) => may(name) && isCaseIgnored(name) && valuesOf(entry, name).includes(wanted));
  }
  const type = schema.attributeType(filter.description ?? '');
  if (type === undefined || !may(type.name)) return undefined;
  const values = type.family.filter(({ name }) => may(name)).flatMap(({ name }) => valuesOf(entry, name));
  const said = (value: Uint8Array) => (text(value) ?? '').toLowerCase();
  switch (filter.kind) {
    case 'present':
      return values.length > 0;
    case 'equality':
    case 'approx':
    case 'extensible':
      return values.includes(said(filter.value));
    case 'greaterOrEqual':
      return type.ordering === undefined ? undefined : values.some((value) => value >= said(filter.value));
    case 'lessOrEqual':
      return type.ordering === undefined ? undefined : values.some((value) => value <= said(filter.value));
    case 'substrings':
      return values.some((value) =>
        isLike(value, filter.initial && said(filter.initial), filter.any.map(said), filter.final && said(filter.final)),
      );
  }
}

function isLike(value: string, initial = '', any: readonly string[], final = ''): boolean {
  if (!value.startsWith(initial)) return false;
  let at = initial.length;
  for (const part of any) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.length - final.length >= at && value.endsWith(final);
}

function isCaseIgnored(name: string): boolean {
  return schema.attributeType(name)?.equality?.name === 'caseIgnoreMatch';
}

function valuesOf(entry: PlainEntry, name: string): readonly string[] {
  return (entry.attributes[name] ?? []).map((value) => value.toLowerCase());
}
