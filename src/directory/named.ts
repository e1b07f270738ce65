import { utf8 } from '#base';
import { parseDn } from '#ldap';
import { isWithin, normalizeDn, normalizer } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { indexKey } from './indexing.ts';
import type { Realm } from './realm.ts';
import { realmOf } from './realms.ts';

/** In so many realms somebody may have one uid. */
const namesakesMax = 100_000;

/** The one person below `ou=people` of a realm who has a value; `undefined` when nobody has it, or more than one. */
export function personWith(
  { schema, realms }: Engine,
  snapshot: Snapshot,
  attribute: 'uid' | 'mail',
  value: string,
  realm = realms.default,
): StoredEntry | undefined {
  const type = schema.attributeType(attribute);
  const key = type === undefined ? undefined : normalizer(type)(utf8(value));
  if (type === undefined || key === undefined) return undefined;
  const here = realms.in(snapshot);
  const isHere = ({ dnKey }: { readonly dnKey: Uint8Array }) => isWithin(dnKey, realm.people.key) && here.owning(dnKey) === realm;
  const all = snapshot.idsEqual(type.key, indexKey(type, key), here.all.length === 1 ? 2 : namesakesMax);
  // Most often nobody has a namesake, and what nobody else has is read once.
  const ids = all.length < 2 ? all : all.filter((id) => isHere(snapshot.readable(id) ?? { dnKey: new Uint8Array(0) }));
  const [id] = ids;
  const entry = id === undefined || ids.length > 1 ? undefined : snapshot.byId(id);
  return entry !== undefined && isHere(entry) ? entry : undefined;
}

/** A person as people write it. */
export interface PersonName {
  readonly realm: Realm;
  readonly uid: string;
}

/** `uid@realm`, the realm by its id or its domain; without that, or with what is none, a uid of the default realm. */
export function personName({ realms }: Engine, snapshot: Snapshot, text: string): PersonName {
  const at = text.lastIndexOf('@');
  const here = realms.in(snapshot);
  const wanted = at < 0 ? '' : text.slice(at + 1).toLowerCase();
  const realm = wanted === '' ? undefined : (here.byId(wanted) ?? here.all.find(({ domain }) => domain === wanted));
  return realm === undefined ? { realm: here.default, uid: text } : { realm, uid: text.slice(0, at) };
}

/** The one person of such a name. */
export function personNamed(engine: Engine, snapshot: Snapshot, text: string): StoredEntry | undefined {
  const { realm, uid } = personName(engine, snapshot, text);
  return personWith(engine, snapshot, 'uid', uid, realm);
}

/** The entry of any realm that has a name; `undefined` for none, and for what is no name. */
export function entryNamed(engine: Engine, snapshot: Snapshot, text: string): StoredEntry | undefined {
  const dn = parseDn(text);
  const key = dn === undefined || dn.length === 0 ? undefined : normalizeDn(engine.schema, dn);
  return key !== undefined && realmOf(engine, snapshot, key) !== undefined ? snapshot.byDnKey(key) : undefined;
}

/**
 * The entry that an identity text names: `dn:` and a name, `u:` and a uid, or `uid@realm` (RFC 4513 §5.2.1.8).
 *
 * @param plain  what a text without either is; by default nothing
 */
export function entryOfId(engine: Engine, snapshot: Snapshot, id: string, plain?: 'uid' | 'dn'): StoredEntry | undefined {
  const [, form = plain ?? '', rest = ''] = /^(?:(dn|u):)?(.*)$/isu.exec(id) ?? [];
  const kind = form.toLowerCase();
  if (kind === 'dn') return entryNamed(engine, snapshot, rest);
  return kind === 'u' || kind === 'uid' ? personNamed(engine, snapshot, rest) : undefined;
}

/** The realm whose people an identity text is about, whether anybody has that name or not; the default one for what is in none. */
export function realmOfId(engine: Engine, snapshot: Snapshot, id: string, plain: 'uid' | 'dn'): Realm {
  const { schema, realms } = engine;
  const here = realms.in(snapshot);
  // Most often there is only one.
  if (here.all.length === 1) return realms.default;
  const [, form = 'u', rest = ''] = /^(?:(dn|u):)?(.*)$/isu.exec(plain === 'dn' ? `dn:${id}` : id) ?? [];
  if (form.toLowerCase() === 'u') return personName(engine, snapshot, rest).realm;
  const dn = parseDn(rest);
  const key = dn && normalizeDn(schema, dn);
  return (key && here.owning(key)) ?? realms.default;
}
