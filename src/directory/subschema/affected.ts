import type { AttributeType, ObjectClass, Schema } from '#schema';

/** Definitions that entries must not use when one schema is to take the place of another. */
export interface Affected {
  readonly types: ReadonlySet<AttributeType>;
  readonly classes: ReadonlySet<ObjectClass>;
}

/**
 * What is gone, and what is changed so that an entry or the way it is found could be wrong: all but a description, more names, more that is allowed
 * and less that is required.
 */
export function affectedBy(before: Schema, after: Schema): Affected {
  return {
    types: new Set(before.attributeTypes.filter((type) => !isKept(type, after.attributeType(type.oid)))),
    classes: new Set(before.objectClasses.filter((each) => !isWidened(each, after.objectClass(each.oid)))),
  };
}

function isKept(type: AttributeType, now: AttributeType | undefined): boolean {
  if (now === undefined) return false;
  const rules = (each: AttributeType) => [each.equality?.oid, each.ordering?.oid, each.substrings?.oid].join(' ');
  return (
    now.key === type.key &&
    holdsAll(now.names, type.names) &&
    now.superior?.oid === type.superior?.oid &&
    rules(now) === rules(type) &&
    now.syntax.oid === type.syntax.oid &&
    now.syntax.substitute === type.syntax.substitute &&
    (type.singleValue || !now.singleValue) &&
    now.collective === type.collective &&
    now.usage === type.usage &&
    now.secret === type.secret &&
    now.sealed === type.sealed
  );
}

function isWidened(objectClass: ObjectClass, now: ObjectClass | undefined): boolean {
  if (now === undefined) return false;
  const oids = (each: readonly { readonly oid: string }[]) => each.map(({ oid }) => oid);
  return (
    now.name === objectClass.name &&
    holdsAll(now.names, objectClass.names) &&
    now.kind === objectClass.kind &&
    oids(now.lineage).sort().join() === oids(objectClass.lineage).sort().join() &&
    holdsAll(oids(objectClass.must), oids(now.must)) &&
    holdsAll(oids([...now.must, ...now.may]), oids([...objectClass.must, ...objectClass.may]))
  );
}

function holdsAll(held: readonly string[], wanted: readonly string[]): boolean {
  const lower = new Set(held.map((each) => each.toLowerCase()));
  return wanted.every((each) => lower.has(each.toLowerCase()));
}
