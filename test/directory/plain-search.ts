import { equalBytes, utf8 } from '#base';
import type { Connection, Engine } from '#directory';
import { type Dn, decodeAttributes, type Filter, type PartialAttribute, parseDn, type SearchRequest } from '#ldap';
import { type AttributeType, compileFilter, describe, type EntryAttributes, isWithin, normalizeDn, type Schema, type Test } from '#schema';
import type { StoredEntry } from '#store';
import { admin, suffix } from './driver.ts';

/** An answer in a form that can be compared: a line for each attribute, its name and its values in the order of their octets, sorted. */
export type PlainEntry = readonly [dn: string, attributes: readonly string[]];

export interface PlainAnswer {
  readonly code: number;
  readonly entries: readonly PlainEntry[];
}

/** An entry with all that is stored of it. Who changes one makes another object. */
export interface PlainStored {
  readonly dn: string;
  readonly dnKey: Uint8Array;
  readonly uuid: string;
  readonly attributes: readonly PartialAttribute[];
}

/** All entries there are. */
export interface PlainDirectory {
  readonly schema: Schema;
  readonly anonymousRead: 'none' | 'public';
  readonly entries: readonly PlainStored[];
  /** The CSN of the newest change, a delete included, which the suffix shows. */
  readonly contextCsn?: string | undefined;
}

/** Who asks: the `uuid` of someone who has bound as an entry. */
export interface PlainAsker {
  readonly kind: 'administrator' | 'person' | 'anonymous';
  readonly uuid?: string;
}

/** The same for what a directory of a test holds, and for who has a connection to it. */
export function plainSearch({ schema, store, settings }: Engine, { identity }: Connection, request: SearchRequest): PlainAnswer {
  const snapshot = store.snapshot();
  const stored = snapshot.subtree(new Uint8Array(0), undefined, 100_000).flatMap((id) => snapshot.byId(id) ?? []);
  const directory = { schema, anonymousRead: settings['ldap.anonymousRead'], entries: stored.map(plainEntry), contextCsn: snapshot.csn };
  const isAdministrator = identity.strength === 'operatorsSocket' || identity.dn === admin;
  const kind = isAdministrator ? 'administrator' : identity.strength === 'anonymous' ? 'anonymous' : 'person';
  return evaluateSearch(directory, { kind, ...(identity.uuid === undefined ? {} : { uuid: identity.uuid }) }, request);
}

function plainEntry({ dn, dnKey, uuid, user, operational }: StoredEntry): PlainStored {
  return { dn, dnKey, uuid, attributes: [...decodeAttributes(user), ...decodeAttributes(operational)] };
}

/**
 * Answers a search by looking at every entry, one after the other, as the documents say it: no index, no cache of answers. What one may read
 * is said here once more, so that the table of the directory is held by it.
 */
export function evaluateSearch(directory: PlainDirectory, asker: PlainAsker, request: SearchRequest): PlainAnswer {
  const { schema, entries: all } = directory;
  const dn = parseDn(request.baseObject);
  const key = dn && normalizeDn(schema, dn);
  if (key === undefined) return { code: 34, entries: [] };
  const base = all.find((entry) => equalBytes(entry.dnKey, key));
  if (base === undefined || viewOf(directory, asker, base) === undefined) return { code: 32, entries: [] };

  const fits = compile(schema, request.filter);
  const looksAtComputed = asksForComputed(schema, request.filter);
  const isSelected = selectionOf(schema, request);
  const isComputedWanted = computedNames.some((name) => isSelected(name));
  const entries: PlainEntry[] = [];
  for (const entry of all) {
    if (!inScope(request.scope, base, entry)) continue;
    const view = viewOf(directory, asker, entry);
    if (view === undefined) continue;
    const worked = isComputedWanted || looksAtComputed ? computed(directory, asker, entry) : [];
    if (fits(looksAtComputed ? withComputed(schema, view, worked) : view) !== true) continue;
    const held = isComputedWanted ? [...entry.attributes, ...worked] : entry.attributes;
    entries.push([entry.dn, shown(held, isSelected, view, request.typesOnly)]);
  }
  return { code: 0, entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

/** An entry as someone may see it. */
interface View {
  readonly dn: Dn;
  readonly attributes: EntryAttributes;
  readonly mayRead: (type: AttributeType) => boolean;
  /** Without what is worked out: what an assertion without a name looks at. */
  readonly stored?: View;
}

const views = new WeakMap<PlainStored, Map<string, View | undefined>>();

function viewOf(directory: PlainDirectory, asker: PlainAsker, entry: PlainStored): View | undefined {
  const seen = views.get(entry) ?? new Map<string, View | undefined>();
  views.set(entry, seen);
  const isOwn = asker.kind === 'person' && asker.uuid === entry.uuid;
  const who = isOwn ? 'own' : asker.kind === 'anonymous' ? directory.anonymousRead : asker.kind;
  if (!seen.has(who)) seen.set(who, lookAt(directory, asker, entry));
  return seen.get(who);
}

function lookAt(directory: PlainDirectory, asker: PlainAsker, entry: PlainStored): View | undefined {
  const { schema } = directory;
  const names = readable(directory, asker, entry);
  if (names === undefined) return undefined;
  const mayRead = readerOf(schema, names);
  const attributes = new Map<string, PartialAttribute>();
  for (const attribute of entry.attributes) {
    const described = describe(schema, attribute.description);
    if (described !== undefined && mayRead(described.type)) attributes.set(described.key, attribute);
  }
  return { dn: parseDn(entry.dn) ?? [], attributes, mayRead };
}

const naming = ['objectClass', 'entryDN', 'entryUUID', 'structuralObjectClass', 'subschemaSubentry', 'hasSubordinates'];
const frame = [...naming, 'dc', 'o', 'ou', 'description'];
/** What everybody may read of people. */
export const publicOfPeople = [
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
  ...['uidNumber', 'gidNumber', 'gecos', 'homeDirectory', 'loginShell'],
];
const people = [...publicOfPeople, ...naming];
const groups = [
  ...['cn', 'ou', 'o', 'description', 'member', 'uniqueMember', 'memberUid', 'owner', 'gidNumber', 'businessCategory', ...naming],
];

/** What one may read of an entry; nothing when it does not exist for them. */
function readable(
  { schema, anonymousRead }: PlainDirectory,
  { kind, uuid }: PlainAsker,
  entry: PlainStored,
): readonly string[] | undefined {
  if (kind === 'administrator') return ['*', '+'];
  const within = (name: string) => isWithin(entry.dnKey, keyOf(schema, name));
  const is = (name: string) => equalBytes(entry.dnKey, keyOf(schema, name));
  const isFrame = is(suffix) || is(`ou=people,${suffix}`) || is(`ou=groups,${suffix}`);
  const anonymous = kind === 'anonymous';
  if (anonymous && anonymousRead === 'none') return undefined;
  if (!anonymous && entry.uuid === uuid) return own;
  if (isFrame) return frame;
  if (within(`ou=people,${suffix}`)) return anonymous ? people : people.concat('memberOf');
  if (within(`ou=groups,${suffix}`)) return anonymous ? groups : groups.concat('memberOf');
  const isApplication = within(`ou=applications,${suffix}`) && !is(`ou=applications,${suffix}`);
  return isApplication && !anonymous ? applications : undefined;
}

const own = [...naming, '*', 'memberOf', 'createTimestamp', 'modifyTimestamp', 'entryCSN', 'pwdChangedTime'];
const applications = [...naming, 'cn', 'description', 'stsApplicationUrl'];

const readers = new Map<string, View['mayRead']>();

/** Whether attributes are among those that are named, secrets never. */
function readerOf(schema: Schema, names: readonly string[]): View['mayRead'] {
  const list = names.join();
  const known = new Map<AttributeType, boolean>();
  const mayRead = (type: AttributeType) => {
    let answer = known.get(type);
    if (answer === undefined) {
      const all = names.includes(type.usage === 'userApplications' ? '*' : '+');
      const isNamed = all || names.some((name) => schema.attributeType(name)?.family.includes(type) === true);
      answer = isNamed && !type.secret && !type.sealed;
      known.set(type, answer);
    }
    return answer;
  };
  const before = readers.get(list);
  if (before === undefined) readers.set(list, mayRead);
  return before ?? mayRead;
}

function inScope(scope: SearchRequest['scope'], base: PlainStored, entry: PlainStored): boolean {
  if (!isWithin(entry.dnKey, base.dnKey)) return false;
  const depth = depthOf(entry) - depthOf(base);
  switch (scope) {
    case 'base':
      return depth === 0;
    case 'one':
      return depth === 1;
    case 'sub':
      return true;
    case 'children':
      return depth > 0;
  }
}

const depths = new WeakMap<PlainStored, number>();

function depthOf(entry: PlainStored): number {
  let depth = depths.get(entry);
  if (depth === undefined) {
    depth = parseDn(entry.dn)?.length ?? 0;
    depths.set(entry, depth);
  }
  return depth;
}

const computedNames = ['memberof', 'hassubordinates', 'subschemasubentry', 'entrydn', 'contextcsn'];

/** RFC 4511 §4.5.1.7, with what one may not read Undefined. */
function compile(schema: Schema, filter: Filter): (view: View) => boolean | undefined {
  if (filter.kind === 'not') {
    const inner = compile(schema, filter.filter);
    return (view) => {
      const result = inner(view);
      return result === undefined ? undefined : !result;
    };
  }
  if (filter.kind === 'and' || filter.kind === 'or') {
    const tests = filter.filters.map((one) => compile(schema, one));
    const decides = filter.kind === 'or';
    return (view) => {
      const each = tests.map((one) => one(view));
      if (each.includes(decides)) return decides;
      return each.includes(undefined) ? undefined : !decides;
    };
  }
  const holds: Test = compileFilter(schema, filter);
  // An extensible match without a name looks at all that one may read.
  if (filter.kind === 'extensible' && filter.description === undefined) return (view) => holds(view.stored ?? view);
  const asked = filter.description === undefined ? undefined : describe(schema, filter.description);
  if (asked === undefined) return () => undefined;
  return (view) => (view.mayRead(asked.type) ? holds(view) : undefined);
}

function asksForComputed(schema: Schema, filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.filters.some((each) => asksForComputed(schema, each));
  if (filter.kind === 'not') return asksForComputed(schema, filter.filter);
  const type = filter.description === undefined ? undefined : describe(schema, filter.description)?.type;
  return type !== undefined && computedNames.includes(type.key);
}

function withComputed(schema: Schema, view: View, worked: readonly PartialAttribute[]): View {
  const attributes = new Map(view.attributes);
  for (const attribute of worked) {
    const described = describe(schema, attribute.description);
    if (described !== undefined && view.mayRead(described.type)) attributes.set(described.key, attribute);
  }
  return { ...view, attributes, stored: view };
}

function computed(directory: PlainDirectory, asker: PlainAsker, entry: PlainStored): PartialAttribute[] {
  const { memberOf, parents } = relationsOf(directory);
  const inGroups = new Map<string, string>();
  const reached = [hexOf(entry.dnKey)];
  for (const key of reached) {
    for (const group of memberOf.get(key) ?? []) {
      const groupKey = hexOf(group.dnKey);
      // What one may not see, or not with its members, does not lead on.
      const view = viewOf(directory, asker, group);
      const types = memberTypes.flatMap((name) => directory.schema.attributeType(name) ?? []);
      if (inGroups.has(groupKey) || view === undefined || !types.every(view.mayRead)) continue;
      inGroups.set(groupKey, group.dn);
      reached.push(groupKey);
    }
  }
  return [
    { description: 'entryDN', values: [utf8(entry.dn)] },
    { description: 'subschemaSubentry', values: [utf8('cn=Subschema')] },
    { description: 'hasSubordinates', values: [utf8(parents.has(hexOf(entry.dnKey)) ? 'TRUE' : 'FALSE')] },
    ...(directory.contextCsn === undefined || !equalBytes(entry.dnKey, keyOf(directory.schema, suffix))
      ? []
      : [{ description: 'contextCSN', values: [utf8(directory.contextCsn)] }]),
    ...(inGroups.size === 0 ? [] : [{ description: 'memberOf', values: [...inGroups.values()].map(utf8) }]),
  ];
}

const memberTypes = ['member', 'uniqueMember'];

interface Relations {
  /** The groups that name an entry, under its key. */
  readonly memberOf: ReadonlyMap<string, readonly PlainStored[]>;
  /** Keys of the entries that have others below them. */
  readonly parents: ReadonlySet<string>;
}

const relations = new WeakMap<readonly PlainStored[], Relations>();

/** Worked out once for a list of entries: who changes one makes another list. */
function relationsOf({ schema, entries }: PlainDirectory): Relations {
  let known = relations.get(entries);
  if (known === undefined) {
    const memberOf = new Map<string, PlainStored[]>();
    const parents = new Set<string>();
    for (const entry of entries) {
      parents.add(parentKeyOf(schema, entry));
      for (const key of membersOf(schema, entry)) memberOf.set(key, [...(memberOf.get(key) ?? []), entry]);
    }
    known = { memberOf, parents };
    relations.set(entries, known);
  }
  return known;
}

const memberKeys = new WeakMap<PlainStored, readonly string[]>();

function membersOf(schema: Schema, group: PlainStored): readonly string[] {
  let keys = memberKeys.get(group);
  if (keys === undefined) {
    const values = group.attributes.flatMap((one) => (/^(member|uniqueMember)$/i.test(one.description) ? one.values : []));
    keys = [...new Set(values.map((value) => hexOf(keyOf(schema, Buffer.from(value).toString()))))];
    memberKeys.set(group, keys);
  }
  return keys;
}

const parentKeys = new WeakMap<PlainStored, string>();

function parentKeyOf(schema: Schema, entry: PlainStored): string {
  let key = parentKeys.get(entry);
  if (key === undefined) {
    const parent = normalizeDn(schema, (parseDn(entry.dn) ?? []).slice(1));
    key = parent === undefined || parent.length === 0 ? 'none' : hexOf(parent);
    parentKeys.set(entry, key);
  }
  return key;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

/** RFC 4511 §4.5.1.8: which attributes a search asks for, readable or not. */
function selectionOf(schema: Schema, { attributes: wanted }: SearchRequest): (description: string) => AttributeType | undefined {
  const isWanted = (name: string) => {
    const described = describe(schema, name);
    if (described === undefined) return undefined;
    const isUser = described.type.usage === 'userApplications';
    const isAsked = wanted.some((text) => {
      if (text === '*' || text === '+') return isUser === (text === '*');
      const asked = describe(schema, text);
      if (asked === undefined) return false;
      return asked.type.family.includes(described.type) && asked.options.every((option) => described.options.includes(option));
    });
    return isAsked || (isUser && wanted.length === 0) ? described.type : undefined;
  };
  const known = new Map<string, AttributeType | undefined>();
  return (description) => {
    if (!known.has(description)) known.set(description, isWanted(description));
    return known.get(description);
  };
}

function shown(
  held: readonly PartialAttribute[],
  isSelected: (description: string) => AttributeType | undefined,
  { mayRead }: View,
  typesOnly: boolean,
): readonly string[] {
  const given = held.filter(({ description }) => {
    const type = isSelected(description);
    return type !== undefined && mayRead(type);
  });
  return given.map((attribute) => (typesOnly ? attribute.description : lineOf(attribute))).sort();
}

const lines = new WeakMap<PartialAttribute, string>();

function lineOf(attribute: PartialAttribute): string {
  let line = lines.get(attribute);
  if (line === undefined) {
    line = comparable([attribute]).join();
    lines.set(attribute, line);
  }
  return line;
}

/** Attributes in a form that can be compared. */
export function comparable(attributes: readonly PartialAttribute[]): readonly string[] {
  const octets = (value: Uint8Array) => Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  return attributes.map(({ description, values }) => [description, ...values.map(octets).sort()].join('\0')).sort();
}

function keyOf(schema: Schema, name: string): Uint8Array {
  const dn = parseDn(name);
  return (dn && normalizeDn(schema, dn)) ?? new Uint8Array(0);
}
