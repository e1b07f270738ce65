import { utf8 } from '#base';
import { type PartialAttribute, printSyntax } from '#ldap';
import { appliesTo } from './filter/extensible.ts';
import type { MatchingRule, Schema, Syntax } from './types.ts';

/**
 * The attributes by which the subschema subentry describes the schema, in RFC 4512 §4.1 text.
 *
 * @see RFC 4512 §4.2
 */
export function subschemaAttributes(schema: Schema): readonly PartialAttribute[] {
  let made = madeOf.get(schema);
  if (made === undefined) {
    made = describeSchema(schema);
    madeOf.set(schema, made);
  }
  return made;
}

/** Anybody may ask for it, as often as they like: it is written once. */
const madeOf = new WeakMap<Schema, readonly PartialAttribute[]>();

function describeSchema(schema: Schema): PartialAttribute[] {
  const uses = schema.matchingRules.map((rule) => matchingRuleUse(schema, rule));
  return [
    attribute('ldapSyntaxes', schema.syntaxes.map(printedSyntax)),
    attribute(
      'matchingRules',
      schema.matchingRules.map(({ oid, name, syntax }) => `( ${oid} NAME '${name}' SYNTAX ${syntax} )`),
    ),
    attribute(
      'matchingRuleUse',
      uses.filter((use) => use !== undefined),
    ),
    attribute(
      'attributeTypes',
      schema.attributeTypes.map(({ definition }) => definition),
    ),
    attribute(
      'objectClasses',
      schema.objectClasses.map(({ definition }) => definition),
    ),
    attribute('dITContentRules', schema.contentRules),
    attribute('nameForms', schema.nameForms),
    attribute('dITStructureRules', schema.structureRules),
  ].filter(({ values }) => values.length > 0);
}

function printedSyntax({ oid, name, readable, substitute }: Syntax): string {
  return printSyntax({
    oid,
    description: name,
    extensions: {
      ...(substitute === undefined ? {} : { 'X-SUBST': [substitute] }),
      ...(readable ? {} : { 'X-NOT-HUMAN-READABLE': ['TRUE'] }),
    },
  });
}

/** A rule that no attribute can be matched by has no use to describe. */
function matchingRuleUse(schema: Schema, rule: MatchingRule): string | undefined {
  const names = schema.attributeTypes.filter((type) => !type.secret && appliesTo(rule, type)).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return `( ${rule.oid} NAME '${rule.name}' APPLIES ${names.length === 1 ? names[0] : `( ${names.join(' $ ')} )`} )`;
}

function attribute(description: string, values: readonly string[]): PartialAttribute {
  return { description, values: values.map(utf8) };
}
