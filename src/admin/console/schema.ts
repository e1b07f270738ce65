import { text } from '#base';
import type { Actor } from '#client';
import { type AttributeType, type Definition, definitionKinds, loadSchema, type ObjectClass, type Schema } from '#schema';

/** The name under which every directory of ours describes its schema. */
const subschema = 'cn=Subschema';

/** The schema as the directory tells it to who asks: also what was added while it ran. */
export async function readSchema(actor: Actor): Promise<Schema> {
  const entry = await actor.read(
    subschema,
    definitionKinds.map(({ attribute }) => attribute),
  );
  const stored = definitionKinds.flatMap(({ keyword, attribute }): Definition[] =>
    (entry?.octets(attribute) ?? []).map((value, at) => ({
      keyword,
      text: text(value) ?? '',
      file: `${subschema}, ${attribute}`,
      line: at + 1,
    })),
  );
  // Syntaxes of which only code can say what they are come with the program.
  return loadSchema(
    [],
    stored.filter(({ keyword, text: definition }) => keyword !== 'ldapsyntax' || definition.includes(' X-SUBST ')),
  );
}

/** What entries of some classes must and may have, for people to fill in. */
export interface Allowed {
  readonly must: readonly AttributeType[];
  readonly may: readonly AttributeType[];
}

/** @param names  of the classes; those that there are not are passed over */
export function allowedBy(schema: Schema, names: readonly string[]): Allowed {
  const classes = names.flatMap((name) => schema.objectClass(name) ?? []);
  const structural = classes.filter(({ kind }) => kind === 'structural').toSorted((a, b) => b.lineage.length - a.lineage.length)[0];
  const rule = structural && schema.contentRule(structural);
  const must = new Set(classes.flatMap((each) => each.must).concat([...(rule?.must ?? [])]));
  const may = new Set(classes.flatMap((each) => each.may).concat([...(rule?.may ?? [])]));
  const isForPeople = ({ noUserModification, usage, key }: AttributeType) =>
    !noUserModification && usage === 'userApplications' && key !== 'objectclass';
  const byName = (a: AttributeType, b: AttributeType) => (a.key < b.key ? -1 : 1);
  return {
    must: [...must].filter(isForPeople).sort(byName),
    may: [...may].filter((each) => isForPeople(each) && !must.has(each) && rule?.not.has(each) !== true).sort(byName),
  };
}

/** The classes that an entry can be made of, by name. */
export function structuralClasses({ objectClasses }: Schema): readonly ObjectClass[] {
  return objectClasses
    .filter(({ kind, obsolete }) => kind === 'structural' && !obsolete)
    .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}
