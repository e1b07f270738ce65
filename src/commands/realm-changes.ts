import { refuse } from '#catalogue';
import type { ClientEntry, OperatorsClient } from '#client';
import { formatDn, type LdifChange, type LdifRecord, type PartialAttribute, parseDn, parseRdn } from '#ldap';
import { describe, formOf, isWithin, normalizeDn, normalizer, type Schema } from '#schema';
import { type Difference, keyOfName, type RealmEntries, transferErrors } from '#transfer';

/**
 * Change records of a file, each with the entry that it changes; those that are done already are passed over.
 *
 * @throws Refusal `transferRefused` with the line for an entry in place of a change, a name of another realm, and controls, which are ldapmodify's
 */
export async function* givenChanges(
  client: OperatorsClient,
  records: AsyncIterable<LdifRecord>,
  realm: RealmEntries,
): AsyncGenerator<Difference> {
  const { schema, suffix } = realm;
  const own = keyOfName(schema, suffix);
  const others = realm.inside.map((each) => keyOfName(schema, each));
  const touched = new Set<string>();
  for await (const record of records) {
    const change = changeOf(record);
    const dn = parseDn(change.dn);
    const key = dn && normalizeDn(schema, dn);
    if (key === undefined || !isWithin(key, own) || others.some((each) => isWithin(key, each)))
      throw refuse(transferErrors.transferRefused, { line: change.line, dn: change.dn, why: `it is not of the realm of ${suffix}` });
    const entry = await client.actor.read(change.dn, ['*']);
    if (!touched.has(formOf(key)) && (await isDone(schema, client, change, entry))) continue;
    touched.add(formOf(key));
    const after = change.kind === 'add' ? change.attributes : entry?.attributes;
    yield { change, key, before: entry?.attributes, after };
  }
}

function changeOf(record: LdifRecord): LdifChange {
  const { line, dn } = record;
  if (record.kind === 'content')
    throw refuse(transferErrors.transferRefused, { line, dn, why: 'entries and changes do not go together in one file' });
  if (record.controls.length > 0) throw refuse(transferErrors.transferRefused, { line, dn, why: 'controls are for ldapmodify' });
  return record;
}

async function isDone(schema: Schema, client: OperatorsClient, change: LdifChange, entry: ClientEntry | undefined): Promise<boolean> {
  switch (change.kind) {
    case 'add':
      return entry !== undefined && change.attributes.every((each) => hasAll(schema, entry, each));
    case 'delete':
      return entry === undefined;
    case 'modrdn':
      return entry === undefined && (await client.actor.read(newName(change), ['1.1'])) !== undefined;
    case 'modify':
      return (
        entry !== undefined &&
        change.changes.every(({ operation, attribute }) => {
          if (isHidden(schema, attribute)) return false;
          if (operation === 'add') return hasAll(schema, entry, attribute);
          if (operation === 'delete') return hasNone(schema, entry, attribute);
          return operation === 'replace' && hasJust(schema, entry, attribute);
        })
      );
  }
}

function newName({ dn, newRdn, newSuperior }: LdifChange & { readonly kind: 'modrdn' }): string {
  const superior = newSuperior === undefined ? (parseDn(dn) ?? []).slice(1) : (parseDn(newSuperior) ?? []);
  return formatDn([parseRdn(newRdn) ?? [], ...superior]);
}

/** Nobody can see whether a secret is what it is to be. */
function isHidden(schema: Schema, { description }: PartialAttribute): boolean {
  const type = describe(schema, description)?.type;
  return type === undefined || type.secret || type.sealed;
}

function formsOf(schema: Schema, { description, values }: PartialAttribute): Set<string> {
  const type = describe(schema, description)?.type;
  const normal = type === undefined ? (value: Uint8Array) => value : normalizer(type);
  return new Set(values.map((value) => formOf(normal(value) ?? value)));
}

function heldForms(schema: Schema, entry: ClientEntry, description: string): Set<string> {
  const key = describe(schema, description)?.key;
  const held = entry.attributes.find((each) => describe(schema, each.description)?.key === key);
  return held === undefined ? new Set() : formsOf(schema, held);
}

function hasAll(schema: Schema, entry: ClientEntry, attribute: PartialAttribute): boolean {
  // What is set once and cannot be seen is there when the entry is.
  if (isHidden(schema, attribute)) return true;
  return formsOf(schema, attribute).isSubsetOf(heldForms(schema, entry, attribute.description));
}

function hasNone(schema: Schema, entry: ClientEntry, attribute: PartialAttribute): boolean {
  const held = heldForms(schema, entry, attribute.description);
  return attribute.values.length === 0 ? held.size === 0 : formsOf(schema, attribute).isDisjointFrom(held);
}

function hasJust(schema: Schema, entry: ClientEntry, attribute: PartialAttribute): boolean {
  const [held, wanted] = [heldForms(schema, entry, attribute.description), formsOf(schema, attribute)];
  return held.size === wanted.size && wanted.isSubsetOf(held);
}
