import { utf8 } from '#base';
import { parseDn } from '#ldap';
import { isWithin, normalizeDn, normalizer } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { indexKey } from './indexing.ts';

/** The one person below `ou=people` who has a value; `undefined` when nobody has it, or more than one. */
export function personWith(
  { schema, realm }: Engine,
  snapshot: Snapshot,
  attribute: 'uid' | 'mail',
  value: string,
): StoredEntry | undefined {
  const type = schema.attributeType(attribute);
  const key = type === undefined ? undefined : normalizer(type)(utf8(value));
  if (type === undefined || key === undefined) return undefined;
  const ids = snapshot.idsEqual(type.key, indexKey(type, key), 2);
  const [id] = ids;
  const entry = id === undefined || ids.length > 1 ? undefined : snapshot.byId(id);
  return entry !== undefined && isWithin(entry.dnKey, realm.people.key) ? entry : undefined;
}

/** The entry of the realm that has a name; `undefined` for none, and for what is no name. */
export function entryNamed({ schema, realm }: Engine, snapshot: Snapshot, text: string): StoredEntry | undefined {
  const dn = parseDn(text);
  const key = dn === undefined || dn.length === 0 ? undefined : normalizeDn(schema, dn);
  return key !== undefined && isWithin(key, realm.suffix.key) ? snapshot.byDnKey(key) : undefined;
}

/**
 * The entry that an identity text names: `dn:` and a name, `u:` and a uid (RFC 4513 §5.2.1.8).
 *
 * @param plain  what a text without either is; by default nothing
 */
export function entryOfId(engine: Engine, snapshot: Snapshot, id: string, plain?: 'uid' | 'dn'): StoredEntry | undefined {
  const [, form = plain ?? '', rest = ''] = /^(?:(dn|u):)?(.*)$/isu.exec(id) ?? [];
  const kind = form.toLowerCase();
  if (kind === 'dn') return entryNamed(engine, snapshot, rest);
  return kind === 'u' || kind === 'uid' ? personWith(engine, snapshot, 'uid', rest) : undefined;
}
