import { utf8 } from '#base';
import { encodeAttributeHead, encodeAttributes, type PartialAttribute, walkAttributes } from '#ldap';
import { type AttributeType, describe, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Asker } from '../access/asker.ts';
import type { Rights } from '../access/resolve.ts';
import { indexKey } from '../indexing.ts';
import { listedPieces } from '../large.ts';
import { subschemaDn } from '../realm.ts';
import type { ViewAnswers } from './answers.ts';
import { createDecisions, type Decisions } from './descriptions.ts';
import type { Wanted } from './select.ts';

/** Turns stored entries into the attributes of an answer, in pieces. */
export type Projection = (entry: ReadableEntry, snapshot: Snapshot, asker: Asker) => readonly Uint8Array[];

/** What tells an entry from all others. */
type Identified = Pick<ReadableEntry, 'dn' | 'uuid'>;

/** Attributes that no entry stores: worked out for those who ask for them. */
interface Computed {
  readonly name: string;
  readonly values: (entry: Identified, snapshot: Snapshot, schema: Schema, asker: Asker) => readonly string[];
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
  entry: Identified,
  snapshot: Snapshot,
  asker: Asker,
): PartialAttribute | undefined {
  const row = computed.find(({ name }) => schema.attributeType(name) === type);
  return row && compute(row, entry, snapshot, schema, asker);
}

/** Groups named as holding one entry, at most. */
const groupsMax = 10_000;

/**
 * Prepares what is the same for all entries of one place and one selection. When everything that is stored is wanted and may be read, the
 * stored octets are the answer; otherwise ranges of them are, found without looking at values, once for each entry.
 */
export function projection(schema: Schema, wanted: Wanted, rights: Rights, typesOnly: boolean, answers: ViewAnswers): Projection {
  const shows = (description: string): boolean => {
    const described = describe(schema, description);
    return described !== undefined && rights.mayRead(described.type) && wanted.holds(described.type, described.options);
  };
  const isShown = createDecisions(shows);
  const extras = wanted.anyOperational ? computed.filter(({ name }) => isAsked(schema, name, wanted, rights)) : [];

  const rangesOf = ({ user, operational }: ReadableEntry): number[] => {
    const ranges: number[] = [];
    if (wanted.anyUser) addRanges(user, 0, isShown, ranges);
    if (wanted.anyOperational) addRanges(operational, user.length, isShown, ranges);
    return ranges;
  };

  const pieces = (entry: ReadableEntry): Uint8Array[] => {
    const { attributes } = entry;
    const known = answers.get(entry.version, attributes);
    if (known !== undefined) return known;
    const ranges = rangesOf(entry);
    answers.keep(entry.version, ranges);
    return piecesOf(attributes, ranges);
  };

  const isUserAlone = wanted.allUser && rights.allUser && !wanted.anyOperational;
  const stored = typesOnly
    ? (entry: ReadableEntry) => piecesOf(entry.attributes, rangesOf(entry)).map(typesIn)
    : isUserAlone
      ? ({ user }: ReadableEntry) => [user]
      : pieces;

  const whole = (entry: ReadableEntry, snapshot: Snapshot): Uint8Array[] =>
    entry.large.length === 0 ? stored(entry) : [...stored(entry), ...listed(entry, snapshot)];

  const listed = ({ large }: ReadableEntry, snapshot: Snapshot): Uint8Array[] =>
    large
      .filter(({ description }) => shows(description))
      .flatMap((list) => (typesOnly ? [encodeAttributeHead(list.description, 0)] : listedPieces(snapshot, list)));

  if (extras.length === 0) return whole;
  return (entry, snapshot, asker) => {
    const added = extras.map((each) => compute(each, entry, snapshot, schema, asker)).filter((each) => each !== undefined);
    const shown = typesOnly ? added.map(({ description }) => ({ description, values: [] })) : added;
    return [...whole(entry, snapshot), encodeAttributes(shown)];
  };
}

function isAsked(schema: Schema, name: string, wanted: Wanted, rights: Rights): boolean {
  const type: AttributeType | undefined = schema.attributeType(name);
  return type !== undefined && rights.mayRead(type) && wanted.holds(type, []);
}

/** Where the attributes that are shown begin and end; those that stand side by side as one piece. `offset` is where the part begins. */
function addRanges(part: Uint8Array, offset: number, isShown: Decisions<boolean>, ranges: number[]): void {
  walkAttributes(part, (start, end, descriptionStart, descriptionEnd) => {
    if (!isShown.of(part, descriptionStart, descriptionEnd)) return;
    if (ranges.at(-1) === offset + start) ranges.pop();
    else ranges.push(offset + start);
    ranges.push(offset + end);
  });
}

function piecesOf(attributes: Uint8Array, ranges: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < ranges.length; at += 2) pieces.push(attributes.subarray(ranges[at], ranges[at + 1]));
  return pieces;
}

/** Attributes without their values. */
function typesIn(bytes: Uint8Array): Uint8Array {
  const found: PartialAttribute[] = [];
  walkAttributes(bytes, (_start, _end, descriptionStart, descriptionEnd) => {
    found.push({ description: Buffer.from(bytes.subarray(descriptionStart, descriptionEnd)).toString('latin1'), values: [] });
  });
  return encodeAttributes(found);
}

/** An attribute with the values that an entry has of it; nothing for one without. */
function compute({ name, values }: Computed, ...about: Parameters<Computed['values']>): PartialAttribute | undefined {
  const found = values(...about);
  return found.length === 0 ? undefined : { description: name, values: found.map(utf8) };
}

/** The groups that name an entry in `member` or `uniqueMember`, each once; none that the asker may not see. */
function groupsOf(schema: Schema, snapshot: Snapshot, entry: Identified, asker: Asker): string[] {
  const ids = new Set<number>();
  for (const name of ['member', 'uniqueMember']) {
    const type = schema.attributeType(name);
    const key = type?.equality?.assertion(utf8(entry.dn));
    if (type === undefined || key === undefined) continue;
    for (const id of snapshot.idsEqual(type.key, indexKey(type, key), groupsMax)) ids.add(id);
  }
  const names: string[] = [];
  for (const id of ids) {
    const group = snapshot.readable(id);
    if (group !== undefined && asker.rightsOn(group).visible) names.push(group.dn);
  }
  return names;
}
