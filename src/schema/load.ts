import { text } from '#base';
import { parseDn } from '#ldap';
import { readDefinitions, type SchemaText } from './definitions.ts';
import { normalizeDn } from './dn-key.ts';
import { isDefinition, readAttributeType, readObjectClass } from './grammar.ts';
import { invalid } from './invalid.ts';
import { resolveClasses } from './resolve-classes.ts';
import { resolveTypes } from './resolve-types.ts';
import { ruleTable } from './rules/table.ts';
import { syntaxTable } from './syntaxes/table.ts';
import type { Schema } from './types.ts';

/**
 * Builds the schema out of schema files. Definitions may stand in any order and any file; all that they name must exist.
 *
 * @throws Refusal schemaInvalid, naming file and line, for text that is no definition, names that are taken or unknown, and circles
 */
export function loadSchema(texts: readonly SchemaText[]): Schema {
  const definitions = texts.flatMap(readDefinitions);
  for (const definition of definitions)
    if (!keywords.has(definition.keyword)) throw invalid(definition, `'${definition.keyword}' begins no definition`);

  // Rules and syntaxes judge names by the schema that they are part of: they ask it when they are used, not when they are made.
  const syntaxes = syntaxTable({ isDn: (value) => dnKey(value) !== undefined, isDefinition });
  const rules = ruleTable({ dnKey, oidOf });
  const syntaxByOid = new Map(syntaxes.map((syntax) => [syntax.oid, syntax]));
  const ruleByName = new Map(rules.flatMap((rule) => [[rule.name.toLowerCase(), rule] as const, [rule.oid, rule] as const]));

  const sources = definitions
    .filter(({ keyword }) => keyword === 'attributetype')
    .map((definition) => ({ definition, row: readAttributeType(definition) }));
  const types = resolveTypes(sources, { syntax: (oid) => syntaxByOid.get(oid), rule: (name) => lookUp(ruleByName, name) });
  const classSources = definitions
    .filter(({ keyword }) => keyword === 'objectclass')
    .map((definition) => ({ definition, row: readObjectClass(definition) }));
  const classes = resolveClasses(classSources, (name) => lookUp(types.byName, name));

  const schema: Schema = {
    attributeType: (name) => lookUp(types.byName, name),
    objectClass: (name) => lookUp(classes.byName, name),
    matchingRule: (name) => lookUp(ruleByName, name),
    syntax: (oid) => syntaxByOid.get(oid),
    oidOf,
    attributeTypes: types.all,
    objectClasses: classes.all,
    matchingRules: rules,
    syntaxes,
  };
  return schema;

  function dnKey(value: Uint8Array): Uint8Array | undefined {
    const given = text(value);
    const dn = given === undefined ? undefined : parseDn(given);
    return dn && normalizeDn(schema, dn);
  }

  function oidOf(name: string): string | undefined {
    if (numericOid.test(name)) return name;
    return (schema.objectClass(name) ?? schema.attributeType(name) ?? schema.matchingRule(name))?.oid;
  }
}

const keywords = new Set(['attributetype', 'objectclass']);
const numericOid = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+$/;

/** Names are mostly written as the schema writes them: those are found without making a new string. */
function lookUp<T>(byName: ReadonlyMap<string, T>, name: string): T | undefined {
  return byName.get(name) ?? byName.get(name.toLowerCase());
}
