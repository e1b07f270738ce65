import { text } from '#base';
import { decodeAttributes, type PartialAttribute } from '#ldap';
import { type AttributeType, type Described, describe, type Schema } from '#schema';
import type { Snapshot, Store, StoredEntry } from '#store';
import { largeAttribute } from '../large.ts';
import { createDecisions, type Decisions } from '../search/descriptions.ts';
import type { Affected } from './affected.ts';

/** Entries looked at in one turn of the loop. */
const turnEntries = 128;

const syntaxes = {
  dn: '1.3.6.1.4.1.1466.115.121.1.12',
  optionalUid: '1.3.6.1.4.1.1466.115.121.1.34',
  oid: '1.3.6.1.4.1.1466.115.121.1.38',
};

/** Says of an entry whether it uses any of some definitions: which one. */
export type UseFinder = (entry: StoredEntry, snapshot: Snapshot) => string | undefined;

/** Looks through all entries, a few in each turn of the loop; those that others write meanwhile are not all seen. */
export async function findUse(
  store: Pick<Store, 'snapshot'>,
  uses: UseFinder,
): Promise<{ readonly entry: string; readonly definition: string } | undefined> {
  for (let id = 1; ; ) {
    const snapshot = store.snapshot();
    const lastId = snapshot.lastId();
    for (const end = Math.min(lastId, id + turnEntries - 1); id <= end; id++) {
      const entry = snapshot.byId(id);
      const definition = entry && uses(entry, snapshot);
      if (entry !== undefined && definition !== undefined) return { entry: entry.dn, definition };
    }
    if (id > lastId) return undefined;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Attributes of a type, classes by name or through another, names of entries that an attribute names, and OIDs given as values. */
export function useFinder(schema: Schema, { types, classes }: Affected): UseFinder {
  const described: Decisions<Described | undefined> = createDecisions((description) => describe(schema, description));
  const classNames = new Map([...classes].map((each) => [each.oid, each.name]));
  const oids = new Map([...classNames, ...[...types].map((each) => [each.oid, each.name] as const)]);
  const names = [...types].flatMap((each) => [each.oid, ...each.names]);
  const inNames = names.length === 0 ? undefined : new RegExp(`(?:^|[,+;])\\s*(?:${names.join('|').replaceAll('.', '\\.')})\\s*=`, 'i');

  const usedBy = (type: AttributeType, { values }: Pick<PartialAttribute, 'values'>): string | undefined => {
    if (types.has(type)) return type.name;
    const { oid } = type.syntax;
    if (oid === syntaxes.oid) return first(values, (value) => usedOid(value));
    if (inNames === undefined || (oid !== syntaxes.dn && oid !== syntaxes.optionalUid)) return undefined;
    return first(values, (value) => (inNames.test(value) ? (inNames.exec(value)?.[0] ?? '').replace(/[^\w.-]/g, '') : undefined));
  };
  const usedOid = (value: string): string | undefined => {
    const lineage = schema.objectClass(value)?.lineage.map(({ oid }) => oid) ?? [schema.oidOf(value) ?? ''];
    const used = lineage.find((oid) => oids.has(oid));
    return used === undefined ? undefined : oids.get(used);
  };

  return (entry, snapshot) => {
    for (const part of [entry.user, entry.operational, entry.secret]) {
      for (const attribute of decodeAttributes(part)) {
        const octets = Buffer.from(attribute.description, 'latin1');
        const type = described.of(octets, 0, octets.length)?.type;
        const used = type && usedBy(type, attribute);
        if (used !== undefined) return used;
      }
    }
    for (const list of entry.large) {
      const type = schema.attributeType(list.attribute);
      const used = type && usedBy(type, largeAttribute(schema, snapshot, entry.id, list));
      if (used !== undefined) return used;
    }
    return undefined;
  };
}

function first(values: readonly Uint8Array[], find: (value: string) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(text(value) ?? '');
    if (found !== undefined) return found;
  }
  return undefined;
}
