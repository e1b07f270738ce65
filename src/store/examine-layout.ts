import Database from 'better-sqlite3';
import type { Format } from './database.ts';
import { versionOf } from './migrate.ts';

/** The tables and columns that a file of its format has and this one lacks, in words. An older format is not looked at. */
export function missingIn(database: Database.Database, format: Format): readonly string[] {
  if (versionOf(database) !== format.version) return [];
  const model = new Database(':memory:');
  try {
    model.exec(format.tables);
    const held = layoutOf(database);
    return [...layoutOf(model)].flatMap(([table, columns]) => {
      const own = held.get(table);
      if (own === undefined) return [`the table ${table}`];
      return [...columns].filter((column) => !own.has(column)).map((column) => `the column ${column} of the table ${table}`);
    });
  } finally {
    model.close();
  }
}

/** Its tables with their columns, those that are computed among them. */
function layoutOf(database: Database.Database): Map<string, ReadonlySet<string>> {
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'")
    .pluck()
    .all();
  const columns = database.prepare<[string], string>('SELECT name FROM pragma_table_xinfo(?)').pluck();
  return new Map(tables.map((table) => [table, new Set(columns.all(table))]));
}
