import { resultCodes, walkAttributes, walkValues } from '#ldap';
import { type AttributeType, describe, type MatchingRule, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import type { AskedKey, SortOutcome } from '../controls/sorting.ts';
import { listedAttribute } from '../large.ts';
import { isComputed } from './computed.ts';
import { createDecisions } from './descriptions.ts';

/** One key by which entries are sorted, understood. */
export interface SortKey {
  readonly type: AttributeType;
  /** As entries hold it, options included. */
  readonly key: string;
  readonly rule: MatchingRule;
  readonly reverse: boolean;
}

/** slapd takes as many. */
const keysMax = 5;

/**
 * Understands the keys of a request.
 *
 * @returns the keys, or why entries cannot be sorted by them (RFC 2891 §1.2): unwillingToPerform for too many and for one that comes twice,
 *          and for what no entry stores, noSuchAttribute, inappropriateMatching
 */
export function readSortKeys(schema: Schema, asked: readonly AskedKey[]): readonly SortKey[] | SortOutcome {
  if (asked.length > keysMax) return { code: resultCodes.unwillingToPerform };
  const keys: SortKey[] = [];
  for (const { attribute, rule: ruleName, reverse } of asked) {
    const described = describe(schema, attribute);
    // Of what nobody may read there is nothing to sort by.
    if (described === undefined || described.type.secret || described.type.sealed) return { code: resultCodes.noSuchAttribute, attribute };
    const { type, key } = described;
    if (isComputed(schema, type)) return { code: resultCodes.unwillingToPerform, attribute };
    if (keys.some((each) => each.key === key)) return { code: resultCodes.unwillingToPerform, attribute };
    const rule = ruleName === undefined ? type.ordering : schema.matchingRule(ruleName);
    const isFit = rule?.kind === 'ordering' && (rule === type.ordering || rule.appliesTo.includes(type.syntax.oid));
    if (!isFit) return { code: resultCodes.inappropriateMatching, attribute };
    keys.push({ type, key, rule, reverse });
  }
  return keys;
}

/** An entry's place among others: one text for each key, whose characters are the octets of the normal form; nothing where it has no value. */
export type SortText = readonly (string | undefined)[];

/** Values that are alike for so long stand in any order. */
const textMax = 512;

/**
 * Reads the place of entries. Of several values the least counts (RFC 2891 §2.2); what who asks may not read is not there.
 */
export function sortTexts(
  schema: Schema,
  keys: readonly SortKey[],
): (entry: ReadableEntry, snapshot: Snapshot, rights: Rights) => SortText {
  const indexOf = createDecisions((description) => {
    const key = describe(schema, description)?.key;
    return keys.findIndex((each) => each.key === key);
  });
  const inOperational = keys.some(({ type }) => type.usage !== 'userApplications');

  return (entry, snapshot, rights) => {
    const texts: (string | undefined)[] = keys.map(() => undefined);
    const note = (index: number, value: Uint8Array) => {
      const normal = keys[index]?.rule.normalize(value);
      if (normal === undefined) return;
      const text = sortText(normal);
      const known = texts[index];
      if (known === undefined || text < known) texts[index] = text;
    };
    const maySort = (index: number) => index >= 0 && rights.maySearch((keys[index] as SortKey).type);
    const collect = (part: Uint8Array) =>
      walkAttributes(part, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
        const index = indexOf.of(part, descriptionStart, descriptionEnd);
        if (maySort(index)) walkValues(part, valuesStart, valuesEnd, (start, end) => note(index, part.subarray(start, end)));
      });
    collect(entry.user);
    if (inOperational) collect(entry.operational);
    for (const list of entry.large) {
      const index = keys.findIndex(({ key }) => key === list.attribute);
      if (maySort(index)) for (const value of listedAttribute(snapshot, list).values) note(index, value);
    }
    return texts;
  };
}

/** The text of a normal form: texts stand in the order of the octets. */
export function sortText(normal: Uint8Array): string {
  return Buffer.from(normal.buffer, normal.byteOffset, Math.min(normal.length, textMax)).toString('latin1');
}

/** RFC 2891 §2.2: an entry without the attribute counts as one with a value larger than all others, so that it is the last, and in reverse the first. */
export function compareTexts(keys: readonly SortKey[], one: SortText, other: SortText): number {
  for (let at = 0; at < keys.length; at++) {
    const a = one[at];
    const b = other[at];
    if (a === b) continue;
    const order = a === undefined ? 1 : b === undefined || a < b ? -1 : 1;
    return keys[at]?.reverse === true ? -order : order;
  }
  return 0;
}
