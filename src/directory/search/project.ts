import { encodeAttributeHead, encodeAttributes, type PartialAttribute, walkAttributes } from '#ldap';
import { describe, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Asker } from '../access/asker.ts';
import type { Rights } from '../access/rights.ts';
import { listedPieces } from '../large.ts';
import type { ViewAnswers } from './answers.ts';
import { computedTypes, type WorkingFor } from './computed.ts';
import { createDecisions, type Decisions } from './descriptions.ts';
import type { Wanted } from './select.ts';

/** Turns stored entries into the attributes of an answer, in pieces. */
export type Projection = (entry: ReadableEntry, snapshot: Snapshot, asker: Asker) => readonly Uint8Array[];

/**
 * Prepares what is the same for all entries of one place and one selection. When everything that is stored is wanted and may be read, the
 * stored octets are the answer; otherwise ranges of them are, found without looking at values, once for each entry.
 */
export function projection(
  schema: Schema,
  workingFor: WorkingFor,
  wanted: Wanted,
  rights: Rights,
  typesOnly: boolean,
  answers: ViewAnswers,
): Projection {
  const shows = (description: string): boolean => {
    const described = describe(schema, description);
    return described !== undefined && rights.mayRead(described.type) && wanted.holds(described.type, described.options);
  };
  const isShown = createDecisions(shows);
  const extras = wanted.anyOperational
    ? computedTypes(schema, (type, onlyNamed) => rights.mayRead(type) && (onlyNamed ? wanted.isNamed(type) : wanted.holds(type, [])))
    : [];

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

  const member = schema.attributeType('member');
  const showsMembers = member !== undefined && rights.mayRead(member) && wanted.holds(member, []);
  const withMembers = (project: Projection): Projection =>
    showsMembers ? (...about) => besideMembers(project(...about), workingFor, typesOnly, ...about) : project;

  if (extras.length === 0) return withMembers(whole);
  return withMembers((entry, snapshot, asker) => {
    const working = workingFor.of(asker, snapshot);
    const added = extras.map((type) => working.attribute(type, entry, snapshot)).filter((each) => each !== undefined);
    const shown = typesOnly ? added.map(({ description }) => ({ description, values: [] })) : added;
    return [...whole(entry, snapshot), encodeAttributes(shown)];
  });
}

/** Adds the members of a group that are found by searches; what such a group names itself stands for itself. */
function besideMembers(
  pieces: readonly Uint8Array[],
  workingFor: WorkingFor,
  typesOnly: boolean,
  ...[entry, snapshot, asker]: Parameters<Projection>
): readonly Uint8Array[] {
  if (!workingFor.isDynamic(entry, snapshot)) return pieces;
  const found = workingFor.of(asker, snapshot).members(entry, snapshot);
  if (found === undefined) return pieces;
  return [...pieces, encodeAttributes([typesOnly ? { description: found.description, values: [] } : found])];
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
