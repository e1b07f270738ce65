import type Database from 'better-sqlite3';
import { type GramPart, pack, partOctetsMax, partsMax, suppressed, unpack } from './grams.ts';

type Row = [first: number, packed: Uint8Array];

/** Who has a gram now and who has not, ids ascending, each once. */
export interface GramChange {
  readonly ids: readonly number[];
  readonly has: readonly boolean[];
}

/** Changes of the lists of grams, each to be called within a write transaction. To make the same change twice is to make it once. */
export function gramRowsOf(database: Database.Database) {
  const statements = statementsOf(database);

  function change(attribute: number, gram: number, wanted: GramChange): void {
    const rows = statements.few.all(attribute, gram);
    const [only] = rows;
    if (only?.[0] === suppressed) return;
    if (rows.length < 2) replace(attribute, gram, only, wanted);
    else changeLong(attribute, gram, wanted);
  }

  /** Finds for each id the part where it stands or belongs. */
  function changeLong(attribute: number, gram: number, { ids, has }: GramChange): void {
    for (let from = 0; from < ids.length; ) {
      const id = ids[from] as number;
      const row = statements.covering.get(attribute, gram, id) ?? statements.first.get(attribute, gram);
      if (row === undefined || row[0] === suppressed) return;
      const next = statements.next.get(attribute, gram, row[0]) ?? Number.POSITIVE_INFINITY;
      let to = from + 1;
      while (to < ids.length && (ids[to] as number) < next) to++;
      replace(attribute, gram, row, { ids: ids.slice(from, to), has: has.slice(from, to) });
      from = to;
    }
  }

  function replace(attribute: number, gram: number, row: Row | undefined, wanted: GramChange): void {
    const before: number[] = [];
    if (row !== undefined) unpack(row[0], row[1], before);
    const after = changed(before, wanted);
    if (after.length === before.length && after.every((id, at) => id === before[at])) return;
    const parts = divided(after, before.at(-1) ?? 0);
    if (row !== undefined && parts[0]?.first !== row[0]) statements.delete.run(attribute, gram, row[0]);
    for (const { first, packed } of parts) statements.put.run(attribute, gram, first, packed);
    if (parts.length > 1 && (statements.parts.get(attribute, gram) ?? 0) > partsMax) suppress(attribute, gram);
  }

  function suppress(attribute: number, gram: number): void {
    statements.deleteAll.run(attribute, gram);
    statements.put.run(attribute, gram, suppressed, new Uint8Array(0));
  }

  return { change };
}

function changed(before: readonly number[], { ids, has }: GramChange): number[] {
  const after: number[] = [];
  let at = 0;
  for (let each = 0; each < ids.length; each++) {
    const id = ids[each] as number;
    while (at < before.length && (before[at] as number) < id) after.push(before[at++] as number);
    if (before[at] === id) at++;
    if (has[each]) after.push(id);
  }
  while (at < before.length) after.push(before[at++] as number);
  return after;
}

/** What grows at its end fills its parts; what grows in the middle is halved, so that both halves have room. */
function divided(ids: readonly number[], lastBefore: number): GramPart[] {
  const parts = pack(ids, partOctetsMax);
  const isAtEnd = parts.length === 2 && (parts[1]?.first ?? 0) > lastBefore;
  if (parts.length !== 2 || isAtEnd) return parts;
  const half = ids.length >>> 1;
  return [...pack(ids.slice(0, half), partOctetsMax), ...pack(ids.slice(half), partOctetsMax)];
}

function statementsOf(database: Database.Database) {
  const rows = <Parameters extends unknown[]>(query: string) => database.prepare<Parameters, Row>(query).raw();
  const where = 'WHERE attribute = ? AND gram = ?';
  return {
    // Any two tell that there is more than one. To ask for their order would double what this takes.
    few: rows<[number, number]>(`SELECT first, ids FROM gram ${where} LIMIT 2`),
    first: rows<[number, number]>(`SELECT first, ids FROM gram ${where} ORDER BY first LIMIT 1`),
    covering: rows<[number, number, number]>(`SELECT first, ids FROM gram ${where} AND first <= ? ORDER BY first DESC LIMIT 1`),
    next: database
      .prepare<[number, number, number], number>(`SELECT first FROM gram ${where} AND first > ? ORDER BY first LIMIT 1`)
      .pluck(),
    parts: database.prepare<[number, number], number>(`SELECT count(*) FROM gram ${where}`).pluck(),
    put: database.prepare<[number, number, number, Uint8Array]>(
      'INSERT OR REPLACE INTO gram (attribute, gram, first, ids) VALUES (?, ?, ?, ?)',
    ),
    delete: database.prepare<[number, number, number]>(`DELETE FROM gram ${where} AND first = ?`),
    deleteAll: database.prepare<[number, number]>(`DELETE FROM gram ${where}`),
  };
}
