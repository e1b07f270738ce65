import { text } from '#base';
import { Refusal, refuse } from '#catalogue';
import { criticalControl, type Dn, type LdifFault, type LdifRecord, type PartialAttribute, parseDn, type Rdn } from '#ldap';
import { isWithin, normalizeDn, normalizeRdn, type Schema } from '#schema';

import { errors } from './errors.ts';

/** An entry of a realm as LDIF has it, with the key by which names are told apart and put in order. */
export interface NamedEntry {
  /** The line of the file on which it begins; 0 for what comes from no file. */
  readonly line: number;
  readonly dn: string;
  readonly key: Uint8Array;
  readonly attributes: readonly PartialAttribute[];
}

/**
 * Names an entry of a file.
 *
 * @throws Refusal `transferRefused` with the line for a record that is no entry, one with a critical control (RFC 2849), which nobody would obey, and a name that no schema can read
 */
export function namedEntry(schema: Schema, record: LdifRecord): NamedEntry {
  const { line, dn } = record;
  if (record.kind !== 'content' && record.kind !== 'add')
    throw refuse(errors.transferRefused, { line, dn, why: `${record.kind} is no entry` });
  const control = criticalControl(record);
  if (control !== undefined)
    throw refuse(errors.transferRefused, { line, dn, why: `the critical control ${control.oid} is for ldapmodify` });
  const parsed = parseDn(dn);
  const key = parsed && normalizeDn(schema, parsed);
  if (key === undefined || key.length === 0)
    throw refuse(errors.transferRefused, { line, dn, why: 'it is no name that the schema can read' });
  return { line, dn, key, attributes: record.attributes };
}

/** A record as the fault that it is, where it is no entry of the realm that it is for. @throws what else is thrown */
export function faultOf({ line, dn }: Pick<LdifRecord, 'line' | 'dn'>, error: unknown): LdifFault {
  if (!(error instanceof Refusal) || error.row.code !== errors.transferRefused.code) throw error;
  return { kind: 'fault', line, dn, why: String(error.detail['why']) };
}

/** The one way to write a relative name: types by their first names, assertions in the order of their keys. */
export function canonicalRdn(schema: Schema, rdn: Rdn): Rdn {
  const named = rdn.map(({ type, value }) => ({ type: schema.attributeType(type)?.name ?? type, value }));
  if (named.length < 2) return named;
  const keyed = named.map((ava) => ({ ava, key: normalizeRdn(schema, [ava]) ?? ava.value }));
  return keyed.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ ava }) => ava);
}

/**
 * Writes names of entries that come superiors first: each as its own relative name in front of its superior's, as that was written. So a superior that
 * is spelled otherwise changes its own record and no other.
 *
 * @returns a function to call for each entry in the order of their keys
 */
export function createNaming(schema: Schema): (entry: Pick<NamedEntry, 'dn' | 'key'>) => Dn {
  const above: { readonly key: Uint8Array; readonly dn: Dn }[] = [];
  return ({ dn, key }) => {
    const parsed = parseDn(dn) ?? [];
    while (above.length > 0 && !isWithin(key, (above.at(-1) as (typeof above)[number]).key)) above.pop();
    const superior = above.at(-1);
    const own = canonicalRdn(schema, parsed[0] ?? []);
    const rest =
      superior !== undefined && superior.dn.length === parsed.length - 1
        ? superior.dn
        : parsed.slice(1).map((rdn) => canonicalRdn(schema, rdn));
    const named = [own, ...rest];
    above.push({ key, dn: named });
    return named;
  };
}

export function uuidOf({ attributes }: Pick<NamedEntry, 'attributes'>): string | undefined {
  const value = attributes.find(({ description }) => description === 'entryUUID')?.values[0];
  return value === undefined ? undefined : text(value)?.toLowerCase();
}
