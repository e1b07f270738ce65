import { type ObjectClassDescription, printObjectClass } from '#ldap';
import type { Definition } from './definitions.ts';
import { invalid } from './invalid.ts';
import type { AttributeType, ObjectClass } from './types.ts';

export interface ClassSource {
  readonly definition: Definition;
  readonly row: ObjectClassDescription;
}

/**
 * Gives every object class what it inherits: the required and allowed attributes of all classes above it (RFC 4512 §2.4).
 *
 * @throws Refusal for names taken twice, unknown classes and attributes, superiors of a kind that cannot be, and circles
 */
export function resolveClasses(
  sources: readonly ClassSource[],
  attributeType: (name: string) => AttributeType | undefined,
): { all: ObjectClass[]; byName: Map<string, ObjectClass> } {
  const waiting = new Map<string, ClassSource>();
  for (const source of sources) {
    for (const name of [source.row.oid, ...source.row.names]) {
      if (waiting.has(name.toLowerCase())) throw invalid(source.definition, `'${name}' is defined twice`);
      waiting.set(name.toLowerCase(), source);
    }
  }

  const done = new Map<ClassSource, ObjectClass>();
  const open = new Set<ClassSource>();
  const resolve = (source: ClassSource): ObjectClass => {
    const known = done.get(source);
    if (known !== undefined) return known;
    if (open.has(source)) throw invalid(source.definition, `'${source.row.names[0] ?? source.row.oid}' derives from itself`);
    open.add(source);
    const superiors = source.row.superiors.map((name) => {
      const superior = waiting.get(name.toLowerCase());
      if (superior === undefined) throw invalid(source.definition, `unknown superclass '${name}'`);
      return resolve(superior);
    });
    open.delete(source);
    const built = build(source, superiors, attributeType);
    done.set(source, built);
    return built;
  };

  const all = sources.map(resolve);
  const byName = new Map<string, ObjectClass>();
  for (const each of all) {
    for (const name of [each.oid, ...each.names]) byName.set(name.toLowerCase(), each).set(name, each);
  }
  return { all, byName };
}

function build(
  { definition, row }: ClassSource,
  superiors: readonly ObjectClass[],
  attributeType: (name: string) => AttributeType | undefined,
): ObjectClass {
  // RFC 4512 §2.4.1–3: abstract classes derive from abstract ones, structural from abstract or structural, auxiliary not from structural.
  for (const above of superiors) {
    const fits = above.kind === 'abstract' || above.kind === row.kind;
    if (!fits) throw invalid(definition, `${row.kind} class below the ${above.kind} class '${above.name}'`);
  }
  const types = (names: readonly string[]) =>
    names.map((name) => {
      const type = attributeType(name);
      if (type === undefined) throw invalid(definition, `unknown attribute type '${name}'`);
      return type;
    });
  const must = new Set([...types(row.must), ...superiors.flatMap((above) => above.must)]);
  const may = new Set([...types(row.may), ...superiors.flatMap((above) => above.may)]);
  const lineage: ObjectClass[] = [];
  const built: ObjectClass = {
    oid: row.oid,
    names: row.names,
    name: row.names[0] ?? row.oid,
    description: row.description,
    obsolete: row.obsolete,
    kind: row.kind,
    superiors,
    lineage,
    must: [...must],
    may: [...may.difference(must)],
    definition: printObjectClass(row),
  };
  lineage.push(...new Set([built, ...superiors.flatMap((above) => above.lineage)]));
  return built;
}
