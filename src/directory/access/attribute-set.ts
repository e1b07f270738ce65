import type { AttributeType, Schema } from '#schema';
import type { AttributeSet } from './rule.ts';

/** Every attribute. */
export const allAttributes: AttributeSet = { holds: () => true, text: '' };

const extensibleObject = '1.3.6.1.4.1.1466.101.120.111';

/** What one value of `stsRuleAttribute` stands for. */
type Names =
  | { readonly kind: 'user' | 'operational' }
  | { readonly kind: 'types'; readonly types: readonly AttributeType[] }
  | { readonly kind: 'wrong'; readonly why: string };

/**
 * Which attributes the values of `stsRuleAttribute` stand for: names with their subtypes, `*` for user attributes, `+` for operational ones, `@class` for
 * all that a class and its superiors require or allow (RFC 4529), and each with `!` before it for those that are taken away, whatever the others say.
 * Where all are taken away from nothing they are taken away from everything.
 *
 * @returns what is wrong with a value
 */
export function readAttributeSet(schema: Schema, values: readonly string[]): AttributeSet | { readonly why: string } {
  if (values.length === 0) return allAttributes;
  const given = { user: false, operational: false, types: new Set<AttributeType>() };
  const taken = { user: false, operational: false, types: new Set<AttributeType>() };
  for (const value of values) {
    const isTaken = value.startsWith('!');
    const names = namesOf(schema, isTaken ? value.slice(1) : value);
    if (names.kind === 'wrong') return { why: names.why };
    const into = isTaken ? taken : given;
    if (names.kind === 'types') for (const type of names.types) into.types.add(type);
    else into[names.kind] = true;
  }
  if (values.every((value) => value.startsWith('!'))) {
    given.user = true;
    given.operational = true;
  }
  const isIn = ({ user, operational, types }: typeof given, type: AttributeType) =>
    types.has(type) || (type.usage === 'userApplications' ? user : operational);
  return {
    holds: (type) => isIn(given, type) && !isIn(taken, type),
    text: values
      .map((value) => value.toLowerCase())
      .toSorted()
      .join(' '),
  };
}

function namesOf(schema: Schema, text: string): Names {
  if (text === '*') return { kind: 'user' };
  if (text === '+') return { kind: 'operational' };
  if (!text.startsWith('@')) {
    const type = schema.attributeType(text);
    if (type === undefined) return { kind: 'wrong', why: `${text}: no schema defines this attribute` };
    return { kind: 'types', types: type.family };
  }
  const found = schema.objectClass(text.slice(1));
  if (found === undefined) return { kind: 'wrong', why: `${text}: no schema defines this class` };
  if (found.lineage.some(({ oid }) => oid === extensibleObject)) return { kind: 'user' };
  return { kind: 'types', types: [...found.must, ...found.may].flatMap((type) => type.family) };
}
