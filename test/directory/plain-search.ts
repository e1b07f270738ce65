import { equalBytes, utf8 } from '#base';
import type { Connection, Engine } from '#directory';
import { decodeAttributes, type Filter, type PartialAttribute, parseDn, type SearchRequest } from '#ldap';
import { type AttributeType, describe, isWithin, matches, normalizeDn, type Schema } from '#schema';
import type { StoredEntry } from '#store';
import { suffix } from './driver.ts';

/** An answer in a form that can be compared: names and values in hexadecimal digits, sorted. */
export type PlainEntry = readonly [dn: string, attributes: readonly (readonly [name: string, ...values: string[]])[]];

export interface PlainAnswer {
  readonly code: number;
  readonly entries: readonly PlainEntry[];
}

/**
 * Answers a search by looking at every entry, one after the other, as the documents say it: no index, no cache, nothing prepared. What one may read
 * is said here once more, so that the table of the directory is held by it.
 */
export function plainSearch(engine: Engine, connection: Connection, request: SearchRequest): PlainAnswer {
  const { schema, store } = engine;
  const snapshot = store.snapshot();
  const all = snapshot.subtree(new Uint8Array(0), undefined, 100_000).flatMap((id) => snapshot.byId(id) ?? []);
  const dn = parseDn(request.baseObject);
  const key = dn && normalizeDn(schema, dn);
  if (key === undefined) return { code: 34, entries: [] };
  const may = (entry: StoredEntry) => readable(engine, connection, entry);
  const base = all.find((entry) => equalBytes(entry.dnKey, key));
  if (base === undefined || may(base) === undefined) return { code: 32, entries: [] };

  const entries: PlainEntry[] = [];
  for (const entry of all) {
    const names = may(entry);
    if (names === undefined || !inScope(request.scope, base, entry)) continue;
    const mayRead = (type: AttributeType) => !type.secret && !type.sealed && given(schema, names, type);
    if (fits(schema, request.filter, entry, mayRead) !== true) continue;
    entries.push([entry.dn, shown(schema, request, [...stored(entry), ...computed(schema, entry, all)], mayRead)]);
  }
  return { code: 0, entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

const naming = ['objectClass', 'entryDN', 'entryUUID', 'structuralObjectClass', 'subschemaSubentry', 'hasSubordinates'];
const frame = [...naming, 'dc', 'o', 'ou', 'description'];
const people = [
  ...['uid', 'cn', 'sn', 'givenName', 'initials', 'displayName', 'mail', 'title', 'ou', 'o', 'departmentNumber', 'employeeType'],
  ...[
    'telephoneNumber',
    'mobile',
    'facsimileTelephoneNumber',
    'roomNumber',
    'l',
    'preferredLanguage',
    'jpegPhoto',
    'labeledURI',
    'manager',
  ],
  ...['uidNumber', 'gidNumber', 'gecos', 'homeDirectory', 'loginShell', ...naming],
];
const groups = [
  ...['cn', 'ou', 'o', 'description', 'member', 'uniqueMember', 'memberUid', 'owner', 'gidNumber', 'businessCategory', ...naming],
];

/** What one may read of an entry; nothing when it does not exist for them. */
function readable({ schema, settings }: Engine, { identity }: Connection, entry: StoredEntry): readonly string[] | undefined {
  if (identity.strength === 'operatorsSocket') return ['*', '+'];
  const within = (name: string) => isWithin(entry.dnKey, keyOf(schema, name));
  const is = (name: string) => equalBytes(entry.dnKey, keyOf(schema, name));
  const isFrame = is(suffix) || is(`ou=people,${suffix}`) || is(`ou=groups,${suffix}`);
  const anonymous = identity.strength === 'anonymous';
  if (anonymous && settings['ldap.anonymousRead'] === 'none') return undefined;
  const more = anonymous ? [] : ['memberOf'];
  if (!anonymous && entry.uuid === identity.uuid) return [...naming, '*', 'memberOf', 'createTimestamp', 'modifyTimestamp'];
  if (isFrame) return frame;
  if (within(`ou=people,${suffix}`)) return [...people, ...more];
  return within(`ou=groups,${suffix}`) ? [...groups, ...more] : undefined;
}

function given(schema: Schema, names: readonly string[], type: AttributeType): boolean {
  if (names.includes(type.usage === 'userApplications' ? '*' : '+')) return true;
  return names.some((name) => schema.attributeType(name)?.family.includes(type) === true);
}

function inScope(scope: SearchRequest['scope'], base: StoredEntry, entry: StoredEntry): boolean {
  const isBase = entry.uuid === base.uuid;
  if (scope === 'base') return isBase;
  if (scope === 'one') return entry.parent === base.uuid;
  return isWithin(entry.dnKey, base.dnKey) && !(scope === 'children' && isBase);
}

const computedNames = ['memberof', 'hassubordinates', 'subschemasubentry', 'entrydn'];

/** RFC 4511 §4.5.1.7, with what one may not read Undefined. */
function fits(schema: Schema, filter: Filter, entry: StoredEntry, mayRead: (type: AttributeType) => boolean): boolean | undefined {
  if (filter.kind === 'not') {
    const inner = fits(schema, filter.filter, entry, mayRead);
    return inner === undefined ? undefined : !inner;
  }
  if (filter.kind === 'and' || filter.kind === 'or') {
    const each = filter.filters.map((one) => fits(schema, one, entry, mayRead));
    const decides = filter.kind === 'or';
    if (each.includes(decides)) return decides;
    return each.includes(undefined) ? undefined : !decides;
  }
  const asked = filter.description === undefined ? undefined : describe(schema, filter.description);
  if (asked === undefined || !mayRead(asked.type) || computedNames.includes(asked.type.key)) return undefined;
  const attributes = new Map<string, PartialAttribute>();
  for (const attribute of stored(entry)) {
    const described = describe(schema, attribute.description);
    if (described !== undefined && mayRead(described.type)) attributes.set(described.key, attribute);
  }
  return matches(schema, filter, { dn: [], attributes });
}

function stored(entry: StoredEntry): PartialAttribute[] {
  return [...decodeAttributes(entry.user), ...decodeAttributes(entry.operational)];
}

function computed(schema: Schema, entry: StoredEntry, all: readonly StoredEntry[]): PartialAttribute[] {
  const isMember = (value: Uint8Array) => {
    const dn = parseDn(Buffer.from(value).toString());
    const key = dn && normalizeDn(schema, dn);
    return key !== undefined && equalBytes(key, entry.dnKey);
  };
  const holds = (group: StoredEntry) =>
    stored(group).some(({ description, values }) => /^(member|uniqueMember)$/i.test(description) && values.some(isMember));
  const inGroups = all.filter(holds).map((group) => utf8(group.dn));
  return [
    { description: 'entryDN', values: [utf8(entry.dn)] },
    { description: 'subschemaSubentry', values: [utf8('cn=subschema')] },
    { description: 'hasSubordinates', values: [utf8(all.some(({ parent }) => parent === entry.uuid) ? 'TRUE' : 'FALSE')] },
    ...(inGroups.length === 0 ? [] : [{ description: 'memberOf', values: inGroups }]),
  ];
}

/** RFC 4511 §4.5.1.8. */
function shown(
  schema: Schema,
  { attributes: wanted, typesOnly }: SearchRequest,
  held: readonly PartialAttribute[],
  mayRead: (type: AttributeType) => boolean,
): PlainEntry[1] {
  const isWanted = (name: string) => {
    const described = describe(schema, name);
    if (described === undefined || !mayRead(described.type)) return false;
    const isUser = described.type.usage === 'userApplications';
    if (isUser && wanted.length === 0) return true;
    return wanted.some((text) => {
      if (text === '*' || text === '+') return isUser === (text === '*');
      const asked = describe(schema, text);
      if (asked === undefined) return false;
      return asked.type.family.includes(described.type) && asked.options.every((option) => described.options.includes(option));
    });
  };
  return comparable(held.filter(({ description }) => isWanted(description)).map((one) => (typesOnly ? { ...one, values: [] } : one)));
}

/** Attributes in a form that can be compared. */
export function comparable(attributes: readonly PartialAttribute[]): PlainEntry[1] {
  return attributes
    .map(({ description, values }) => [description, ...values.map((value) => Buffer.from(value).toString('hex')).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function keyOf(schema: Schema, name: string): Uint8Array {
  const dn = parseDn(name);
  return (dn && normalizeDn(schema, dn)) ?? new Uint8Array(0);
}
