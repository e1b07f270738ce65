import type Database from 'better-sqlite3';
import { slicesMax } from './slices.ts';

/**
 * The numbers that the next new entry and the next new list get. None is used twice in the life of a process, so that a number that was kept cannot come to
 * mean another.
 */
export interface RowNumbers {
  entry: number;
  list: number;
}

export function rowNumbersOf(database: Database.Database): RowNumbers {
  const lastOf = (table: 'entry' | 'slice') => database.prepare<[], number>(`SELECT max(id) FROM ${table}`).pluck().get() ?? 0;
  return { entry: lastOf('entry') + 1, list: Math.floor(lastOf('slice') / slicesMax) + 1 };
}
