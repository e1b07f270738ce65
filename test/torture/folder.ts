import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { empty, utf8 } from '#base';
import { createIndexer, createLargeRules, indexVersion, judgeLogged } from '#directory';
import { walkValues } from '#ldap';
import { equalityKeys, keysBelow, loadSchema } from '#schema';
import {
  type Change,
  type EntryRecord,
  examineDirectory,
  openStore,
  type Snapshot,
  type Store,
  type StoredEntry,
  storeSettings,
} from '#store';

const root = join(import.meta.dirname, '../..');
const all = 1_000_000;
const schema = loadSchema(
  readdirSync(join(root, 'schema'))
    .filter((name) => name.endsWith('.schema'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(root, 'schema', name), 'utf8') })),
);
const indexer = createIndexer(schema);
const large = createLargeRules(schema);

/**
 * Holds the parts of a folder that no service has open against each other: SQLite's own check, the change log replayed against the entries,
 * every index key of every entry, and index keys that no entry has any more; lists of grams by the examination that `atrium doctor` makes.
 *
 * @param used  `attribute=value` that were ever written
 */
export async function checkFolder(dataDir: string, used: ReadonlySet<string>): Promise<string[]> {
  const file = join(dataDir, 'directory.sqlite');
  const faults = ['directory.sqlite', 'audit.sqlite', 'state.sqlite'].flatMap((name) => checkPages(join(dataDir, name)));
  if (faults.length > 0) return faults;
  const tell = ({ what }: { readonly what: string }) => void faults.push(what);
  examineDirectory(file, { indexer, large, indexVersion, cacheMib: 16, judge: () => [], judgeLogged, tell });
  const settings = Object.fromEntries(Object.entries(storeSettings).map(([name, row]) => [name, row.default]));
  const store = openStore({
    file,
    settings: settings as Parameters<typeof openStore>[0]['settings'],
    indexer,
    large,
    indexVersion,
    keysBelow,
    fatal: (reason) => faults.push(`fatal: ${reason.message}`),
    report: (trouble) => faults.push(trouble.message),
  });
  try {
    const snapshot = store.snapshot();
    const entries = snapshot
      .subtree(empty, undefined, all)
      .map((id) => snapshot.byId(id))
      .filter((entry) => entry !== undefined);
    const read = entries.map((entry) => ({ ...entry, lists: listsOf(snapshot, entry) }));
    return [...faults, ...checkLog(store, snapshot.number, read), ...checkIndex(snapshot, read, used)];
  } finally {
    await store.close();
  }
}

function checkPages(path: string): string[] {
  const database = new Database(path, { fileMustExist: true });
  try {
    const said = database.prepare<[], string>('PRAGMA integrity_check').pluck().all();
    return said.join() === 'ok' ? [] : [`SQLite says of ${path}: ${said.slice(0, 5).join('; ')}`];
  } finally {
    database.close();
  }
}

/** An entry with the values of its lists, by attribute. */
interface Whole extends EntryRecord {
  readonly lists: Lists;
}

type Lists = ReadonlyMap<string, ReadonlySet<string>>;

function listsOf(snapshot: Snapshot, { large }: StoredEntry): Lists {
  const lists = new Map<string, Set<string>>();
  for (const list of large) {
    const values = new Set<string>();
    for (const piece of snapshot.valuesOf(list)) {
      let from = 0;
      walkValues(piece, 0, piece.length, (_start, end) => {
        values.add(hexOf(piece.subarray(from, end)));
        from = end;
      });
    }
    lists.set(list.attribute, values);
  }
  return lists;
}

/** What a change makes of an entry. */
function afterChange(change: Change & { kind: 'put' | 'amend' }, before: Lists): Whole {
  if (change.kind === 'put') {
    const { entry, lists } = large.split(change.entry);
    return {
      ...entry,
      lists: new Map(lists.map(({ attribute, values }) => [attribute, new Set(values.map(({ octets }) => hexOf(octets)))])),
    };
  }
  const lists = new Map<string, ReadonlySet<string>>();
  for (const { attribute, removed, added } of change.lists) {
    // Equal by the rule, and not by their octets: what is removed is known by its key.
    const keys = new Set(removed.map((value) => hexOf(large.keyOf(attribute, value) ?? empty)));
    const stay = [...(before.get(attribute) ?? [])].filter(
      (value) => !keys.has(hexOf(large.keyOf(attribute, Buffer.from(value, 'hex')) ?? empty)),
    );
    lists.set(attribute, new Set([...stay, ...added.map(hexOf)]));
  }
  return { ...change.entry, lists };
}

/** No number may be missing, and the log replayed from its beginning must give the entries. */
function checkLog(store: Store, last: number, entries: readonly Whole[]): string[] {
  const replayed = new Map<string, Whole>();
  const faults: string[] = [];
  let number = 0;
  for (const record of store.changes(0, all)) {
    if (record.number !== number && record.number !== number + 1) faults.push(`the change log goes from ${number} to ${record.number}`);
    number = record.number;
    const { change } = record;
    if (change.kind !== 'delete') {
      const { uuid } = change.entry;
      replayed.set(uuid, afterChange(change, replayed.get(uuid)?.lists ?? new Map()));
    } else if (!replayed.delete(change.uuid)) faults.push(`the change log deletes what is not there: ${change.uuid}`);
  }
  if (number !== last) faults.push(`the change log ends with ${number}, the entries with ${last}`);
  for (const entry of entries) {
    const logged = replayed.get(entry.uuid);
    if (logged === undefined || textOf(logged) !== textOf(entry)) faults.push(`the change log does not lead to ${entry.dn}`);
    replayed.delete(entry.uuid);
  }
  for (const { dn } of replayed.values()) faults.push(`the change log leads to ${dn}, which is not there`);
  return faults;
}

/** Every key leads to the entries that have it and to no others. */
function checkIndex(snapshot: Snapshot, entries: readonly (Whole & { readonly id: number })[], used: ReadonlySet<string>): string[] {
  const holders = new Map<string, { readonly attribute: string; readonly key: Uint8Array; readonly ids: Set<number> }>();
  const keyed = (attribute: string, key: Uint8Array) => {
    const name = `${attribute}:${Buffer.from(key).toString('hex')}`;
    const known = holders.get(name) ?? { attribute, key, ids: new Set<number>() };
    holders.set(name, known);
    return known.ids;
  };
  const faults: string[] = [];
  for (const entry of entries) {
    for (const { attribute, key } of indexer(entry)) keyed(attribute, key).add(entry.id);
    for (const [attribute, values] of entry.lists) {
      for (const value of values) {
        const key = large.keyOf(attribute, Buffer.from(value, 'hex')) ?? empty;
        keyed(attribute, key).add(entry.id);
        if (!snapshot.hasValue(entry.id, attribute, key))
          faults.push(`the index does not know where ${entry.dn} has a value of ${attribute}`);
      }
    }
  }
  for (const pair of used) {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const type = schema.attributeType(name);
    if (type === undefined) throw new Error(`no schema defines ${name}`);
    for (const key of equalityKeys(schema, type, [utf8(value)])) keyed(type.key, key);
  }
  for (const { attribute, key, ids } of holders.values()) {
    const found = snapshot.idsEqual(attribute, key, all);
    if (found.join() !== [...ids].sort((a, b) => a - b).join())
      faults.push(`the index ${attribute} leads from ${Buffer.from(key).toString()} to ${found.length} entries, ${ids.size} have it`);
  }
  for (const entry of entries) {
    const below = entries.filter(({ parent }) => parent === entry.uuid).map(({ id }) => id);
    if (snapshot.children(entry.uuid, 0, all).join() !== below.sort((a, b) => a - b).join())
      faults.push(`the entries below ${entry.dn} are others than those that name it`);
    if (snapshot.byDnKey(entry.dnKey)?.uuid !== entry.uuid) faults.push(`the name of ${entry.dn} leads elsewhere`);
    if (snapshot.byUuid(entry.uuid)?.uuid !== entry.uuid) faults.push(`the entryUUID of ${entry.dn} leads elsewhere`);
  }
  return faults;
}

function textOf({ uuid, parent, dn, dnKey, csn, user, operational, secret, lists }: Whole): string {
  const values = [...lists].map(([attribute, held]) => `${attribute}: ${[...held].sort().join(' ')}`).sort();
  return [uuid, parent, dn, csn, ...[dnKey, user, operational, secret].map(hexOf), ...values].join();
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex');
}
