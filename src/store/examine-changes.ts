import type Database from 'better-sqlite3';
import type { ExamineOptions } from './examine.ts';
import { epochFormat, listsFormat, partsMax, placesFormat, uuidKey } from './format.ts';
import { decodeListChanges, encodeListChanges } from './lists.ts';
import { versionOf } from './migrate.ts';
import { isDiskError } from './reasons.ts';
import { atOnce } from './steps.ts';
import type { EntryRecord } from './types.ts';

/** A row of the change log, each column as it may stand in a damaged file. */
interface Row {
  readonly number: number;
  readonly part: number;
  readonly uuid: unknown;
  readonly csn: unknown;
  readonly kind: unknown;
  readonly parent: unknown;
  readonly dn: unknown;
  readonly dnKey: unknown;
  readonly user: unknown;
  readonly operational: unknown;
  readonly secret: unknown;
  readonly former: unknown;
  readonly lists: unknown;
}

/** What a row of the change log wrote, for the directory to judge. */
export interface LoggedState {
  readonly uuid: string;
  readonly csn: string;
  /** The entry as the change left it, without its lists; nothing where it deleted it. */
  readonly entry: EntryRecord | undefined;
}

/**
 * Reads every row of the change log, one at a time: each is of a kind that is known, has what that kind has, and can be decoded.
 *
 * @returns the newest CSN among the rows; nothing where no row has one that can be read
 */
export function examineChanges(database: Database.Database, options: Pick<ExamineOptions, 'judgeLogged' | 'tell'>): string | undefined {
  let newest: string | undefined;
  for (const row of rowsOf(database)) {
    const faults = [...faultsOf(row, options)];
    for (const fault of faults) options.tell({ kind: 'log', what: `change ${row.number} ${fault}` });
    const { csn } = row;
    if (typeof csn === 'string' && isCsn(csn, options) && (newest === undefined || csn > newest)) newest = csn;
  }
  return newest;
}

function isCsn(csn: string, { judgeLogged }: Pick<ExamineOptions, 'judgeLogged'>): boolean {
  return judgeLogged({ uuid: '', csn, entry: undefined }).length === 0;
}

/** In their order. Columns that a file of an older format has not are empty. */
function rowsOf(database: Database.Database): IterableIterator<Row> {
  const version = versionOf(database);
  const former = version < epochFormat ? 'NULL AS former' : 'former';
  const lists = version < listsFormat ? 'NULL AS lists' : 'lists';
  return database
    .prepare<[], Row>(
      `SELECT number, part, uuid, csn, kind, parent, dn, dn_key AS dnKey, user, operational, secret, ${former}, ${lists} FROM change
       ORDER BY ${version < placesFormat ? 'number, part' : 'place'}`,
    )
    .iterate();
}

/** What is wrong with a row, behind its number. A row whose columns are wrong is not judged further. */
function* faultsOf(row: Row, { judgeLogged }: Pick<ExamineOptions, 'judgeLogged'>): Generator<string> {
  const { part, uuid, csn, kind, parent, former, lists } = row;
  if (part >= partsMax) yield 'has a part that no change has';
  if (kind !== 'put' && kind !== 'amend' && kind !== 'delete') {
    yield 'is of a kind that is not known';
  } else if (!isUuid(uuid)) {
    yield 'names no entry: its entryUUID cannot be read';
  } else if (typeof csn !== 'string' || !(former === null || (typeof former === 'string' && former !== ''))) {
    yield `of entry ${uuid} cannot be read: its entryCSN or the name that the entry had before is none`;
  } else if (!(kind === 'amend' ? isListChanges(lists) : lists === null)) {
    yield `of entry ${uuid} cannot be read: what it says of large attributes is nothing that a change says`;
  } else if (kind === 'delete') {
    yield* judged(judgeLogged({ uuid, csn, entry: undefined }), uuid);
  } else if (!(parent === null || isUuid(parent)) || !isEntry(row)) {
    yield `of entry ${uuid} cannot be read: what it wrote is no entry`;
  } else {
    const { dn, dnKey, user, operational, secret } = row;
    const entry = { uuid, parent: parent ?? undefined, csn, dn, dnKey, user, operational, secret };
    yield* judged(judgeLogged({ uuid, csn, entry }), uuid);
  }
}

function judged(faults: readonly string[], uuid: string): readonly string[] {
  return faults.map((fault) => `of entry ${uuid} cannot be read: ${fault}`);
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidKey(value) !== undefined;
}

function isEntry(row: Row): row is Row & Pick<EntryRecord, 'dn' | 'dnKey' | 'user' | 'operational' | 'secret'> {
  const octets = [row.dnKey, row.user, row.operational, row.secret].every((value) => value instanceof Uint8Array);
  return octets && typeof row.dn === 'string' && (row.dnKey as Uint8Array).length > 0;
}

/** Whether it is what is written for changes of lists, to the last octet. */
function isListChanges(value: unknown): boolean {
  if (!(value instanceof Uint8Array)) return false;
  try {
    return atOnce(encodeListChanges(decodeListChanges(value))).equals(value);
  } catch (error) {
    if (isDiskError(error)) throw error;
    return false;
  }
}
