/** A row of the room table of src/ARCHITECTURE.md. */
export interface RoomRow {
  readonly rank: number;
  readonly name: string;
  readonly purpose: string;
}

/** Reads the table under a heading: `| 1 | `ldap` | … |`. */
export function roomTable(page: string, heading: string): RoomRow[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| (\d+) \| (.+?) \| (.+) \|$/gm)].flatMap(([, rank, names = '', purpose = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ rank: Number(rank), name, purpose })),
  );
}

/** What the table and the disk do not agree on. */
export function tableAgainstDisk(table: readonly RoomRow[], rooms: readonly string[]): string[] {
  if (table.length === 0 || rooms.length === 0) return ['no rooms were scanned'];
  const named = new Set(table.map(({ name }) => name));
  return [
    ...rooms.filter((room) => !named.has(room)).map((room) => `src/${room} is not in the room table`),
    ...[...named].filter((name) => !rooms.includes(name)).map((name) => `the room table names ${name}, and there is no such room`),
    ...(named.size === table.length ? [] : ['the room table names a room twice']),
  ];
}

/** What the `imports` of package.json must be: one exact key a room, so that Node itself refuses anything behind a face. */
export function importsAgainstRooms(imports: Readonly<Record<string, unknown>>, rooms: readonly string[]): string[] {
  if (rooms.length === 0) return ['no rooms were scanned'];
  const wanted = new Map(rooms.map((room) => [`#${room}`, `./src/${room}/index.ts`]));
  return [
    ...[...wanted].filter(([key, path]) => imports[key] !== path).map(([key, path]) => `package.json: ${key} must be ${path}`),
    ...Object.keys(imports)
      .filter((key) => !wanted.has(key))
      .map((key) => `package.json: ${key} is no room's face`),
  ];
}
