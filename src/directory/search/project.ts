import { concat, empty, utf8 } from '#base';
import { encodeAttributes, type PartialAttribute, walkAttributes } from '#ldap';
import { type AttributeType, describe, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Asker } from '../access/asker.ts';
import type { Rights } from '../access/resolve.ts';
import { subschemaDn } from '../realm.ts';
import type { Wanted } from './select.ts';

/** Turns stored entries into the attributes of an answer. */
export type Projection = (entry: ReadableEntry, snapshot: Snapshot) => Uint8Array;

/** Attributes that no entry stores: worked out for those who ask for them. */
interface Computed {
  readonly name: string;
  readonly values: (entry: ReadableEntry, snapshot: Snapshot, schema: Schema, asker: Asker) => readonly string[];
}

const computed: readonly Computed[] = [
  { name: 'entryDN', values: (entry) => [entry.dn] },
  { name: 'subschemaSubentry', values: () => [subschemaDn] },
  { name: 'hasSubordinates', values: (entry, snapshot) => [snapshot.hasChildren(entry.uuid) ? 'TRUE' : 'FALSE'] },
  { name: 'memberOf', values: (entry, snapshot, schema, asker) => groupsOf(schema, snapshot, entry, asker) },
];

/** An attribute that no entry stores, as an entry has it; `undefined` for one that it has not, and for one that is stored where it is. */
export function computedAttribute(
  schema: Schema,
  type: AttributeType,
  entry: ReadableEntry,
  snapshot: Snapshot,
  asker: Asker,
): PartialAttribute | undefined {
  const row = computed.find(({ name }) => schema.attributeType(name) === type);
  return row && compute(row, entry, snapshot, schema, asker);
}

/** Groups named as holding one entry, at most. */
const groupsMax = 10_000;

/**
 * Prepares what is the same for all entries of one search and one place. When everything that is stored is wanted and may be read, the
 * stored octets are the answer; otherwise their ranges are copied, attribute by attribute, without looking at values.
 */
export function projection(schema: Schema, wanted: Wanted, rights: Rights, asker: Asker, typesOnly: boolean): Projection {
  const decided = new Map<string, boolean>();
  const decide = (description: string): boolean => {
    let answer = decided.get(description);
    if (answer === undefined) {
      const described = describe(schema, description);
      answer = described !== undefined && rights.mayRead(described.type) && wanted.holds(described.type, described.options);
      decided.set(description, answer);
    }
    return answer;
  };

  const part = (bytes: Uint8Array, wholly: boolean, any: boolean): Uint8Array => {
    if (!any) return empty;
    if (wholly && !typesOnly) return bytes;
    return typesOnly ? types(bytes, decide) : copy(bytes, decide);
  };

  const userWholly = wanted.allUser && rights.allUser;
  const operationalWholly = wanted.allOperational && rights.allOperational;
  const extras = wanted.anyOperational ? computed.filter(({ name }) => isAsked(schema, name, wanted, rights)) : [];

  return (entry, snapshot) => {
    const user = part(entry.user, userWholly, wanted.anyUser);
    if (!wanted.anyOperational) return user;
    const operational = part(entry.operational, operationalWholly, true);
    const added = extras.map((each) => compute(each, entry, snapshot, schema, asker)).filter((each) => each !== undefined);
    const shown = typesOnly ? added.map(({ description }) => ({ description, values: [] })) : added;
    return concat([user, operational, encodeAttributes(shown)]);
  };
}

function isAsked(schema: Schema, name: string, wanted: Wanted, rights: Rights): boolean {
  const type: AttributeType | undefined = schema.attributeType(name);
  return type !== undefined && rights.mayRead(type) && wanted.holds(type, []);
}

function copy(bytes: Uint8Array, decide: (description: string) => boolean): Uint8Array {
  const ranges: Uint8Array[] = [];
  walkAttributes(bytes, (start, end, descriptionStart, descriptionEnd) => {
    if (decide(latin(bytes, descriptionStart, descriptionEnd))) ranges.push(bytes.subarray(start, end));
  });
  return ranges.length === 1 ? (ranges[0] ?? empty) : concat(ranges);
}

function types(bytes: Uint8Array, decide: (description: string) => boolean): Uint8Array {
  const found: PartialAttribute[] = [];
  walkAttributes(bytes, (_start, _end, descriptionStart, descriptionEnd) => {
    const description = latin(bytes, descriptionStart, descriptionEnd);
    if (decide(description)) found.push({ description, values: [] });
  });
  return encodeAttributes(found);
}

/** Descriptions are ASCII (RFC 4512 §1.4). */
function latin(bytes: Uint8Array, start: number, end: number): string {
  let description = '';
  for (let at = start; at < end; at++) description += String.fromCharCode(bytes[at] as number);
  return description;
}

/** An attribute with the values that an entry has of it; nothing for one without. */
function compute({ name, values }: Computed, ...about: Parameters<Computed['values']>): PartialAttribute | undefined {
  const found = values(...about);
  return found.length === 0 ? undefined : { description: name, values: found.map(utf8) };
}

/** The groups that name an entry in `member` or `uniqueMember`, each once; none that the asker may not see. */
function groupsOf(schema: Schema, snapshot: Snapshot, entry: ReadableEntry, asker: Asker): string[] {
  const ids = new Set<number>();
  for (const name of ['member', 'uniqueMember']) {
    const type = schema.attributeType(name);
    const key = type?.equality?.assertion(utf8(entry.dn));
    if (type === undefined || key === undefined) continue;
    for (const id of snapshot.idsEqual(type.key, key, groupsMax)) ids.add(id);
  }
  const names: string[] = [];
  for (const id of ids) {
    const group = snapshot.readable(id);
    if (group !== undefined && asker.rightsAt(group.dnKey, group.uuid).visible) names.push(group.dn);
  }
  return names;
}
