import { compareBytes, text, utf8 } from '#base';
import type { Dn, Filter } from '#ldap';
import { describe, typeOfKey } from '../describe.ts';
import { isWorked } from '../entry.ts';
import { readSubstringAssertion } from '../syntaxes/table.ts';
import type { AttributeType, MatchingRule, Schema } from '../types.ts';
import { type AttributeTest, containing, equalTo, testEquality } from './assertions.ts';
import { selectValues } from './select.ts';
import { type Test, undefinedTest } from './test.ts';

/**
 * An extensible match: by a rule, on one attribute description or on all attributes that the rule can be used with, on the entry's own
 * name too where `dnAttributes` asks for it.
 *
 * @see RFC 4511 §4.5.1.7.7
 */
export function testExtensible(schema: Schema, filter: Filter & { kind: 'extensible' }): Test {
  const described = filter.description === undefined ? undefined : describe(schema, filter.description);
  if (filter.description !== undefined && (described === undefined || described.type.secret)) return undefinedTest;
  const rule = filter.rule === undefined ? described?.type.equality : schema.matchingRule(filter.rule);
  const satisfied = rule && assertionTest(rule, filter.value);
  if (rule === undefined || satisfied === undefined) return undefinedTest;

  const applies = (type: AttributeType) => !type.secret && appliesTo(rule, type);
  if (described !== undefined) {
    if (!applies(described.type)) return undefinedTest;
    const selection = selectValues(described);
    const byRule: Test = ({ attributes }) => selection.some(attributes, satisfied);
    // Without a rule it is an equality match, and an entry is of the classes above its own.
    const held = filter.rule === undefined ? (testEquality(schema, selection, filter.value) ?? undefinedTest) : byRule;
    if (!filter.dnAttributes) return held;
    const named = new Set(described.type.family);
    return (entry) => {
      const own = held(entry);
      return own === true || nameSatisfies(schema, entry.dn, (type) => named.has(type), satisfied) || own;
    };
  }
  return ({ attributes, dn }) => {
    for (const [key, attribute] of attributes) {
      const type = schema.attributeType(typeOfKey(key));
      if (type !== undefined && applies(type) && !isWorked(attribute) && satisfied(attribute)) return true;
    }
    return filter.dnAttributes && nameSatisfies(schema, dn, applies, satisfied);
  };
}

/** Whether a rule can be used with an attribute: it is one of its own, or made for its syntax (RFC 4512 §4.1.4). */
export function appliesTo(rule: MatchingRule, type: AttributeType): boolean {
  return rule === type.equality || rule === type.ordering || rule === type.substrings || rule.appliesTo.includes(type.syntax.oid);
}

function assertionTest(rule: MatchingRule, value: Uint8Array): AttributeTest | undefined {
  switch (rule.kind) {
    case 'equality':
      return equalTo(rule, value);
    case 'ordering':
      return before(rule, value);
    case 'extensible':
      return having(rule, value);
    case 'substrings': {
      const parts = readSubstringAssertion(text(value) ?? '');
      if (parts === undefined) return undefined;
      const { initial, any, final } = parts;
      return containing(rule, {
        ...(initial === undefined ? {} : { initial: utf8(initial) }),
        any: any.map(utf8),
        ...(final === undefined ? {} : { final: utf8(final) }),
      });
    }
  }
}

/** An ordering rule by itself asks whether the value stands before the asserted one (RFC 4517 §4.2.4). */
function before(rule: MatchingRule, value: Uint8Array): AttributeTest | undefined {
  const wanted = rule.assertion(value);
  if (wanted === undefined) return undefined;
  return ({ values }) =>
    values.some((each) => {
      const normal = rule.normalize(each);
      return normal !== undefined && compareBytes(normal, wanted) < 0;
    });
}

function having(rule: MatchingRule, value: Uint8Array): AttributeTest | undefined {
  const wanted = rule.assertion(value);
  if (wanted === undefined) return undefined;
  return ({ values }) =>
    values.some((each) => {
      const normal = rule.normalize(each);
      return normal !== undefined && rule.satisfies?.(normal, wanted) === true;
    });
}

function nameSatisfies(schema: Schema, dn: Dn, wanted: (type: AttributeType) => boolean, satisfied: AttributeTest): boolean {
  return dn.some((rdn) =>
    rdn.some(({ type: name, value }) => {
      const type = schema.attributeType(name);
      return type !== undefined && wanted(type) && satisfied({ description: name, values: [value] });
    }),
  );
}
