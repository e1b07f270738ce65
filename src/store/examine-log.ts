import type Database from 'better-sqlite3';
import type { Damage } from './examine.ts';
import { byUuid, uuidKey } from './format.ts';

interface Newest {
  readonly uuid: string;
  readonly number: number;
  readonly part: number;
  readonly kind: 'put' | 'delete';
}

/**
 * Holds the change log against itself and against the entries: numbers follow each other without a gap, and so do the parts of a commit;
 * what the newest change of an entry says is what is there.
 *
 * @returns how many changes the log has
 */
export function examineLog(database: Database.Database, tell: (damage: Damage) => void): number {
  const commits = database.prepare<[], { number: number; parts: number; last: number }>(
    'SELECT number, count(*) AS parts, max(part) AS last FROM change GROUP BY number ORDER BY number',
  );
  let before: number | undefined;
  let changes = 0;
  for (const { number, parts, last } of commits.iterate()) {
    if (before !== undefined && number !== before + 1) {
      const gap = number === before + 2 ? `change ${before + 1} is` : `changes ${before + 1} to ${number - 1} are`;
      tell({ kind: 'log', what: `the change log has a gap: ${gap} missing` });
    }
    if (parts !== last + 1) tell({ kind: 'log', what: `the change log has only ${parts} of ${last + 1} parts of change ${number}` });
    before = number;
    changes += parts;
  }
  examineNewest(database, tell);
  return changes;
}

function examineNewest(database: Database.Database, tell: (damage: Damage) => void): void {
  // SQLite takes the bare columns of the row that has the maximum. A commit has far fewer parts than the factor.
  const newest = database.prepare<[], Newest>('SELECT uuid, number, part, kind, max(number * 1000000000 + part) FROM change GROUP BY uuid');
  const find = database.prepare<[number, Uint8Array], number>('SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT 1').pluck();
  const scan = database.prepare<[string], number>('SELECT id FROM entry WHERE uuid = ? LIMIT 1').pluck();
  const there = database.prepare<[number, string], number>('SELECT id FROM entry WHERE id = ? AND uuid = ?').pluck();
  const same = database
    .prepare<[number, number, number], number>(
      `SELECT 1 FROM change c JOIN entry e ON e.id = ? WHERE c.number = ? AND c.part = ? AND c.csn = e.csn AND c.parent IS e.parent AND c.dn = e.dn
       AND c.dn_key = e.dn_key AND c.user = e.user AND c.operational = e.operational AND c.secret = e.secret`,
    )
    .pluck();
  for (const { uuid, number, part, kind } of newest.iterate()) {
    const key = uuidKey(uuid);
    const found = key === undefined ? undefined : find.get(byUuid, key);
    const indexed = found === undefined ? undefined : there.get(found, uuid);
    // What is deleted has no index row; only where one is missing the entries are read through.
    const id = indexed ?? (kind === 'put' ? scan.get(uuid) : undefined);
    if (kind === 'delete' && id !== undefined) {
      tell({ kind: 'log', what: `change ${number} deleted entry ${uuid}, and it is there` });
    } else if (kind === 'put' && id === undefined) {
      tell({ kind: 'log', what: `change ${number} wrote entry ${uuid}, and it is not there` });
    } else if (kind === 'put' && id !== undefined && same.get(id, number, part) === undefined) {
      tell({ kind: 'log', what: `change ${number} wrote entry ${uuid} otherwise than it is there` });
    }
  }
}
