/**
 * Puts the tables of several rooms into one.
 *
 * @param tables  tables whose keys must differ
 * @throws Error when two rooms use the same key: a defect, not a refusal
 */
export function gather<Row>(tables: readonly Readonly<Record<string, Row>>[]): Readonly<Record<string, Row>> {
  const all: Record<string, Row> = {};
  for (const table of tables) {
    for (const [key, row] of Object.entries(table)) {
      if (key in all) throw new Error(`two rows are called ${key}`);
      all[key] = row;
    }
  }
  return all;
}
