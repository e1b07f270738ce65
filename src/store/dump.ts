import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { empty } from '#base';
import { byDn, byParent, byUuid, directoryFormat } from './format.ts';
import { confirmLog, openFrozen } from './frozen.ts';
import { versionOf } from './migrate.ts';
import { allReadable, readable } from './reasons.ts';
import { listsIn, sliceReader } from './slices.ts';

/** An entry as an export reads it: its name as UTF-8, and the parts of its record that are wanted, behind each other. */
export type DumpedEntry = readonly [dn: Uint8Array, attributes: Uint8Array, large: string | null, id: number];

/** An entry with values beside its record: these stand between its user attributes and what else is wanted. */
export interface DumpedLarge {
  readonly user: Uint8Array;
  readonly lists: readonly { readonly description: string; readonly pieces: readonly Uint8Array[] }[];
  readonly more: Uint8Array;
}

/** The same with the key of its name, for whoever reads by names. */
export interface DumpedByName {
  readonly dn: Uint8Array;
  readonly key: Uint8Array;
  readonly attributes: DumpedLarge;
}

/** Where names lie: that of an entry, and the range of those below it (`keysBelow` of the schema). */
export interface NameRange {
  readonly key: Uint8Array;
  readonly from: Uint8Array;
  readonly before: Uint8Array;
}

/** What is wanted of each entry beside its user attributes. */
export interface DumpOptions {
  readonly secrets: boolean;
  /** The key of the name of an entry that is left out. */
  readonly except: Uint8Array;
  /** What the names of others begin with that are left out: letters and digits. */
  readonly exceptBeginning: string;
}

/** A file of entries at one moment, read from end to end. */
export interface Dump extends Disposable {
  /** Whether row numbers alone tell all: no superior stands behind what is below it. */
  isStraight(): boolean;
  /** The greatest row number. */
  readonly lastId: number;
  /**
   * The entries with numbers above one and up to another in one piece, each as its name in UTF-8, a zero, the wanted parts of its record and another
   * zero; `undefined` when one of them has values beside its record, or they are very long.
   */
  records(afterId: number, lastId: number): Uint8Array | undefined;
  /** The same entries one by one. */
  entries(afterId: number, lastId: number): DumpedEntry[];
  /** The parts of one whose `large` is not null. */
  large(entry: DumpedEntry): DumpedLarge;
  /** An entry and those below it, in the order of their names. */
  byName(range: NameRange): Generator<DumpedByName>;
  /** How many these are. */
  countByName(range: NameRange): number;
}

/** Entries that are longer than this together are read one by one. */
const wholeOctetsMax = 16_777_216;

/**
 * Opens a file for an export, from any thread.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005; the last also from what it returns, when the disk refuses in between
 */
export function openDump(path: string, { secrets, except, exceptBeginning }: DumpOptions): Dump {
  const database = openFrozen(path, directoryFormat);
  try {
    confirmLog(path);
    const current = versionOf(database) === directoryFormat.version;
    const parts = ['user', 'operational', ...(secrets ? ['secret'] : [])];
    const excepted = database.prepare<[Uint8Array], number>('SELECT id FROM entry WHERE dn_key = ?').pluck().get(except) ?? 0;
    if (!/^[A-Za-z0-9]+$/.test(exceptBeginning)) throw new Error('a name begins with letters and digits');
    const wanted = `id > ? AND id <= ? AND id <> ${excepted} AND dn NOT LIKE '${exceptBeginning}=%'`;
    const lengths = parts.map((part) => `length(${part})`).join(' + ');
    const sizes = database
      .prepare<[number, number], [octets: number, large: number]>(`SELECT total(${lengths}), count(large) FROM entry WHERE ${wanted}`)
      .raw();
    // One value instead of several: to hand one over costs more than to copy it.
    const whole = database
      .prepare<[number, number], Uint8Array>(
        `SELECT CAST(group_concat(record, '') AS BLOB)
         FROM (SELECT dn || x'00' || ${parts.join(' || ')} || x'00' AS record FROM entry WHERE ${wanted} ORDER BY id)`,
      )
      .pluck();
    const range = database
      .prepare<[number, number], DumpedEntry>(
        `SELECT CAST(dn AS BLOB), CAST(${parts.join(' || ')} AS BLOB), large, id FROM entry WHERE ${wanted} ORDER BY id`,
      )
      .raw();
    const user = database.prepare<[number], Uint8Array>('SELECT user FROM entry WHERE id = ?').pluck();
    const slices = sliceReader(database);
    const large = ([, attributes, large, id]: DumpedEntry): DumpedLarge => {
      const own = user.get(id) ?? empty;
      const lists = listsIn(large).map((list) => ({ description: list.description, pieces: slices.pieces(list) }));
      return { user: own, lists, more: attributes.subarray(own.length) };
    };
    const file = basename(path);
    const { byName, countByName } = namesReader(database, parts, large);
    return {
      byName: (range) => allReadable(file, byName(range)),
      countByName: (range) => readable(file, () => countByName(range)),
      isStraight: () => current && readable(file, () => isStraight(database)),
      lastId: database.prepare<[], number>('SELECT max(id) FROM entry').pluck().get() ?? 0,
      records: (afterId, lastId) =>
        readable(file, () => {
          const [octets, large] = sizes.get(afterId, lastId) ?? [0, 0];
          return large > 0 || octets > wholeOctetsMax ? undefined : (whole.get(afterId, lastId) ?? empty);
        }),
      entries: (afterId, lastId) => readable(file, () => range.all(afterId, lastId)),
      large: (entry) => readable(file, () => large(entry)),
      [Symbol.dispose]: () => void database.close(),
    };
  } catch (error) {
    database.close();
    return readable(basename(path), () => {
      throw error;
    });
  }
}

/** Entries read in one statement. */
const pageEntries = 256;

function namesReader(database: Database.Database, parts: readonly string[], large: Dump['large']): Pick<Dump, 'byName' | 'countByName'> {
  const page = database
    .prepare<[Uint8Array, Uint8Array, number], [...DumpedEntry, key: Uint8Array]>(
      `SELECT CAST(entry.dn AS BLOB), CAST(${parts.map((part) => `entry.${part}`).join(' || ')} AS BLOB), entry.large, entry.id, found.key
       FROM found CROSS JOIN entry ON entry.id = found.id
       WHERE found.attribute = ${byDn} AND found.key >= ? AND found.key < ? ORDER BY found.key LIMIT ?`,
    )
    .raw();
  const count = database
    .prepare<[Uint8Array, Uint8Array], number>(`SELECT count(*) FROM found WHERE attribute = ${byDn} AND key >= ? AND key < ?`)
    .pluck();
  const behind = (key: Uint8Array) => Buffer.concat([key, Uint8Array.of(0)]);
  const named = ([dn, attributes, lists, id, key]: [...DumpedEntry, key: Uint8Array]): DumpedByName => ({
    dn,
    key,
    attributes: lists === null ? { user: attributes, lists: [], more: empty } : large([dn, attributes, lists, id]),
  });
  return {
    *byName({ key, from, before }) {
      yield* page.all(key, behind(key), 1).map(named);
      for (let next = from; ; ) {
        const rows = page.all(next, before, pageEntries);
        for (const row of rows) yield named(row);
        const last = rows.at(-1);
        if (last === undefined || rows.length < pageEntries) return;
        next = behind(last[4]);
      }
    },
    countByName: ({ key, from, before }) => (count.get(key, behind(key)) ?? 0) + (count.get(from, before) ?? 0),
  };
}

/** A rename can bring an entry below one that was made later. The first of those below each superior tells. */
function isStraight(database: Database.Database): boolean {
  const turned = database
    .prepare<[number, number]>(
      `SELECT 1 FROM (SELECT key, min(id) AS first FROM found WHERE attribute = ? GROUP BY key) AS below
       JOIN found AS own ON own.attribute = ? AND own.key = below.key WHERE own.id > below.first LIMIT 1`,
    )
    .get(byParent, byUuid);
  return turned === undefined;
}
