import { text } from '#base';
import { Refusal, refuse } from '#catalogue';
import type { Modification } from '#ldap';
import { type Canonical, type Definition, definitionKinds, describe, type Schema, schemaErrors, subschemaAttributes } from '#schema';
import { errors } from '../errors.ts';
import { subschemaDn } from '../realm.ts';

/** What a modify of the subschema subentry comes to. */
export interface SchemaPlan {
  readonly schema: Schema;
  /** All that is to be stored from now on. */
  readonly stored: readonly Definition[];
}

type Kind = (typeof definitionKinds)[number];

/** Definitions of one kind while they change. */
interface Holding {
  readonly kind: Kind;
  /** Those that were added at run time, by what tells them apart. */
  readonly own: Map<string, Canonical>;
  /** What else there is: it comes from files. */
  readonly builtIn: ReadonlyMap<string, Canonical>;
}

/**
 * Works out what becomes of the schema.
 *
 * @param build  makes a schema of the files and of definitions beside them
 * @throws Refusal `definitionUnfit` (21), `definitionExists` (20), `definitionAbsent` (16), `definitionBuiltIn` (53), `definitionNeeded` (53),
 *                 `definitionRefused` (19), `subschemaFixed` (53) for whatever else is to be changed
 */
export function planChange(
  schema: Schema,
  stored: readonly Definition[],
  changes: readonly Modification[],
  build: (stored: readonly Definition[]) => Schema,
): SchemaPlan {
  const holdings = new Map<Kind, Holding>(definitionKinds.map((kind) => [kind, holdingOf(schema, stored, kind)]));
  const removed = new Map<string, string>();
  let last = '';
  for (const { operation, attribute } of changes) {
    const name = describe(schema, attribute.description)?.description ?? attribute.description;
    const kind = definitionKinds.find((each) => each.attribute === name);
    const holding = kind && holdings.get(kind);
    if (holding === undefined) throw refuse(errors.subschemaFixed, { why: `${name} cannot be changed, only what defines the schema` });
    if ((operation !== 'add' && operation !== 'delete') || attribute.values.length === 0)
      throw refuse(errors.subschemaFixed, { why: `${name}: definitions are added and deleted one by one, not replaced` });
    last = name;
    for (const [at, value] of attribute.values.entries()) {
      if (operation === 'add') add(holding, value, at, removed);
      else remove(holding, value, removed);
    }
  }
  for (const [oid, definition] of removed) {
    const by = dependent(schema, oid, removed);
    if (by !== undefined) throw refuse(schemaErrors.definitionNeeded, { definition, by });
  }
  const next = [...holdings.values()].flatMap(definitionsOf);
  return { schema: built(next, last, build), stored: next };
}

function holdingOf(schema: Schema, stored: readonly Definition[], kind: Kind): Holding {
  const own = new Map<string, Canonical>();
  for (const { keyword, text: definition } of stored) {
    const read = keyword === kind.keyword ? kind.read(definition) : undefined;
    if (read?.kind === 'parsed') own.set(read.value.id, read.value);
  }
  const builtIn = new Map<string, Canonical>();
  const described = subschemaAttributes(schema).find(({ description }) => description === kind.attribute);
  for (const value of described?.values ?? []) {
    const read = kind.read(text(value) ?? '');
    if (read.kind === 'parsed' && !own.has(read.value.id)) builtIn.set(read.value.id, read.value);
  }
  return { kind, own, builtIn };
}

function definitionsOf({ kind, own }: Holding): Definition[] {
  const file = `${subschemaDn}, ${kind.attribute}`;
  return [...own.values()].map(({ text: definition }, at) => ({ keyword: kind.keyword, text: definition, file, line: at + 1 }));
}

function add({ kind, own, builtIn }: Holding, value: Uint8Array, at: number, removed: Map<string, string>): void {
  const given = text(value) ?? '';
  const read = kind.read(given);
  if (read.kind === 'bad') {
    const why = `${read.why} at '${given.slice(read.at, read.at + 30)}'`;
    throw refuse(schemaErrors.definitionUnfit, { attribute: kind.attribute, value: at, why });
  }
  const { id } = read.value;
  const there = own.get(id) ?? builtIn.get(id);
  if (there !== undefined) throw refuse(schemaErrors.definitionExists, { attribute: kind.attribute, definition: nameOf(there) });
  own.set(id, read.value);
  removed.delete(id);
}

function remove({ kind, own, builtIn }: Holding, value: Uint8Array, removed: Map<string, string>): void {
  // RFC 4512 §4.2: definitions are told apart by their first component, so that one may be named by it alone.
  const given = /^\s*\(?\s*([^\s)]+)/.exec(text(value) ?? '')?.[1] ?? '';
  const found = find(own, given);
  if (found !== undefined) {
    own.delete(found.id);
    removed.set(found.id, nameOf(found));
    return;
  }
  const there = find(builtIn, given);
  const row = there === undefined ? schemaErrors.definitionAbsent : schemaErrors.definitionBuiltIn;
  throw refuse(row, { attribute: kind.attribute, definition: there === undefined ? `'${given}'` : nameOf(there) });
}

function find(among: ReadonlyMap<string, Canonical>, given: string): Canonical | undefined {
  const name = given.toLowerCase();
  return among.get(given) ?? [...among.values()].find(({ names }) => names.some((each) => each.toLowerCase() === name));
}

function nameOf({ id, names: [name] }: Canonical): string {
  return name === undefined ? id : `'${name}' (${id})`;
}

/** Something that rests upon a definition and stays. */
function dependent(schema: Schema, oid: string, removed: ReadonlyMap<string, string>): string | undefined {
  const [type, objectClass] = [schema.attributeType(oid), schema.objectClass(oid)];
  for (const each of schema.attributeTypes) {
    if (!removed.has(each.oid) && (each.superior?.oid === oid || each.syntax.oid === oid)) return `attribute type '${each.name}'`;
  }
  for (const each of schema.objectClasses) {
    if (removed.has(each.oid)) continue;
    const holds = type !== undefined && (each.must.includes(type) || each.may.includes(type));
    if (holds || each.superiors.some((above) => above.oid === oid)) return `object class '${each.name}'`;
    const rule = schema.contentRule(each);
    if (rule === undefined) continue;
    const isNamed = type !== undefined && [rule.must, rule.may, rule.not].some((types) => types.has(type));
    if (isNamed || (objectClass !== undefined && rule.auxiliaries.has(objectClass))) return `content rule '${rule.name}'`;
  }
  return undefined;
}

function built(stored: readonly Definition[], attribute: string, build: (stored: readonly Definition[]) => Schema): Schema {
  try {
    return build(stored);
  } catch (error) {
    if (!(error instanceof Refusal) || error.row.code !== schemaErrors.schemaInvalid.code) throw error;
    throw refuse(schemaErrors.definitionRefused, { attribute, why: String(error.detail['why']) });
  }
}
