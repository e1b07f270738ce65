import type Database from 'better-sqlite3';
import { lastPlaceOf, partBits, placeOf } from './format.ts';
import { decodeListChanges } from './lists.ts';
import type { Change, ChangeLog, ChangeRecord, LogMark, LogRow } from './types.ts';

interface Row {
  readonly number: number;
  readonly uuid: string;
  readonly csn: string;
  readonly kind: Change['kind'];
  readonly parent: string | null;
  readonly dn: string;
  readonly dnKey: Uint8Array;
  readonly user: Uint8Array;
  readonly operational: Uint8Array;
  readonly secret: Uint8Array;
  readonly lists: Uint8Array | null;
}

/** Reads of the change log: from behind a number on, no further than `lastNumber`. */
export function changesOf(database: Database.Database): (afterNumber: number, lastNumber: number, limit: number) => ChangeRecord[] {
  const range = database.prepare<[number, number, number], Row>(
    `SELECT number, uuid, csn, kind, parent, dn, dn_key AS dnKey, user, operational, secret, lists FROM change
     WHERE place > ${lastPlaceOf} AND place <= ${lastPlaceOf} ORDER BY place LIMIT ?`,
  );
  return (afterNumber, lastNumber, limit) => range.all(afterNumber, lastNumber, limit).map(recordOf);
}

interface PlacedRow extends Row {
  readonly part: number;
  readonly former: string | null;
}

/** @param newest  the number of the newest commit that is on disk; what it names can be read afterwards */
export function changeLogOf(database: Database.Database, newest: () => number): ChangeLog {
  const oldest = database.prepare<[], number>(`SELECT min(place) >> ${partBits} FROM change`).pluck();
  const csnOf = database
    .prepare<[number, number], string>(
      `SELECT csn FROM change WHERE place > ${lastPlaceOf} AND place <= ${lastPlaceOf} ORDER BY place DESC LIMIT 1`,
    )
    .pluck();
  const behind = `FROM change WHERE place > ${placeOf} AND place <= ${lastPlaceOf} ORDER BY place LIMIT ?`;
  const rows = database.prepare<[number, number, number, number], PlacedRow>(
    `SELECT number, part, uuid, csn, kind, parent, dn, dn_key AS dnKey, user, operational, secret, former, lists ${behind}`,
  );
  const marks = database.prepare<[number, number, number, number], Omit<LogMark, 'moved'> & { readonly moved: number }>(
    `SELECT number, part, uuid, (kind = 'delete' OR former IS NULL OR former <> dn) AS moved ${behind}`,
  );
  return {
    newest,
    oldest: () => oldest.get() ?? 0,
    csnOf: (number) => csnOf.get(number - 1, number),
    numberOf(csn) {
      // CSNs ascend with numbers, of which none is left out.
      let high = newest();
      let low = oldest.get() ?? high + 1;
      while (low <= high) {
        const middle = Math.floor((low + high) / 2);
        const found = csnOf.get(middle - 1, middle) ?? '';
        if (found === csn) return middle;
        if (found < csn) low = middle + 1;
        else high = middle - 1;
      }
      return undefined;
    },
    rows(after, limit, octetsMax) {
      const found: LogRow[] = [];
      let octets = 0;
      for (const { part, former, ...row } of rows.iterate(after.number, after.part, newest(), limit)) {
        found.push({ ...recordOf(row), part, former: former ?? undefined });
        octets += (row.user?.length ?? 0) + (row.operational?.length ?? 0) + (row.lists?.length ?? 0);
        if (octets >= octetsMax) break;
      }
      return found;
    },
    marks: (after, limit) =>
      marks.all(after.number, after.part, newest(), limit).map(({ moved, ...mark }) => ({ ...mark, moved: moved === 1 })),
  };
}

function recordOf({ number, kind, uuid, csn, parent, lists, ...rest }: Row): ChangeRecord {
  if (kind === 'delete') return { number, csn, change: { kind, uuid, csn } };
  const entry = { uuid, parent: parent ?? undefined, csn, ...rest };
  if (kind === 'put') return { number, csn, change: { kind, entry } };
  return { number, csn, change: { kind, entry, lists: lists === null ? [] : decodeListChanges(lists) } };
}
