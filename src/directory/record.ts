import { concat, empty, text, utf8 } from '#base';
import { encodeAttributes, KeptAttribute, type PartialAttribute, walkAttributes } from '#ldap';
import { describe, type Schema, structuralClass, typeAt } from '#schema';
import type { EntryRecord, ReadableEntry, StoredEntry } from '#store';
import { generalizedTime } from './csn.ts';
import type { Name } from './realm.ts';
import { createDecisions, type Decisions } from './search/descriptions.ts';

/** All attributes of an entry while a write decides about them, secret ones too: keys as in `EntryAttributes`. */
export type Attributes = Map<string, PartialAttribute>;

/** Reads all that is stored of an entry. */
export function attributesOf(schema: Schema, entry: Pick<StoredEntry, 'user' | 'operational' | 'secret'>): Attributes {
  const attributes: Attributes = new Map();
  const names = namesOf(schema);
  for (const part of [entry.user, entry.operational, entry.secret]) {
    walkAttributes(part, (start, end, descriptionStart, descriptionEnd) => {
      const { key, description } = names.of(part, descriptionStart, descriptionEnd);
      attributes.set(key, new KeptAttribute(description, part.subarray(start, end)));
    });
  }
  return attributes;
}

/** How entries hold an attribute, by its description as it is stored. */
interface Held {
  readonly key: string;
  readonly description: string;
}

const tables = new WeakMap<Schema, Decisions<Held>>();

function namesOf(schema: Schema): Decisions<Held> {
  let names = tables.get(schema);
  if (names === undefined) {
    names = createDecisions((description) => ({ key: describe(schema, description)?.key ?? description.toLowerCase(), description }));
    tables.set(schema, names);
  }
  return names;
}

/** Puts attributes into the form of the store, each in the part where it belongs. */
export function recordOf(
  schema: Schema,
  place: { readonly uuid: string; readonly parent: string | undefined; readonly name: Name; readonly csn: string },
  attributes: Attributes,
): EntryRecord {
  const user: PartialAttribute[] = [];
  const operational: PartialAttribute[] = [];
  const secret: PartialAttribute[] = [];
  for (const [key, attribute] of attributes) {
    const type = typeAt(schema, key);
    if (type === undefined) throw new Error(`an attribute without a type reached the store: ${key}`);
    if (type.secret || type.sealed) secret.push(attribute);
    else if (type.usage === 'userApplications') user.push(attribute);
    else operational.push(attribute);
  }
  const { uuid, parent, name, csn } = place;
  return {
    uuid,
    parent,
    dn: name.text,
    dnKey: name.key,
    csn,
    user: encode(user),
    operational: encode(operational),
    secret: encode(secret),
  };
}

function encode(attributes: readonly PartialAttribute[]): Uint8Array {
  return attributes.length === 0 ? empty : encodeAttributes(attributes);
}

/** Who changes an entry, and when. */
export interface Stamp {
  readonly csn: string;
  readonly nowMs: number;
  /** The DN that acts; empty for the service itself. */
  readonly by: string;
}

/** What the directory keeps of each entry, and of dynamic ones besides, and nobody else sets: keys of attributes. */
export const ownOperational: ReadonlySet<string> = new Set([
  ...['structuralobjectclass', 'entryuuid', 'entrycsn', 'createtimestamp', 'modifytimestamp', 'creatorsname', 'modifiersname'],
  'entryexpiretimestamp',
]);

/**
 * The operational attributes of a new entry (RFC 4512 §3.4, RFC 4530). Those that an import brings stay, and where they stand: so an export of an import is
 * the same text.
 */
export function stampNew(schema: Schema, attributes: Attributes, uuid: string, stamp: Stamp): void {
  if (latestStamp?.nowMs !== stamp.nowMs || latestStamp.by !== stamp.by) {
    latestStamp = { ...stamp, time: [utf8(generalizedTime(stamp.nowMs))], name: [utf8(stamp.by)] };
  }
  const { time, name: by } = latestStamp;
  set(attributes, 'structuralObjectClass', structuralClass(schema, attributes).name);
  set(attributes, 'entryUUID', uuid);
  set(attributes, 'entryCSN', stamp.csn);
  stampOnce(attributes, 'createtimestamp', 'createTimestamp', time);
  stampOnce(attributes, 'modifytimestamp', 'modifyTimestamp', time);
  stampOnce(attributes, 'creatorsname', 'creatorsName', by);
  stampOnce(attributes, 'modifiersname', 'modifiersName', by);
}

function stampOnce(attributes: Attributes, key: string, description: string, values: readonly Uint8Array[]): void {
  if (!attributes.has(key)) attributes.set(key, { description, values });
}

/** Many entries are made in the same moment by the same. */
let latestStamp: (Pick<Stamp, 'nowMs' | 'by'> & { readonly time: readonly Uint8Array[]; readonly name: readonly Uint8Array[] }) | undefined;

/**
 * The operational attributes that a change moves.
 *
 * @param given  keys of those that the change itself sets
 */
export function stampChanged(attributes: Attributes, stamp: Stamp, given: ReadonlySet<string> = nothingGiven): void {
  set(attributes, 'entryCSN', stamp.csn);
  if (!given.has('modifytimestamp')) set(attributes, 'modifyTimestamp', generalizedTime(stamp.nowMs));
  if (!given.has('modifiersname')) set(attributes, 'modifiersName', stamp.by);
}

const nothingGiven: ReadonlySet<string> = new Set();

/** `structuralObjectClass` of an entry whose classes may be others than before. */
export function stampClass(schema: Schema, attributes: Attributes): void {
  const { name } = structuralClass(schema, attributes);
  const held = attributes.get('structuralobjectclass')?.values[0];
  if (held === undefined || text(held) !== name) set(attributes, 'structuralObjectClass', name);
}

function set(attributes: Attributes, name: string, value: string): void {
  attributes.set(name.toLowerCase(), { description: name, values: [utf8(value)] });
}

/** An entry as search reads it. */
export function readableOf(entry: StoredEntry): ReadableEntry;
export function readableOf(entry: StoredEntry | undefined): ReadableEntry | undefined;
export function readableOf(entry: StoredEntry | undefined): ReadableEntry | undefined {
  if (entry === undefined) return undefined;
  const { secret, ...rest } = entry;
  const attributes = concat([entry.user, entry.operational]);
  return {
    ...rest,
    dnOctets: utf8(entry.dn),
    attributes,
    octets: attributes.length + secret.length,
    hasUuid: (uuid) => uuid === entry.uuid,
    version: --lastVersion,
  };
}

/** Those of the store's cache count up. */
let lastVersion = 0;
