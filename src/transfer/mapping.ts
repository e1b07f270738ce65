import { text, utf8 } from '#base';
import {
  type Dn,
  type Filter,
  formatDn,
  formatFilter,
  formatLdapUrl,
  type PartialAttribute,
  parseDn,
  parseFilter,
  parseLdapUrl,
} from '#ldap';
import { type AttributeType, describe, isWithin, normalizeDn, type Schema, syntaxOids } from '#schema';
import type { NamedEntry } from './named.ts';

/** Puts names below one suffix below another one. */
export interface Mapping {
  entry(entry: NamedEntry): NamedEntry;
  /** How many values of each attribute were changed so far. */
  readonly mapped: ReadonlyMap<string, number>;
}

const limits = { depthMax: 64, filterItemsMax: 10_000 };

/** Attributes that have a name somewhere in a text: which the syntax does not tell. */
const urls: ReadonlySet<string> = new Set(['memberurl', 'labeleduri', 'ref']);
const filters: ReadonlySet<string> = new Set(['stsuniquefilter', 'stsrulefilter']);
/** `word:DN`, and what has no name behind its word stays. */
const worded: ReadonlySet<string> = new Set(['stsrulewho', 'stsruletarget', 'authzto', 'authzfrom']);
/** The words behind which a name stands. */
const nameWord = /^(dn|dn\.exact|dn\.children|dn\.subtree|dn\.onelevel|subtree|member|nested|entry|one|children):(.*)$/is;
/** A group: `group/class/attribute:DN`. */
const groupWord = /^(group(?:\/[^:/]*){0,2}):(.*)$/is;

/**
 * Maps names wherever the schema says that a value is one (the syntaxes DN and Name And Optional UID), and where one stands in a text: rules of access, who
 * may act as whom, URLs of dynamic groups and referrals, filters. The entry of the suffix gets the values of its new name.
 *
 * @param from  the suffix of what is read, and `to` of the realm that it is for
 */
export function createMapping(schema: Schema, from: string, to: string): Mapping {
  const [fromDn, toDn] = [parseDn(from) ?? [], parseDn(to) ?? []];
  const fromKey = normalizeDn(schema, fromDn) ?? new Uint8Array(0);
  const toKey = normalizeDn(schema, toDn) ?? new Uint8Array(0);
  const mapped = new Map<string, number>();
  const isIdentity = Buffer.compare(fromKey, toKey) === 0;

  const mapDn = (dn: Dn): Dn | undefined => {
    const key = normalizeDn(schema, dn);
    if (key === undefined || !isWithin(key, fromKey)) return undefined;
    return [...dn.slice(0, dn.length - fromDn.length), ...toDn];
  };
  const mapText = (name: string): string | undefined => {
    const dn = parseDn(name);
    const other = dn && mapDn(dn);
    return other && formatDn(other);
  };
  const mapFilter = (filter: Filter): Filter => {
    switch (filter.kind) {
      case 'and':
      case 'or':
        return { ...filter, filters: filter.filters.map(mapFilter) };
      case 'not':
        return { ...filter, filter: mapFilter(filter.filter) };
      case 'equality':
      case 'approx':
      case 'greaterOrEqual':
      case 'lessOrEqual':
      case 'extensible': {
        const type = filter.description === undefined ? undefined : describe(schema, filter.description)?.type;
        const value = isName(type) ? mapText(text(filter.value) ?? '') : undefined;
        return value === undefined ? filter : { ...filter, value: utf8(value) };
      }
      case 'present':
      case 'substrings':
        return filter;
    }
  };
  const mapFilterText = (value: string): string | undefined => {
    const parsed = parseFilter(value, limits);
    if (parsed.kind === 'bad') return undefined;
    const [old, now] = [formatFilter(parsed.filter), formatFilter(mapFilter(parsed.filter))];
    return old === now ? undefined : now;
  };
  const mapUrl = (value: string): string | undefined => {
    const [first = '', ...label] = value.split(' ');
    const parsed = parseLdapUrl(first, limits);
    if (parsed.kind === 'bad') return undefined;
    const { url } = parsed;
    const now = { ...url, dn: mapDn(url.dn) ?? url.dn, ...(url.filter && { filter: mapFilter(url.filter) }) };
    return formatLdapUrl(now) === formatLdapUrl(url) ? undefined : [formatLdapUrl(now), ...label].join(' ');
  };
  const mapWorded = (value: string): string | undefined => {
    const [, word, name] = nameWord.exec(value) ?? groupWord.exec(value) ?? [];
    if (word === undefined) return value.startsWith('ldap') ? mapUrl(value) : undefined;
    const other = mapText(name ?? '');
    return other && `${word}:${other}`;
  };
  const mapUid = (value: string): string | undefined => {
    const at = /#'[01]*'B$/.exec(value)?.index ?? value.length;
    const other = mapText(value.slice(0, at));
    return other && `${other}${value.slice(at)}`;
  };
  const mapperOf = (type: AttributeType | undefined): ((value: string) => string | undefined) | undefined => {
    if (type === undefined) return undefined;
    if (worded.has(type.key)) return mapWorded;
    if (urls.has(type.key)) return mapUrl;
    if (filters.has(type.key)) return mapFilterText;
    if (type.syntax.oid === syntaxOids.nameAndOptionalUid) return mapUid;
    return isName(type) ? mapText : undefined;
  };

  function attribute(given: PartialAttribute): PartialAttribute {
    const mapper = mapperOf(describe(schema, given.description)?.type);
    if (mapper === undefined) return given;
    const values = given.values.map((value) => {
      const other = mapper(text(value) ?? '');
      if (other === undefined) return value;
      mapped.set(given.description, (mapped.get(given.description) ?? 0) + 1);
      return utf8(other);
    });
    return { description: given.description, values };
  }

  return {
    mapped,
    entry(entry) {
      if (isIdentity) return entry;
      const dn = mapDn(parseDn(entry.dn) ?? []);
      if (dn === undefined) return entry;
      const attributes = entry.attributes.map(attribute);
      const key = normalizeDn(schema, dn) ?? entry.key;
      const isSuffix = dn.length === toDn.length;
      return { ...entry, dn: formatDn(dn), key, attributes: isSuffix ? renamedSuffix(schema, attributes, fromDn, toDn) : attributes };
    },
  };
}

function isName(type: AttributeType | undefined): boolean {
  return type?.syntax.oid === syntaxOids.dn;
}

/** A class by which an entry may have an attribute that suffixes are named by. */
const classOf: Readonly<Record<string, string>> = { dc: 'dcObject', o: 'organization' };

/** The values of the new name in place of those of the old one, with a class that allows them. */
function renamedSuffix(schema: Schema, attributes: readonly PartialAttribute[], from: Dn, to: Dn): PartialAttribute[] {
  const keyOf = (type: string) => schema.attributeType(type)?.key ?? type.toLowerCase();
  const [old, now] = [from[0] ?? [], to[0] ?? []];
  const isOld = (description: string, value: Uint8Array) =>
    old.some((ava) => keyOf(ava.type) === keyOf(description) && Buffer.compare(ava.value, value) === 0);
  const changed = attributes.map(({ description, values }) => {
    const own = now.filter((ava) => keyOf(ava.type) === keyOf(description)).map(({ value }) => value);
    return {
      description,
      values: own.length > 0 ? [...own, ...values.filter((value) => !isOld(description, value) && !isIn(own, value))] : values,
    };
  });
  const missing = now.filter(({ type }) => !attributes.some(({ description }) => keyOf(description) === keyOf(type)));
  const allowed = new Set(classesOf(schema, attributes).flatMap(({ must, may }) => [...must, ...may].map(({ key }) => key)));
  const classes = now.flatMap(({ type }) => (allowed.has(keyOf(type)) ? [] : (classOf[keyOf(type)] ?? [])));
  return [
    ...changed.map((each) => (keyOf(each.description) === 'objectclass' ? withClasses(each, classes) : each)),
    ...missing.map(({ type, value }) => ({ description: type, values: [value] })),
  ];
}

function classesOf(schema: Schema, attributes: readonly PartialAttribute[]) {
  const values = attributes.find(({ description }) => description.toLowerCase() === 'objectclass')?.values ?? [];
  return values.flatMap((value) => schema.objectClass(text(value) ?? '') ?? []);
}

function isIn(values: readonly Uint8Array[], value: Uint8Array): boolean {
  return values.some((each) => Buffer.compare(each, value) === 0);
}

function withClasses({ description, values }: PartialAttribute, classes: readonly string[]): PartialAttribute {
  const has = new Set(values.map((value) => text(value)?.toLowerCase()));
  return { description, values: [...values, ...classes.filter((name) => !has.has(name.toLowerCase())).map(utf8)] };
}
