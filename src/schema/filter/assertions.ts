import { compareBytes, equalBytes, text } from '#base';
import type { Filter, PartialAttribute } from '#ldap';
import { isChained, isLarge } from '../entry.ts';
import type { MatchingRule, ObjectClass, Schema } from '../types.ts';
import type { Selection } from './select.ts';
import type { Test } from './test.ts';

/** Whether an attribute has a value that satisfies an assertion. */
export type AttributeTest = (attribute: PartialAttribute) => boolean;

export function testPresence(selection: Selection): Test {
  return ({ attributes }) => selection.some(attributes, hasValues);
}

function hasValues(attribute: PartialAttribute): boolean {
  return isLarge(attribute) || attribute.values.length > 0;
}

/** @returns `undefined` when the assertion cannot be evaluated on any entry */
export function testEquality(schema: Schema, selection: Selection, value: Uint8Array): Test | undefined {
  const rule = selection.type.equality;
  if (rule === undefined) return undefined;
  if (selection.type.key === 'objectclass') return testClass(schema, selection, value);
  const anyEqual = equalTo(rule, value);
  return anyEqual && (({ attributes }) => selection.some(attributes, anyEqual));
}

/** A test of values for one that a rule calls equal to the asserted one; `undefined` when that does not fit the rule. */
export function equalTo(rule: MatchingRule, value: Uint8Array): AttributeTest | undefined {
  const wanted = rule.assertion(value);
  if (wanted === undefined) return undefined;
  // Rules of first components compare a definition with a part of one: equal octets mean nothing there.
  const alike = rule.assertion === rule.normalize;
  return (attribute) => {
    if (rule.follows === true) return isChained(attribute) && attribute.chained(wanted);
    if (alike && isLarge(attribute) && attribute.rule === rule) return attribute.holds(wanted);
    const { values } = attribute;
    // The same octets are equal by every rule, and looking for them costs far less than preparing a value.
    if (alike) for (const each of values) if (equalBytes(each, value)) return true;
    for (const each of values) {
      const normal = rule.normalize(each);
      if (normal !== undefined && equalBytes(normal, wanted)) return true;
    }
    return false;
  };
}

/** An entry is of a class and of all classes above it, whether or not it lists them (RFC 4512 §2.4.1). */
function testClass(schema: Schema, selection: Selection, value: Uint8Array): Test | undefined {
  const wanted = schema.objectClass(text(value) ?? '');
  if (wanted === undefined) return undefined;
  const known = new Map<string, boolean>();
  const isOfClass: AttributeTest = ({ values }) => {
    for (const each of values) {
      const name = text(each) ?? '';
      let answer = known.get(name);
      if (answer === undefined) {
        const own: ObjectClass | undefined = schema.objectClass(name);
        answer = own?.lineage.includes(wanted) === true;
        if (own !== undefined) known.set(name, answer);
      }
      if (answer) return true;
    }
    return false;
  };
  return ({ attributes }) => selection.some(attributes, isOfClass);
}

/** @see RFC 4511 §4.5.1.7.3, §4.5.1.7.4 */
export function testOrdering(selection: Selection, kind: 'greaterOrEqual' | 'lessOrEqual', value: Uint8Array): Test | undefined {
  const rule = selection.type.ordering;
  const wanted = rule?.assertion(value);
  if (rule === undefined || wanted === undefined) return undefined;
  const sign = kind === 'greaterOrEqual' ? 1 : -1;
  const inOrder: AttributeTest = ({ values }) =>
    values.some((each) => {
      const normal = rule.normalize(each);
      return normal !== undefined && compareBytes(normal, wanted) * sign >= 0;
    });
  return ({ attributes }) => selection.some(attributes, inOrder);
}

/** @see RFC 4511 §4.5.1.7.2 */
export function testSubstrings(selection: Selection, filter: Filter & { kind: 'substrings' }): Test | undefined {
  const rule = selection.type.substrings;
  const found = rule && containing(rule, filter);
  return found && (({ attributes }) => selection.some(attributes, found));
}

/** The parts of a substrings assertion, as a filter or an extensible match gives them. */
export interface Parts {
  readonly initial?: Uint8Array;
  readonly any: readonly Uint8Array[];
  readonly final?: Uint8Array;
}

/** A test of values for one in which the parts stand in order and without overlap; `undefined` when a part does not fit the rule. */
export function containing(rule: MatchingRule, parts: Parts): AttributeTest | undefined {
  const prepare = rule.substring;
  if (prepare === undefined) return undefined;
  const initial = parts.initial && prepare(parts.initial, 'initial');
  const final = parts.final && prepare(parts.final, 'final');
  const any: Buffer[] = [];
  for (const part of parts.any) {
    const prepared = prepare(part, 'any');
    if (prepared === undefined) return undefined;
    any.push(buffer(prepared));
  }
  if ((parts.initial !== undefined && initial === undefined) || (parts.final !== undefined && final === undefined)) return undefined;

  const contains = (value: Buffer) => {
    let at = 0;
    let end = value.length;
    if (initial !== undefined) {
      if (value.length < initial.length || value.compare(initial, 0, initial.length, 0, initial.length) !== 0) return false;
      at = initial.length;
    }
    if (final !== undefined) {
      end -= final.length;
      if (end < at || value.compare(final, 0, final.length, end) !== 0) return false;
    }
    for (const part of any) {
      const found = value.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
  return ({ values }) =>
    values.some((each) => {
      const normal = rule.normalize(each);
      return normal !== undefined && contains(buffer(normal));
    });
}

function buffer(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
