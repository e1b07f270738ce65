import { type DitContentRuleDescription, type NameFormDescription, printDitContentRule, printNameForm } from '#ldap';
import type { Definition } from './definitions.ts';
import { invalid } from './invalid.ts';
import type { AttributeType, ContentRule, ObjectClass } from './types.ts';

interface Named {
  type(name: string): AttributeType | undefined;
  objectClass(name: string): ObjectClass | undefined;
}

export interface RuleSource<Row> {
  readonly definition: Definition;
  readonly row: Row;
}

/**
 * The content rules by the OID of the structural class that each is for.
 *
 * @throws Refusal for classes and attributes that are unknown or of the wrong kind, and for a second rule of a class (RFC 4512 §4.1.6)
 */
export function resolveContentRules(sources: readonly RuleSource<DitContentRuleDescription>[], named: Named): Map<string, ContentRule> {
  const rules = new Map<string, ContentRule>();
  for (const { definition, row } of sources) {
    const structural = named.objectClass(row.oid);
    if (structural?.kind !== 'structural') throw invalid(definition, `'${row.oid}' is no structural class`);
    if (rules.has(structural.oid)) throw invalid(definition, `'${structural.name}' has a content rule already`);
    const types = (names: readonly string[]) => new Set(names.map((name) => typeOf(definition, named, name)));
    const auxiliaries = new Set(
      row.auxiliaries.map((name) => {
        const found = named.objectClass(name);
        if (found?.kind !== 'auxiliary') throw invalid(definition, `'${name}' is no auxiliary class`);
        return found;
      }),
    );
    const [must, may, not] = [types(row.must), types(row.may), types(row.not)];
    const needed = [...not].find((type) => must.has(type) || structural.must.includes(type));
    if (needed !== undefined) throw invalid(definition, `'${needed.name}' is both required and precluded`);
    const name = row.names[0] ?? structural.name;
    rules.set(structural.oid, { name, obsolete: row.obsolete, auxiliaries, must, may, not, definition: printDitContentRule(row) });
  }
  return rules;
}

/** Name forms as clients read them. They are held against the schema, not against entries, as in slapd. @throws Refusal for what they name and nobody knows */
export function resolveNameForms(sources: readonly RuleSource<NameFormDescription>[], named: Named): string[] {
  const taken = new Set<string>();
  return sources.map(({ definition, row }) => {
    for (const name of [row.oid, ...row.names]) {
      if (taken.size === taken.add(name.toLowerCase()).size) throw invalid(definition, `'${name}' is defined twice`);
    }
    if (named.objectClass(row.objectClass)?.kind !== 'structural') throw invalid(definition, `'${row.objectClass}' is no structural class`);
    for (const name of [...row.must, ...row.may]) typeOf(definition, named, name);
    return printNameForm(row);
  });
}

function typeOf(definition: Definition, named: Named, name: string): AttributeType {
  const type = named.type(name);
  if (type === undefined) throw invalid(definition, `unknown attribute type '${name}'`);
  return type;
}
