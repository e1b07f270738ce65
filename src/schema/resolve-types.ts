import { type AttributeTypeDescription, printAttributeType } from '#ldap';
import type { Definition } from './definitions.ts';
import { invalid } from './invalid.ts';
import type { AttributeType, MatchingRule, Syntax } from './types.ts';

export interface TypeSource {
  readonly definition: Definition;
  readonly row: AttributeTypeDescription;
}

export interface Parts {
  syntax(oid: string): Syntax | undefined;
  rule(name: string): MatchingRule | undefined;
}

/** A type while its family grows. */
type Growing = AttributeType & { readonly family: AttributeType[] };

/**
 * Gives every attribute type what it inherits: syntax and rules of its supertype where it names none of its own (RFC 4512 §2.5.1).
 *
 * @throws Refusal for names taken twice, unknown supertypes, syntaxes and rules, rules of the wrong kind, and circles
 */
export function resolveTypes(sources: readonly TypeSource[], parts: Parts): { all: AttributeType[]; byName: Map<string, AttributeType> } {
  const waiting = new Map<string, TypeSource>();
  for (const source of sources) {
    for (const name of [source.row.oid, ...source.row.names]) {
      if (waiting.has(name.toLowerCase())) throw invalid(source.definition, `'${name}' is defined twice`);
      waiting.set(name.toLowerCase(), source);
    }
  }

  const done = new Map<TypeSource, Growing>();
  const open = new Set<TypeSource>();
  const resolve = (source: TypeSource): Growing => {
    const known = done.get(source);
    if (known !== undefined) return known;
    if (open.has(source)) throw invalid(source.definition, `'${source.row.names[0] ?? source.row.oid}' derives from itself`);
    open.add(source);
    const above = source.row.superior;
    const superior = above === undefined ? undefined : waiting.get(above.toLowerCase());
    if (above !== undefined && superior === undefined) throw invalid(source.definition, `unknown supertype '${above}'`);
    const type = build(source, superior && resolve(superior), parts);
    open.delete(source);
    done.set(source, type);
    for (let each = type.superior; each !== undefined; each = each.superior) (each as Growing).family.push(type);
    return type;
  };

  const all = sources.map(resolve);
  const byName = new Map<string, AttributeType>();
  for (const type of all) {
    for (const name of [type.oid, ...type.names]) byName.set(name.toLowerCase(), type).set(name, type);
  }
  return { all, byName };
}

function build({ definition, row }: TypeSource, superior: AttributeType | undefined, parts: Parts): Growing {
  const rule = (name: string | undefined, kind: 'equality' | 'ordering' | 'substrings') => {
    if (name === undefined) return superior?.[kind];
    const found = parts.rule(name);
    if (found === undefined) throw invalid(definition, `unknown matching rule '${name}'`);
    if (found.kind !== kind) throw invalid(definition, `'${name}' is no ${kind} rule`);
    return found;
  };
  const syntax = row.syntax === undefined ? superior?.syntax : parts.syntax(row.syntax);
  if (syntax === undefined)
    throw invalid(definition, row.syntax === undefined ? 'neither a syntax nor a supertype' : `unknown syntax '${row.syntax}'`);
  if (superior !== undefined && superior.usage !== row.usage)
    throw invalid(definition, `usage differs from that of supertype '${superior.name}'`);

  const name = row.names[0] ?? row.oid;
  const family: AttributeType[] = [];
  const type: Growing = {
    oid: row.oid,
    names: row.names,
    name,
    key: name.toLowerCase(),
    description: row.description,
    obsolete: row.obsolete,
    superior,
    family,
    equality: rule(row.equality, 'equality'),
    ordering: rule(row.ordering, 'ordering'),
    substrings: rule(row.substrings, 'substrings'),
    syntax,
    singleValue: row.singleValue,
    collective: row.collective,
    noUserModification: row.noUserModification,
    usage: row.usage,
    secret: isMarked(row, 'X-ATRIUM-SECRET'),
    sealed: isMarked(row, 'X-ATRIUM-SEALED'),
    definition: printAttributeType(row),
  };
  family.push(type);
  return type;
}

export function isMarked(row: AttributeTypeDescription, extension: string): boolean {
  return row.extensions[extension]?.[0] === 'TRUE';
}
