import { type Filter, walkAttributes, walkValues } from '#ldap';
import { type AttributeType, describe, type MatchingRule, type Schema } from '#schema';
import type { Column, Probe } from '#store';
import { createDecisions } from './descriptions.ts';

/** What to look for in which column. */
export interface ColumnProbe {
  readonly column: Column;
  readonly probe: Probe;
}

type Substrings = Filter & { kind: 'substrings' };
type Ordering = Filter & { kind: 'greaterOrEqual' | 'lessOrEqual' };

/** Finds entries that have the attribute at all. */
export function presenceProbe(schema: Schema, type: AttributeType): ColumnProbe {
  return { column: columnOf(schema, type, type.equality, false), probe: { kind: 'present' } };
}

/** @returns nothing when no value can be equal */
export function equalityProbe(schema: Schema, type: AttributeType, value: Uint8Array): ColumnProbe | undefined {
  const key = type.equality?.assertion(value);
  return key && { column: columnOf(schema, type, type.equality, false), probe: { kind: 'equal', key } };
}

/** @returns nothing when the assertion cannot be evaluated */
export function orderingProbe(schema: Schema, type: AttributeType, { kind, value }: Ordering): ColumnProbe | undefined {
  const rule = type.ordering;
  const wanted = rule?.assertion(value);
  if (rule === undefined || wanted === undefined) return undefined;
  const sign = kind === 'greaterOrEqual' ? 1 : -1;
  const test = (bytes: Uint8Array, start: number, end: number) => compareAt(bytes, start, end, wanted) * sign >= 0;
  return { column: columnOf(schema, type, rule, true), probe: { kind: 'passing', needle: undefined, test } };
}

/** As `compareBytes`, without making a view of the one value. */
function compareAt(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): number {
  const length = Math.min(end - start, wanted.length);
  for (let at = 0; at < length; at++) {
    const difference = (bytes[start + at] as number) - (wanted[at] as number);
    if (difference !== 0) return difference;
  }
  return end - start - wanted.length;
}

/**
 * Looks for the longest inner part, and that the outer ones stand where they must: whether all of them stand there in order is seen on the entry.
 *
 * @returns nothing when the assertion cannot be evaluated
 */
export function substringsProbe(schema: Schema, type: AttributeType, filter: Substrings): ColumnProbe | undefined {
  const rule = type.substrings;
  const prepare = rule?.substring;
  if (rule === undefined || prepare === undefined) return undefined;
  const initial = filter.initial && prepare(filter.initial, 'initial');
  const final = filter.final && prepare(filter.final, 'final');
  const any = filter.any.map((part) => prepare(part, 'any'));
  if ((filter.initial && !initial) || (filter.final && !final) || any.includes(undefined)) return undefined;
  const needle = any.reduce((longest, part) => ((part?.length ?? 0) > (longest?.length ?? 0) ? part : longest), undefined);
  const test = (bytes: Uint8Array, start: number, end: number) =>
    (initial === undefined || stands(bytes, start, end, initial)) &&
    (final === undefined || stands(bytes, end - final.length, end, final, start));
  return { column: columnOf(schema, type, rule, true), probe: { kind: 'passing', needle: needle && Buffer.from(needle), test } };
}

/** Whether a part stands at a place of a value, which begins at `from`. */
function stands(bytes: Uint8Array, at: number, end: number, part: Uint8Array, from = at): boolean {
  if (at < from || at + part.length > end) return false;
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

const columns = new WeakMap<Schema, { readonly number: number; readonly byName: Map<string, Column> }>();
/** The store knows a column by its name, and what one holds may differ from schema to schema. */
let schemas = 0;

/** The column of a type's whole family (RFC 4512 §2.5.2), whatever options stand behind its names, in the normal form of a rule. */
function columnOf(schema: Schema, type: AttributeType, rule: MatchingRule | undefined, whole: boolean): Column {
  let known = columns.get(schema);
  if (known === undefined) {
    known = { number: ++schemas, byName: new Map() };
    columns.set(schema, known);
  }
  const name = `${type.key} ${whole ? rule?.name : 'hashes'}`;
  let column = known.byName.get(name);
  if (column === undefined) {
    column = { name: `${name} ${known.number}`, whole, values: reading(schema, type, rule) };
    known.byName.set(name, column);
  }
  return column;
}

function reading(schema: Schema, { family }: AttributeType, rule: MatchingRule | undefined): Column['values'] {
  const holds = createDecisions((description) => {
    const described = describe(schema, description);
    return described !== undefined && family.includes(described.type);
  });
  const inUser = family.some(({ usage }) => usage === 'userApplications');
  const inOperational = family.some(({ usage }) => usage !== 'userApplications');
  return ({ user, operational, partly }) => {
    if (partly) return undefined;
    const values: (Uint8Array | undefined)[] = [];
    const collect = (bytes: Uint8Array) =>
      walkAttributes(bytes, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
        if (!holds.of(bytes, descriptionStart, descriptionEnd)) return;
        walkValues(bytes, valuesStart, valuesEnd, (start, end) => void values.push(rule?.normalize(bytes.subarray(start, end))));
      });
    if (inUser) collect(user);
    if (inOperational) collect(operational);
    return values;
  };
}
