import { text } from '#base';
import { Refusal, refuse } from '#catalogue';
import type { PartialAttribute, Rdn } from '#ldap';
import { typeAt, typeOfKey } from './describe.ts';
import { type Entry, type EntryAttributes, isLarge } from './entry.ts';
import { errors } from './errors.ts';
import type { AttributeType, ContentRule, ObjectClass, Schema } from './types.ts';
import { formOf, normalizer } from './values.ts';

/** What of an entry its check reads. */
export type Checked = Pick<Entry, 'dn' | 'attributes'>;

/**
 * Holds a new entry against the schema (RFC 4512 §2.4, §2.5): its classes form one structural chain, required attributes are there, no
 * others are than allowed ones, values fit their syntax and differ from each other, and the RDN's values are among them.
 *
 * @throws Refusal of the first violation found, naming the attribute and why (LDAP 17, 19, 20, 21, 64, 65)
 */
export function checkEntry(schema: Schema, entry: Checked): void {
  const classes = classesOf(schema, entry.attributes);
  checkAttributes(schema, entry.attributes, undefined, classes.sound);
  classes.sound = true;
  // Two chains, or none, are refused before what their classes would ask for.
  structuralIn(classes);
  checkNaming(schema, entry, errors.namingValueMissing);
  checkClasses(schema, classes, entry.attributes);
}

/**
 * Holds an entry after a modify against the schema and against what it was before: beyond `checkEntry`, the structural class stays
 * (69) and so do the values of the RDN (67). An attribute that is the same object as before was checked when it was written, and is not again.
 *
 * @param relaxed  the structural class may become another
 */
export function checkModified(schema: Schema, before: Checked, after: Checked, relaxed = false): void {
  if (hasSameTypes(before.attributes, after.attributes)) {
    checkAttributes(schema, after.attributes, before.attributes);
    if (!hasSameName(schema, before, after)) checkNaming(schema, after, errors.namingValueRemoved);
    return;
  }
  const classes = classesOf(schema, after.attributes);
  checkAttributes(schema, after.attributes, before.attributes);
  const structural = structuralIn(classes);
  const former = structuralClass(schema, before.attributes);
  if (structural.oid !== former.oid && !relaxed) throw refuse(errors.structuralClassChanged, { from: former.name, to: structural.name });
  checkNaming(schema, after, errors.namingValueRemoved);
  checkClasses(schema, classes, after.attributes);
}

/** @throws Refusal when clients may not set the attribute (NO-USER-MODIFICATION, RFC 4512 §4.1.2) */
export function checkUserModifiable(type: AttributeType): void {
  if (type.noUserModification) throw refuse(errors.attributeReadOnly, { attribute: type.name });
}

/** @throws Refusal when an attribute is given values that are not to be given any more (OBSOLETE, RFC 4512 §4.1.2); to take them away is no mistake */
export function checkNotObsolete(type: AttributeType): void {
  if (type.obsolete) throw refuse(errors.attributeObsolete, { attribute: type.name });
}

/**
 * The most derived structural class of an entry: what `structuralObjectClass` says (RFC 4512 §3.4.6).
 *
 * @throws Refusal when there is none, or several that are no chain
 */
export function structuralClass(schema: Schema, attributes: EntryAttributes): ObjectClass {
  return structuralIn(classesOf(schema, attributes));
}

/** What the classes of an entry ask for together. */
interface Classes {
  readonly classes: readonly ObjectClass[];
  readonly must: readonly { readonly by: string; readonly type: AttributeType }[];
  readonly allowed: ReadonlySet<AttributeType>;
  /** RFC 4512 §4.3: every user attribute is allowed beside extensibleObject. */
  readonly anything: boolean;
  readonly rule: ContentRule | undefined;
  /** What is wrong with the list of classes by itself, whatever else the entry has. */
  readonly fault: Refusal | undefined;
  structural: ObjectClass | undefined;
  /** These values of `objectClass` were checked as values. */
  sound: boolean;
}

/** Nearly all entries have one of a few lists of classes. */
const listsMax = 256;
const lists = new WeakMap<Schema, Map<string, Classes>>();

function classesOf(schema: Schema, attributes: EntryAttributes): Classes {
  const given = attributes.get('objectclass');
  if (given !== undefined && latest?.schema === schema && latest.given === given) return latest.classes;
  const values = given?.values ?? [];
  let form = '';
  for (const value of values) form += `${value.length} ${formOf(value)}`;
  let known = lists.get(schema);
  if (known === undefined) {
    known = new Map();
    lists.set(schema, known);
  }
  let classes = known.get(form);
  if (classes === undefined) {
    classes = together(schema, knownClasses(schema, values));
    if (known.size < listsMax) known.set(form, classes);
  }
  if (given !== undefined) latest = { schema, given, classes };
  return classes;
}

/** What was asked for last: the classes of an entry are asked for several times while it is written. */
let latest: { readonly schema: Schema; readonly given: PartialAttribute; readonly classes: Classes } | undefined;

function together(schema: Schema, classes: readonly ObjectClass[]): Classes {
  const structural = classes.length === 0 ? undefined : tryStructural(classes);
  const rule = structural && schema.contentRule(structural);
  const must = classes.flatMap((by) => by.must.map((type) => ({ by: `object class '${by.name}'`, type })));
  for (const type of rule?.must ?? []) must.push({ by: `content rule '${rule?.name}'`, type });
  const allowed = new Set([...classes.flatMap(({ must, may }) => [...must, ...may]), ...(rule?.must ?? []), ...(rule?.may ?? [])]);
  const anything = classes.some(({ oid }) => oid === extensibleObject);
  return { classes, must, allowed, anything, rule, fault: faultOf(classes, structural, rule), structural: undefined, sound: false };
}

function tryStructural(classes: readonly ObjectClass[]): ObjectClass | undefined {
  try {
    return structuralOf(classes);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** What no entry may have of classes: one that is obsolete, an abstract one by itself (RFC 4512 §2.4.1), an auxiliary one that the content rule does not name. */
function faultOf(classes: readonly ObjectClass[], structural: ObjectClass | undefined, rule: ContentRule | undefined): Refusal | undefined {
  if (rule?.obsolete) return refuse(errors.contentRuleBroken, { why: `content rule '${rule.name}' is obsolete` });
  for (const each of classes) {
    if (each.obsolete) return refuse(errors.classObsolete, { class: each.name });
    const isBase = classes.some((other) => other !== each && other.lineage.includes(each));
    if (each.kind === 'abstract' && !isBase) return refuse(errors.classAbstract, { class: each.name });
    const isOutside = each.kind === 'auxiliary' && rule !== undefined && structural?.lineage.includes(each) === false;
    if (isOutside && !rule.auxiliaries.has(each))
      return refuse(errors.contentRuleBroken, { why: `class '${each.name}' not allowed by content rule '${rule.name}'` });
  }
  return undefined;
}

function structuralIn(classes: Classes): ObjectClass {
  classes.structural ??= structuralOf(classes.classes);
  return classes.structural;
}

function structuralOf(classes: readonly ObjectClass[]): ObjectClass {
  let leaf: ObjectClass | undefined;
  for (const each of classes) {
    if (each.kind !== 'structural' || leaf?.lineage.includes(each) === true) continue;
    if (leaf !== undefined && !each.lineage.includes(leaf)) {
      throw refuse(errors.structuralClassesDiffer, { one: leaf.name, other: each.name });
    }
    leaf = each;
  }
  if (leaf === undefined) throw refuse(errors.structuralClassMissing);
  return leaf;
}

function knownClasses(schema: Schema, values: readonly Uint8Array[]): ObjectClass[] {
  if (values.length === 0) throw refuse(errors.objectClassMissing);
  return values.map((value, index) => {
    const name = text(value) ?? '';
    const known = schema.objectClass(name);
    if (known === undefined) throw refuse(errors.objectClassUnknown, { value: index, class: name });
    return known;
  });
}

/** Required and allowed attributes of all classes together (RFC 4512 §2.4.3); operational attributes are allowed everywhere. */
function checkClasses(schema: Schema, { must, allowed, anything, structural, rule, fault }: Classes, attributes: EntryAttributes): void {
  if (fault !== undefined) throw fault;
  for (const { by, type } of must) {
    // With options is an attribute, too.
    if (attributes.has(type.key) || hasWithOptions(attributes, type)) continue;
    // The structural class speaks for those above it.
    const speaks = structural?.must.includes(type) === true ? `object class '${structural.name}'` : by;
    throw refuse(errors.attributeRequired, { by: speaks, attribute: type.name });
  }
  if (anything && rule === undefined) return;
  for (const key of attributes.keys()) {
    const type = typeAt(schema, key);
    if (type !== undefined && rule?.not.has(type) === true)
      throw refuse(errors.contentRuleBroken, { why: `content rule '${rule.name}' precluded attribute '${type.name}'` });
    if (anything || type === undefined || type.usage !== 'userApplications' || allowed.has(type)) continue;
    throw refuse(errors.attributeNotAllowed, { attribute: type.name });
  }
}

function hasWithOptions(attributes: EntryAttributes, { key }: AttributeType): boolean {
  for (const each of attributes.keys()) if (typeOfKey(each) === key) return true;
  return false;
}

const extensibleObject = '1.3.6.1.4.1.1466.101.120.111';

/** True when the classes are untouched and no attribute came or went: then nothing that the classes ask for can be broken. */
function hasSameTypes(before: EntryAttributes, after: EntryAttributes): boolean {
  if (before.size !== after.size || before.get('objectclass') !== after.get('objectclass')) return false;
  for (const key of after.keys()) if (!before.has(key)) return false;
  return true;
}

/** True when neither the name nor an attribute that it is made of was touched. */
function hasSameName(schema: Schema, before: Checked, after: Checked): boolean {
  if (before.dn !== after.dn) return false;
  return (after.dn[0] ?? []).every(({ type }) => {
    const key = schema.attributeType(type)?.key;
    return key !== undefined && before.attributes.get(key) === after.attributes.get(key);
  });
}

function checkAttributes(schema: Schema, attributes: EntryAttributes, before?: EntryAttributes, soundClasses = false): void {
  for (const [key, attribute] of attributes) {
    if (before?.get(key) === attribute || (soundClasses && key === 'objectclass')) continue;
    const type = typeAt(schema, key);
    if (type === undefined) throw refuse(errors.attributeTypeUndefined, { attribute: attribute.description });
    // What a large attribute had before was checked when it came.
    if (isLarge(attribute)) checkEach(type, attribute.description, attribute.fresh);
    else checkValues(type, attribute);
  }
}

const none = new Set<string>();

/** Syntax, number and difference of the values of one attribute. */
function checkValues(type: AttributeType, { description, values }: PartialAttribute): void {
  if (values.length === 0) throw refuse(errors.valuesMissing, { attribute: description });
  if (values.length > 1 && type.singleValue) throw refuse(errors.singleValued, { attribute: description });
  checkEach(type, description, values);
}

function checkEach(type: AttributeType, description: string, values: readonly Uint8Array[]): void {
  const normal = normalizer(type);
  const judged = type.equality?.judges === true && type.equality.syntax === type.syntax.oid;
  const seen = values.length === 1 ? none : new Set<string>();
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as Uint8Array;
    // A value that cannot be compared (RFC 4518 §2.4: prohibited characters) could be stored but never found or removed.
    const form = judged || type.syntax.validate(value) ? normal(value) : undefined;
    if (form === undefined) throw refuse(errors.valueInvalid, { attribute: description, value: index, syntax: type.syntax.name });
    if (values.length === 1) return;
    const before = seen.size;
    if (seen.add(formOf(form)).size === before)
      throw refuse(errors.valueRepeated, { attribute: description, value: [...seen].indexOf(formOf(form)) });
  }
}

/** The values of the RDN are values of the entry (RFC 4512 §2.3). */
function checkNaming(
  schema: Schema,
  { dn, attributes }: Checked,
  absent: typeof errors.namingValueMissing | typeof errors.namingValueRemoved,
): void {
  const rdn: Rdn = dn[0] ?? [];
  for (const { type: name, value } of rdn) {
    const type = schema.attributeType(name);
    const wanted = type?.equality?.assertion(value);
    if (type === undefined || wanted === undefined || !mayName(type)) throw refuse(errors.namingUnsuitable, { attribute: name });
    const form = formOf(wanted);
    const normal = normalizer(type);
    const held = attributes.get(type.key);
    const isThere = (each: Uint8Array) => {
      const own = normal(each);
      return own !== undefined && formOf(own) === form;
    };
    const found = held !== undefined && (isLarge(held) ? held.holds(wanted) : held.values.some(isThere));
    if (!found) throw refuse(absent, { attribute: type.name });
  }
}

function mayName(type: AttributeType): boolean {
  return type.usage === 'userApplications' && !type.collective && !type.secret && !type.sealed;
}
