import type { Format } from './database.ts';

/** How many bits of a place in the log say which part of its commit a change is; those above are the commit's number. */
export const partBits = 20;
/** Changes of one commit. */
export const partsMax = 2 ** partBits;

/** In SQL, the place of a change of which number and part are given; and what number and part are of a place. */
export const placeOf = `(? << ${partBits} | ?)`;
/** The last place that a commit of a given number can have. */
export const lastPlaceOf = `(? << ${partBits} | ${partsMax - 1})`;
/** The number of the newest commit; nothing when the log is empty. */
export const newestNumber = `SELECT max(place) >> ${partBits} FROM change`;
const placed = `place INTEGER PRIMARY KEY, number INTEGER AS (place >> ${partBits}), part INTEGER AS (place & ${partsMax - 1})`;
const changeTable = `
  CREATE TABLE change (
    ${placed}, uuid TEXT NOT NULL, csn TEXT NOT NULL, kind TEXT NOT NULL, parent TEXT, dn TEXT,
    dn_key BLOB, user BLOB, operational BLOB, secret BLOB, former TEXT, lists BLOB
  );
`;
const pendingTable = `CREATE TABLE gram_pending (${placed}, id INTEGER NOT NULL, moved BLOB NOT NULL);`;

/**
 * The epoch begins, and the log learns the name that an entry had before each change. Of an entry whose earlier changes the log has forgotten
 * the name is taken to have been the same.
 */
const toFormat2 = `
  INSERT INTO fact VALUES ('epoch', '1');
  ALTER TABLE change ADD COLUMN former TEXT;
  UPDATE change SET former = earlier.former FROM (
    SELECT number, part, CASE
      WHEN row_number() OVER entries = 1 AND (SELECT min(number) FROM change) > 1 THEN dn
      ELSE lag(dn) OVER entries
    END AS former
    FROM change WINDOW entries AS (PARTITION BY uuid ORDER BY number, part)
  ) AS earlier WHERE change.number = earlier.number AND change.part = earlier.part;
`;

/**
 * Very many values of one attribute leave the entry for slices of their own, and the log keeps what was added to them and removed. Entries are found by
 * what stands inside their values: the next start fills the table of grams, since its indexes are of another version.
 */
const toFormat3 = `
  ALTER TABLE entry ADD COLUMN large TEXT;
  ALTER TABLE found ADD COLUMN place INTEGER;
  ALTER TABLE change ADD COLUMN lists BLOB;
  CREATE TABLE slice (id INTEGER PRIMARY KEY, heads BLOB NOT NULL, octets BLOB NOT NULL);
  CREATE TABLE gram (
    attribute INTEGER NOT NULL, gram INTEGER NOT NULL, first INTEGER NOT NULL, ids BLOB NOT NULL, PRIMARY KEY (attribute, gram, first)
  ) WITHOUT ROWID;
  CREATE TABLE gram_pending (
    number INTEGER NOT NULL, part INTEGER NOT NULL, id INTEGER NOT NULL, moved BLOB NOT NULL, PRIMARY KEY (number, part)
  ) WITHOUT ROWID;
`;

/**
 * What is appended lies in the order of its place, which is a number of SQLite's own kind of table: a row behind all others costs no other row's page to be
 * written anew, as it did in a table ordered by two columns.
 */
const toFormat4 = `
  ALTER TABLE change RENAME TO former_change;
  ${changeTable}
  INSERT INTO change (place, uuid, csn, kind, parent, dn, dn_key, user, operational, secret, former, lists)
    SELECT number << ${partBits} | part, uuid, csn, kind, parent, dn, dn_key, user, operational, secret, former, lists FROM former_change;
  DROP TABLE former_change;
  ALTER TABLE gram_pending RENAME TO former_pending;
  ${pendingTable}
  INSERT INTO gram_pending (place, id, moved) SELECT number << ${partBits} | part, id, moved FROM former_pending;
  DROP TABLE former_pending;
`;

/**
 * The file of entries. `found` is the one index: an attribute's number, a key and the entry it leads to. Numbers below `firstNumber`
 * are the store's own; the others stand for names in `attribute`. `former` of a change is the name that the entry had before it; nothing
 * for one that was not there.
 *
 * An attribute with very many values is a list: `large` of its entry names it, its values lie in rows of `slice`, and `place` of an index row says
 * where in them its value lies (`slices.ts`). `lists` of a change has what it added to lists and removed from them.
 *
 * `gram` has the entries that have four octets somewhere in a key (`grams.ts`), but for what is still to be done: `gram_pending` has, by the number and
 * part of the change, the keys that went and came.
 */
export const directoryFormat: Format = {
  applicationId: 0x41747244, // "AtrD"
  version: 4,
  tables: `
    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE attribute (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE entry (
      id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, parent TEXT, dn TEXT NOT NULL, dn_key BLOB NOT NULL, csn TEXT NOT NULL,
      user BLOB NOT NULL, operational BLOB NOT NULL, secret BLOB NOT NULL, large TEXT
    );
    CREATE TABLE found (
      attribute INTEGER NOT NULL, key BLOB NOT NULL, id INTEGER NOT NULL, place INTEGER, PRIMARY KEY (attribute, key, id)
    ) WITHOUT ROWID;
    CREATE TABLE slice (id INTEGER PRIMARY KEY, heads BLOB NOT NULL, octets BLOB NOT NULL);
    CREATE TABLE gram (
      attribute INTEGER NOT NULL, gram INTEGER NOT NULL, first INTEGER NOT NULL, ids BLOB NOT NULL, PRIMARY KEY (attribute, gram, first)
    ) WITHOUT ROWID;
    ${pendingTable}
    ${changeTable}
    INSERT INTO fact VALUES ('epoch', '1');
  `,
  migrations: [toFormat2, toFormat3, toFormat4],
};

/** The fact that says what number the newest commit had when the file was closed in order; the log has never fewer. */
export const newestNoted = 'newestNumber';

/** The format that brought the epoch. */
export const epochFormat = 2;
/** The format that brought lists. */
export const listsFormat = 3;
/** The format that gave each change one number for its place. */
export const placesFormat = 4;

/**
 * Of statements that count rows up to a bound. SQLite plans a statement anew whenever a bound that is a parameter by itself is given, which costs ten
 * times the look-up; a sum it leaves alone.
 */
export const upToRows = 'LIMIT ? + 0';

/** The store's own index attributes. */
export const byDn = 1;
export const byParent = 2;
export const byUuid = 3;
export const firstNumber = 16;

/** A longer key is cut. Part of the format: to change it is to make all indexes anew. */
export const keyOctetsMax = 1024;

/** A key as it stands in the index: cut, so that one huge value costs no chain of pages. What is found is a candidate anyhow. */
export function cut(key: Uint8Array): Uint8Array {
  return key.length <= keyOctetsMax ? key : key.subarray(0, keyOctetsMax);
}

/** The 16 octets of an entryUUID in lower case; nothing for a text that is none, which no entry has. */
export function uuidKey(uuid: string): Uint8Array | undefined {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid) ? Buffer.from(uuid.replaceAll('-', ''), 'hex') : undefined;
}

/** The least key behind all that begin with `prefix`; nothing when there is none. */
export function behindPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  // Not `slice`: of a Buffer that is a view, and the key that was asked for would be another.
  const behind = new Uint8Array(prefix.subarray(0, length));
  behind[length - 1] = (behind[length - 1] ?? 0) + 1;
  return behind;
}
