import { equalBytes, text } from '#base';
import { Refusal } from '#catalogue';
import type { Sealer } from '#keys';
import { type Dn, decodeAttributes, decodeValue, type PartialAttribute, parseDn } from '#ldap';
import { sealsSecrets } from '#policy';
import { type AttributeType, checkEntry, describe, normalizeDn, parentKey, type Schema, structuralClass, typeAt } from '#schema';
import type { Damage, EntryRecord, ListedValues, LoggedState, StoredEntry, Superior } from '#store';
import { checkRuleAttributes, mayBeRule } from './access/check.ts';
import { isCsn } from './csn.ts';
import type { Realms } from './realms.ts';
import type { Attributes } from './record.ts';
import { subschemaKey } from './subschema/stored.ts';

type Part = 'user' | 'operational' | 'secret';
const parts: readonly Part[] = ['user', 'operational', 'secret'];

/**
 * Judges entries as they are stored by the rules under which they were written: attributes that can be read and stand where they belong, the
 * schema, a name that agrees with its key, and a place below a superior that is there.
 */
export function createJudge(
  schema: Schema,
  realms: Realms,
  sealer: Sealer,
): (entry: StoredEntry, superior: Superior | 'absent' | undefined, lists: readonly ListedValues[]) => readonly Damage[] {
  return (entry, superior, lists) => {
    const found: Damage[] = [];
    const told = (kind: Damage['kind'], what: string) => found.push({ kind, what: `${entry.dn}: ${what}` });
    // The definitions of the schema are kept under the name of its subentry, which stands beside the realm.
    if (!equalBytes(entry.dnKey, subschemaKey)) for (const what of placeFaults(entry, superior, realms)) told('tree', what);
    const dn = parseDn(entry.dn);
    const key = dn && normalizeDn(schema, dn);
    if (dn === undefined || key === undefined) told('schema', 'its name cannot be read by the schema');
    else if (!equalBytes(key, entry.dnKey)) told('tree', 'the key of its name is another than the name makes');
    const attributes = read(schema, entry, lists, (what) => told('schema', what));
    if (attributes !== undefined) {
      for (const what of identityFaults(entry, attributes)) told('identity', what);
      for (const what of sealingFaults(schema, realms, sealer, entry, attributes)) told('sealed', what);
      if (dn !== undefined) for (const what of schemaFaults(schema, dn, attributes)) told('schema', what);
      if (mayBeRule(entry)) for (const what of ruleFaults(schema, realms, entry, attributes)) told('schema', what);
    }
    return found;
  };
}

/**
 * Judges what the change log wrote. The schema may have been another one then: what can be read, and is the entry that the row names, is right.
 *
 * @returns what is wrong with it
 */
export function judgeLogged({ csn, entry }: LoggedState): readonly string[] {
  if (!isCsn(csn)) return ['its entryCSN is none'];
  if (entry === undefined) return [];
  if (parseDn(entry.dn) === undefined) return ['its name is none'];
  const own = parts.map((part) => decoded(entry[part]));
  if (own.includes(undefined)) return ['its attributes cannot be decoded'];
  const attributes: Attributes = new Map(own.flatMap((part) => part ?? []).map((each) => [each.description.toLowerCase(), each]));
  if (!attributes.has('objectclass')) return ['it has no object class'];
  return [...identityFaults(entry, attributes)];
}

/** The superior is there, its name is the rest of the entry's name, and only the suffix has none. */
function* placeFaults({ dnKey }: StoredEntry, superior: Superior | 'absent' | undefined, realms: Realms): Generator<string> {
  const suffix = realms.owning(dnKey)?.suffix.key;
  if (suffix === undefined) yield 'it is not below the suffix of a realm';
  if (superior === 'absent') yield 'its superior is not there';
  else if (superior === undefined) {
    if (suffix === undefined || !equalBytes(dnKey, suffix)) yield 'it has no superior';
  } else {
    const above = parentKey(dnKey);
    if (above === undefined || !equalBytes(above, superior.dnKey)) yield `its superior is ${superior.dn}, which is not what its name says`;
  }
}

/** All attributes of an entry; `undefined` when they cannot be decoded. */
function read(schema: Schema, entry: StoredEntry, lists: readonly ListedValues[], told: (what: string) => void): Attributes | undefined {
  const attributes: Attributes = new Map();
  for (const part of parts) {
    const own = decoded(entry[part]);
    if (own === undefined) {
      told('its attributes cannot be decoded');
      return undefined;
    }
    for (const attribute of own) {
      const described = describe(schema, attribute.description);
      const key = described?.key ?? attribute.description.toLowerCase();
      if (attributes.has(key)) told(`${attribute.description}: it is stored twice`);
      if (described !== undefined && partOf(described.type) !== part)
        told(`${attribute.description}: it is stored among the ${part} attributes, where it does not belong`);
      attributes.set(key, attribute);
    }
  }
  for (const { description, values } of lists) {
    const key = describe(schema, description)?.key ?? description.toLowerCase();
    if (attributes.has(key)) told(`${description}: it is stored twice`);
    attributes.set(key, { description, values: values.map(decodeValue) });
  }
  return attributes;
}

function decoded(octets: Uint8Array): PartialAttribute[] | undefined {
  try {
    return decodeAttributes(octets);
  } catch {
    // Octets that no encoder of ours wrote are what is looked for here.
    return undefined;
  }
}

function partOf(type: AttributeType): Part {
  if (type.secret || type.sealed) return 'secret';
  return type.usage === 'userApplications' ? 'user' : 'operational';
}

function* identityFaults(entry: Pick<EntryRecord, 'uuid' | 'csn'>, attributes: Attributes): Generator<string> {
  for (const [name, kept] of [
    ['entryUUID', entry.uuid],
    ['entryCSN', entry.csn],
  ] as const) {
    const value = firstText(attributes, name.toLowerCase());
    if (value !== kept) yield `its ${name} is ${value ?? 'missing'}, and it is kept under ${kept}`;
  }
}

/** What no key opens, and what lies open where the realm's mode seals it. */
function* sealingFaults(schema: Schema, realms: Realms, sealer: Sealer, entry: StoredEntry, attributes: Attributes): Generator<string> {
  for (const [key, { description, values }] of attributes) {
    if (typeAt(schema, key)?.sealed !== true) continue;
    const under = values.map((value) => sealer.open(entry.uuid, key, value)?.under);
    if (under.includes(undefined)) yield `${description}: it does not open under the keys given here (keys.kek, keys.previousKek)`;
    const mode = realms.owning(entry.dnKey)?.mode;
    if (under.includes('nothing') && mode !== undefined && sealsSecrets(mode))
      yield `${description}: it lies open in a realm that is in product mode; a running service seals it (keys.resealS)`;
  }
}

/** The first rule of the schema that the entry breaks. */
function* schemaFaults(schema: Schema, dn: Dn, attributes: Attributes): Generator<string> {
  try {
    checkEntry(schema, { dn, attributes });
    const { name } = structuralClass(schema, attributes);
    const kept = firstText(attributes, 'structuralobjectclass');
    if (kept !== name) yield `structuralObjectClass is ${kept ?? 'missing'}, and its classes make ${name}`;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield error.says;
  }
}

/** A rule of access that was right when it was written, and speaks of what the schema has lost, or stands where no rule is asked. */
function* ruleFaults(schema: Schema, realms: Realms, entry: StoredEntry, attributes: Attributes): Generator<string> {
  try {
    checkRuleAttributes(schema, realms, entry, attributes);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    yield `as a rule of access it cannot be read, and allows nothing or denies everybody: ${error.says}`;
  }
}

function firstText(attributes: Attributes, key: string): string | undefined {
  const value = attributes.get(key)?.values[0];
  return value === undefined ? undefined : text(value);
}
