import { text, utf8 } from '#base';
import { parseDn } from '#ldap';
import { type AttributeType, describe, type ObjectClass, type Schema } from '#schema';
import { type Draft, valuesOf } from './draft.ts';
import type { EntryNotes } from './report.ts';

/** Makes the classes of an entry such as an entry may have here, and leaves what they do not allow. */
export function settleClasses(schema: Schema, draft: Draft, notes: EntryNotes): void {
  const held = draft.attributes.find(({ description }) => description.toLowerCase() === 'objectclass');
  const classes: ObjectClass[] = [];
  const names = new Map<ObjectClass, Uint8Array>();
  for (const value of held?.values ?? []) {
    const known = schema.objectClass(text(value) ?? '');
    if (known === undefined || known.obsolete) notes.note('unknownClass', text(value) ?? '', 1);
    else if (names.has(known)) notes.note('twice', 'objectClass', 1);
    else {
      classes.push(known);
      names.set(known, value);
    }
  }
  const drop = (each: ObjectClass, kind: 'classSecond' | 'classUnmet', what: string) => {
    classes.splice(classes.indexOf(each), 1);
    notes.note(kind, what, 1);
  };
  const types = typesOf(schema, draft);
  const has = (type: AttributeType) => types.has(type);

  const chain = chooseChain(types, classes);
  for (const each of [...classes]) if (each.kind === 'structural' && !chain.includes(each)) drop(each, 'classSecond', each.name);
  if (chain.length === 0) {
    const supplied = supplyStructural(schema, types, draft, classes);
    if (supplied !== undefined) {
      classes.push(supplied);
      notes.note('classSupplied', supplied.name, 1);
    }
  }
  supplyNames(classes, types, draft, notes);
  for (const each of [...classes]) {
    const unmet = each.must.find((type) => !has(type) && type.key !== 'objectclass');
    if (each.kind === 'auxiliary' && unmet !== undefined) drop(each, 'classUnmet', `${each.name}: ${unmet.name}`);
  }
  supplyMember(classes, types, draft, notes);
  const values = classes.map((each) => names.get(each) ?? utf8(each.name));
  const rest = draft.attributes.filter((each) => each !== held);
  draft.attributes = [{ description: held?.description ?? 'objectClass', values }, ...rest].filter((each) => each.values.length > 0);
  leaveOthers(schema, classes, draft, notes);
}

function typesOf(schema: Schema, { attributes }: Draft): Set<AttributeType> {
  const types = new Set<AttributeType>();
  for (const { description } of attributes) {
    const type = describe(schema, description)?.type;
    if (type !== undefined) types.add(type);
  }
  return types;
}

/** The structural classes that stay: of several chains the one that allows most of what the entry has. */
function chooseChain(types: ReadonlySet<AttributeType>, classes: readonly ObjectClass[]): readonly ObjectClass[] {
  const structural = classes.filter(({ kind }) => kind === 'structural');
  const ends = structural.filter((each) => !structural.some((other) => other !== each && other.lineage.includes(each)));
  if (ends.length === 0) return [];
  if (ends.length === 1) return structural;
  const allows = (each: ObjectClass) => [...each.must, ...each.may].filter((type) => types.has(type)).length;
  // Of two groups the plainer one.
  const [best] = [...ends].sort((a, b) => allows(b) - allows(a) || a.name.length - b.name.length);
  return structural.filter((each) => best?.lineage.includes(each));
}

/** Classes for entries whose own structural class is not known here, by what the entry has; the first that fits. */
const fallbacks: readonly { readonly name: string; readonly fits: (types: ReadonlySet<string>, naming: string) => boolean }[] = [
  { name: 'groupOfNames', fits: (types) => types.has('member') },
  { name: 'groupOfUniqueNames', fits: (types) => types.has('uniquemember') },
  // A group of Unix alone is structural in RFC 2307, and stands on another class in what came after it.
  { name: 'namedObject', fits: (types) => types.has('cn') && types.has('gidnumber') && !types.has('uid') },
  { name: 'inetOrgPerson', fits: (types) => ['uid', 'sn', 'givenname', 'mail', 'userpassword'].some((each) => types.has(each)) },
  { name: 'organizationalUnit', fits: (_, naming) => naming === 'ou' },
  { name: 'organization', fits: (_, naming) => naming === 'o' },
  { name: 'domain', fits: (_, naming) => naming === 'dc' },
  { name: 'namedObject', fits: (types) => types.has('cn') },
];

function supplyStructural(
  schema: Schema,
  held: ReadonlySet<AttributeType>,
  draft: Draft,
  classes: readonly ObjectClass[],
): ObjectClass | undefined {
  const types = new Set([...held].map(({ key }) => key));
  const naming = schema.attributeType(parseDn(draft.dn)?.[0]?.[0]?.type ?? '')?.key ?? '';
  const found = fallbacks.find(({ fits }) => fits(types, naming));
  const made = found && schema.objectClass(found.name);
  return made && !classes.includes(made) ? made : undefined;
}

/** A person has a surname and a name in every LDAP server but in some. */
function supplyNames(classes: readonly ObjectClass[], types: Set<AttributeType>, draft: Draft, notes: EntryNotes): void {
  const person = classes.find(({ lineage, kind }) => kind === 'structural' && lineage.some(({ name }) => name === 'person'));
  if (person === undefined) return;
  for (const type of person.must) {
    if (types.has(type)) continue;
    const sources = type.key === 'cn' ? ['displayname', 'uid', 'mail'] : type.key === 'sn' ? ['cn', 'displayname', 'uid'] : [];
    const value = sources.map((source) => valuesOf(draft, source)[0]).find((each) => each !== undefined);
    if (value === undefined) continue;
    supply(draft, type, value);
    types.add(type);
    notes.note('valueSupplied', type.name, 1);
  }
}

/** Groups without members, which others allow: a group that has itself as a member has nobody in it either. */
function supplyMember(classes: readonly ObjectClass[], types: Set<AttributeType>, draft: Draft, notes: EntryNotes): void {
  const missing = classes.flatMap(({ must }) => must).find((type) => /^(unique)?member$/.test(type.key) && !types.has(type));
  if (missing === undefined) return;
  supply(draft, missing, utf8(draft.dn));
  types.add(missing);
  notes.note('valueSupplied', `${missing.name}: the group itself`, 1);
}

function supply(draft: Draft, { name }: AttributeType, value: Uint8Array): void {
  // A copy, that is told from the value that it was made of.
  const own = value.slice();
  draft.supplied.add(own);
  draft.attributes.push({ description: name, values: [own] });
}

function leaveOthers(schema: Schema, classes: readonly ObjectClass[], draft: Draft, notes: EntryNotes): void {
  if (classes.some(({ name }) => name === 'extensibleObject')) return;
  const structural = classes.filter(({ kind }) => kind === 'structural').sort((a, b) => b.lineage.length - a.lineage.length)[0];
  const rule = structural && schema.contentRule(structural);
  const allowed = new Set([...classes.flatMap(({ must, may }) => [...must, ...may]), ...(rule?.must ?? []), ...(rule?.may ?? [])]);
  draft.attributes = draft.attributes.filter(({ description, values }) => {
    const type = describe(schema, description)?.type;
    if (type === undefined || type.usage !== 'userApplications' || type.key === 'objectclass') return true;
    if (allowed.has(type)) return true;
    notes.note('notAllowed', description, values.length);
    return false;
  });
}
