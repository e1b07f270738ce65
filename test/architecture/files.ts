import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A file of the source as the rules see it. */
export interface SourceFile {
  /** From the root of the project, with `/`: `src/ldap/index.ts`. */
  readonly path: string;
  readonly text: string;
}

export const root = join(import.meta.dirname, '../..');

/** Reads the files of a folder and all below it whose names end so. */
export function readFiles(folder: string, ending: string): SourceFile[] {
  const found = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(root.length + 1), text: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The room a file belongs to: `ldap` for `src/ldap/dn.ts`; `undefined` for what stands above all rooms, `src/main.ts` and `src/wiring`. */
export function roomOf(path: string): string | undefined {
  return /^src\/(?!wiring\/)([^/]+)\//.exec(path)?.[1];
}

export interface Import {
  readonly specifier: string;
  /** Only types: gone at run time. */
  readonly typeOnly: boolean;
  /** Loaded when a line of code is reached, not with the file. */
  readonly late: boolean;
}

const whole = /^(?:import|export)\s+(type\s+)?(?:[\w$*\s{},]*?\s?from\s*)?['"]([^'"]+)['"]/gm;
const reexport = /^export\s+(type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*['"]([^'"]+)['"]/gm;
const late = /\b(?:import|require|getBuiltinModule|createRequire)\s*\(\s*([^)]*)/g;
const thread = /\bnew URL\(\s*(['"`][^'"`]+\.ts['"`])\s*,\s*import\.meta\.url/g;
const literal = /^['"`]([^'"`$]+)['"`]/;

/**
 * What a file imports. Biome puts every import and re-export at the beginning of a line, which is what makes this reading safe;
 * `import()` and `require()` are found anywhere, and so is the file that a thread begins with: `new URL('./file.ts', import.meta.url)`.
 *
 * @returns a specifier of `?` for one that is computed and can therefore not be held to any rule
 */
export function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const [statement, type, specifier = ''] of text.matchAll(whole)) {
    if (statement.startsWith('import')) found.push({ specifier, typeOnly: type !== undefined, late: false });
  }
  for (const [, type, specifier = ''] of text.matchAll(reexport)) found.push({ specifier, typeOnly: type !== undefined, late: false });
  for (const [, argument = ''] of text.matchAll(late)) {
    if (argument.startsWith('import.meta')) continue;
    found.push({ specifier: literal.exec(argument)?.[1] ?? '?', typeOnly: false, late: true });
  }
  for (const [, file = ''] of text.matchAll(thread)) found.push({ specifier: literal.exec(file)?.[1] ?? '?', typeOnly: false, late: true });
  return found;
}

/** The file a relative or `#room` specifier leads to; `undefined` for packages. */
export function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  return specifier.startsWith('#') ? `src/${specifier.slice(1)}/index.ts` : undefined;
}
