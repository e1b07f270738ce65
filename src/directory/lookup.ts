import { type Detail, type Refusal, refuse } from '#catalogue';
import { isWithin, keysAbove } from '#schema';
import type { ReadableEntry, Snapshot, StoredEntry } from '#store';
import type { Asker } from './access/asker.ts';
import type { Rights } from './access/resolve.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { type Name, nameOf } from './realm.ts';
import type { Base } from './search/prepared.ts';

/** An entry that one may see, with what they may do with it. */
export interface Found {
  readonly name: Name;
  readonly entry: StoredEntry;
  readonly rights: Rights;
}

/**
 * Finds the entry that a request names.
 *
 * @throws Refusal `nameInvalid` (34)
 * @throws Refusal `entryAbsent` (32): there is none, or none that the asker may see; both answer alike
 */
export function find(engine: Engine, asker: Asker, snapshot: Snapshot, text: string): Found {
  return findNamed(engine, asker, snapshot, nameOf(engine.schema, text));
}

export function findNamed(engine: Engine, asker: Asker, snapshot: Snapshot, name: Name): Found {
  const entry = isInRealm(engine, name) ? snapshot.byDnKey(name.key) : undefined;
  const rights = entry === undefined ? undefined : asker.rightsAt(entry.dnKey, entry.uuid);
  if (entry === undefined || rights?.visible !== true) throw absent(engine, asker, snapshot, name);
  return { name, entry, rights };
}

/**
 * Finds the entry that a search begins at, without its secrets.
 *
 * @throws Refusal `entryAbsent` (32) as `find`
 */
export function findBase(engine: Engine, asker: Asker, snapshot: Snapshot, base: Base): ReadableEntry {
  const id = isInRealm(engine, base.name) ? base.idIn(snapshot) : undefined;
  const entry = id === undefined ? undefined : snapshot.readable(id);
  if (entry === undefined || !asker.rightsOn(entry).visible) throw absent(engine, asker, snapshot, base.name);
  return entry;
}

function isInRealm({ realm }: Engine, name: Name): boolean {
  return name.key.length > 0 && isWithin(name.key, realm.suffix.key);
}

/** The refusal for a name without an entry, with the nearest superior that the asker may see (RFC 4511 §4.1.9). */
export function absent(engine: Engine, asker: Asker, snapshot: Snapshot, name: Name): Refusal {
  const detail: Detail = { matchedDN: nearest(engine, asker, snapshot, name) };
  return refuse(errors.entryAbsent, detail);
}

/** From the suffix down, since nothing stands below what is not there: a name of many levels costs no more than the tree is deep. */
function nearest({ realm }: Engine, asker: Asker, snapshot: Snapshot, name: Name): string {
  let visible = '';
  for (const key of keysAbove(name.key, realm.suffix.key)) {
    const entry = snapshot.byDnKey(key);
    if (entry === undefined) break;
    if (asker.rightsAt(entry.dnKey, entry.uuid).visible) visible = entry.dn;
  }
  return visible;
}
