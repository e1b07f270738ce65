import { text } from '#base';
import { parseDn, printDitStructureRule } from '#ldap';
import { type Definition, readDefinitions, type SchemaText } from './definitions.ts';
import { normalizeDn } from './dn-key.ts';
import {
  isDefinition,
  readAttributeType,
  readContentRule,
  readNameForm,
  readObjectClass,
  readStructureRule,
  readSyntax,
} from './grammar.ts';
import { invalid } from './invalid.ts';
import { resolveClasses } from './resolve-classes.ts';
import { resolveTypes } from './resolve-types.ts';
import { ruleTable } from './rules/table.ts';
import { resolveContentRules, resolveNameForms } from './rules-of-tree.ts';
import { syntaxTable } from './syntaxes/table.ts';
import type { Schema, Syntax } from './types.ts';

/**
 * Builds the schema out of schema files and definitions from elsewhere. They may stand in any order and any file; all that they name must exist.
 *
 * @param stored  definitions beside the files, those that were added at run time
 * @throws Refusal schemaInvalid, naming file and line, for text that is no definition, names that are taken or unknown, and circles
 */
export function loadSchema(texts: readonly SchemaText[], stored: readonly Definition[] = []): Schema {
  const definitions = withStored(texts.flatMap(readDefinitions), stored);
  const read = <Row>(keyword: string, parse: (definition: Definition) => Row) =>
    definitions.filter((each) => each.keyword === keyword).map((definition) => ({ definition, row: parse(definition) }));

  // Rules and syntaxes judge names by the schema that they are part of: they ask it when they are used, not when they are made.
  const builtIn = syntaxTable({ isDn: (value) => dnKey(value) !== undefined, isDefinition });
  const rules = ruleTable({ dnKey, oidOf });
  const syntaxByOid = new Map(builtIn.map((syntax) => [syntax.oid, syntax]));
  for (const source of read('ldapsyntax', readSyntax)) {
    const { oid } = source.row;
    if (syntaxByOid.has(oid)) throw invalid(source.definition, `'${oid}' is defined twice`);
    syntaxByOid.set(oid, substituted(source, syntaxByOid));
  }
  const ruleByName = new Map(rules.flatMap((rule) => [[rule.name.toLowerCase(), rule] as const, [rule.oid, rule] as const]));

  const parts = { syntax: (oid: string) => syntaxByOid.get(oid), rule: (name: string) => lookUp(ruleByName, name) };
  const types = resolveTypes(read('attributetype', readAttributeType), parts);
  const typeOf = (name: string) => lookUp(types.byName, name);
  const classes = resolveClasses(read('objectclass', readObjectClass), typeOf);
  const classOf = (name: string) => lookUp(classes.byName, name);
  const contentRules = resolveContentRules(read('ditcontentrule', readContentRule), { type: typeOf, objectClass: classOf });

  const schema: Schema = {
    attributeType: typeOf,
    objectClass: classOf,
    matchingRule: (name) => lookUp(ruleByName, name),
    syntax: (oid) => syntaxByOid.get(oid),
    contentRule: ({ oid }) => contentRules.get(oid),
    oidOf,
    attributeTypes: types.all,
    objectClasses: classes.all,
    matchingRules: rules,
    syntaxes: [...syntaxByOid.values()],
    contentRules: [...contentRules.values()].map(({ definition }) => definition),
    nameForms: resolveNameForms(read('nameform', readNameForm), { type: typeOf, objectClass: classOf }),
    structureRules: read('ditstructurerule', readStructureRule).map(({ row }) => printDitStructureRule(row)),
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

/** A syntax that is another by a name of its own: slapd's way to define one (`X-SUBST`). What values look like is code, and nothing else can say it. */
function substituted(
  { definition, row }: { readonly definition: Definition; readonly row: ReturnType<typeof readSyntax> },
  known: ReadonlyMap<string, Syntax>,
): Syntax {
  const substitute = row.extensions['X-SUBST']?.[0];
  const { oid, description } = row;
  if (substitute === undefined)
    throw invalid(definition, `'${oid}' is no syntax of this directory, and X-SUBST does not say which stands for it`);
  const other = known.get(substitute);
  if (other === undefined) throw invalid(definition, `unknown syntax '${substitute}'`);
  return { ...other, oid, name: description ?? oid, substitute };
}

/** A file may come to define, with a new version, what was added at run time before: the file's definition stands. */
function withStored(files: readonly Definition[], stored: readonly Definition[]): readonly Definition[] {
  if (stored.length === 0) return files;
  const idOf = ({ keyword, text: given }: Definition) => `${keyword} ${/^\(\s*(\S+)/.exec(given)?.[1]}`;
  const seen = new Set(files.map(idOf));
  return [...files, ...stored.filter((each) => seen.size < seen.add(idOf(each)).size)];
}

const numericOid = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+$/;

/** Names are mostly written as the schema writes them: those are found without making a new string. */
function lookUp<T>(byName: ReadonlyMap<string, T>, name: string): T | undefined {
  return byName.get(name) ?? byName.get(name.toLowerCase());
}
