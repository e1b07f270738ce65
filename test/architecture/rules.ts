import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';
import { importsOf, roomOf, type SourceFile, targetOf } from './files.ts';

/** Names every place that breaks a rule. A rule that was given no files has nothing to say, and says so. */
export type Rule = (files: readonly SourceFile[]) => string[];

/** Rank of each room, as the table of src/ARCHITECTURE.md gives it. */
export type Ranks = ReadonlyMap<string, number>;

const rootRank = 12;

function overAll(check: (file: SourceFile, files: readonly SourceFile[]) => string[]): Rule {
  return (files) => (files.length === 0 ? ['no files were scanned'] : files.flatMap((file) => check(file, files)));
}

/** Rooms import strictly lower ranks: siblings never see each other. */
export function lowerRanksOnly(ranks: Ranks): Rule {
  return overAll(({ path, text }) => {
    const rank = rankOf(ranks, path);
    if (rank === undefined) return [`${path}: its room has no rank in src/ARCHITECTURE.md`];
    return importsOf(text).flatMap(({ specifier }) => {
      if (!specifier.startsWith('#')) return [];
      const target = ranks.get(specifier.slice(1));
      if (target === undefined) return [`${path}: ${specifier} has no rank`];
      return target < rank ? [] : [`${path} (rank ${rank}) imports ${specifier} (rank ${target})`];
    });
  });
}

const gatherers = new Set(['src/settings.ts', 'src/tables.ts']);

/** A room is entered by its face: no deep import, and no `../` that leaves a room. What gathers the tables reads them alone, so that nothing else is loaded with them. */
export const facesOnly: Rule = overAll(({ path, text }) =>
  importsOf(text).flatMap(({ specifier }) => {
    if (specifier === '?') return [`${path}: a computed import`];
    if (/^#[^/]*\//.test(specifier)) return [`${path}: ${specifier} goes behind the face`];
    if (!specifier.startsWith('.')) return [];
    const target = targetOf(path, specifier) ?? '';
    if (!target.endsWith('.ts')) return [`${path}: ${specifier} names no file of ours`];
    if (gatherers.has(path) && /^src\/[^/]+\/(errors|settings|routes|jobs)\.ts$/.test(target)) return [];
    return roomOf(target) === roomOf(path) ? [] : [`${path}: ${specifier} leaves the room`];
  }),
);

/** No file imports itself by way of others. Types are gone at run time and do not count. */
export const noCycles: Rule = (files) => {
  if (files.length === 0) return ['no files were scanned'];
  const edges = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(({ typeOnly }) => !typeOnly)
        .flatMap(({ specifier }) => targetOf(path, specifier) ?? []),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' → '));
    if (at >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
};

const importers: Readonly<Record<string, string>> = {
  'node:crypto': 'keys',
  crypto: 'keys',
  'better-sqlite3': 'store',
  restify: 'web',
  ldapjs: 'client',
  winston: 'audit',
  '@peculiar/x509': 'keys',
  nodemailer: 'mail',
  '@simplewebauthn': 'factors',
};

/** Each of these packages has one room that knows it. */
export const singleImporters: Rule = overAll(({ path, text }) =>
  importsOf(text).flatMap(({ specifier }) => {
    const owner = importers[specifier] ?? importers[specifier.split('/')[0] ?? ''];
    return owner === undefined || owner === roomOf(path) ? [] : [`${path} imports ${specifier}, which only ${owner} may`];
  }),
);

const aboveTheFloor = 7;
const belowTheFloor = new Set(['store', 'credentials', 'directory', 'listener']);

/** `client` and everything above it reach the directory over LDAP and in no other way. Main and the commands wire both sides. */
export function floorHolds(ranks: Ranks): Rule {
  return overAll(({ path, text }) => {
    const rank = rankOf(ranks, path) ?? 0;
    if (rank < aboveTheFloor || rank >= rootRank) return [];
    return importsOf(text)
      .filter(({ specifier }) => belowTheFloor.has(specifier.slice(1)))
      .map(({ specifier }) => `${path} reaches below the LDAP interface: ${specifier}`);
  });
}

const environmentReader = 'src/catalogue/settings/environment.ts';

/** The environment is read in one place; everything else gets settings. */
export const oneEnvironmentReader: Rule = overAll(({ path, text }) => {
  if (path === environmentReader) return [];
  return /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^;{}]*\}\s*=\s*process\b|from ['"]node:process['"]/.test(text)
    ? [`${path} reads the environment of the process`]
    : [];
});

/** Time and chance are arguments; `base` alone knows where they come from. */
export const timeAndChanceAreArguments: Rule = overAll(({ path, text }) => {
  if (roomOf(path) === 'base') return [];
  return ['Date.now(', 'new Date()', 'Math.random(', 'getRandomValues(', 'randomUUID(', 'randomBytes(']
    .filter((call) => withoutComments(text).includes(call))
    .map((call) => `${path}: ${call}`);
});

/** Nothing lies about unused: every file is reached from main.ts, cli.ts or the gathered tables. */
export function reachable(entries: readonly string[]): Rule {
  return (files) => {
    if (files.length === 0) return ['no files were scanned'];
    const byPath = new Map(files.map((file) => [file.path, file]));
    const seen = new Set<string>();
    const waiting = [...entries];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = byPath.get(path);
      if (file === undefined || seen.has(path)) continue;
      seen.add(path);
      for (const { specifier } of importsOf(file.text)) {
        const target = targetOf(path, specifier);
        if (target !== undefined) waiting.push(target);
      }
    }
    return files.filter(({ path }) => !seen.has(path)).map(({ path }) => `${path} is reached from none of ${entries.join(', ')}`);
  };
}

/** A command of the command line is mostly loading: with `entry` no file of these rooms is loaded but their tables. */
export function loadsOnlyTablesOf(entry: string, rooms: ReadonlySet<string>): Rule {
  return (files) => {
    if (files.length === 0) return ['no files were scanned'];
    const byPath = new Map(files.map((file) => [file.path, file]));
    const loadedBy = new Map<string, string>([[entry, '']]);
    for (const path of loadedBy.keys()) {
      for (const { specifier, typeOnly, late } of importsOf(byPath.get(path)?.text ?? '')) {
        const target = typeOnly || late ? undefined : targetOf(path, specifier);
        if (target !== undefined && !loadedBy.has(target)) loadedBy.set(target, path);
      }
    }
    return [...loadedBy].flatMap(([path, by]) =>
      rooms.has(roomOf(path) ?? '') && !table.test(path) ? [`${path} is loaded with ${entry}, by ${by}`] : [],
    );
  };
}

/** A face has named exports only, so that what a room offers can be read in it. */
export const facesNameWhatTheyOffer: Rule = overAll(({ path, text }) => {
  if (!/^src\/[^/]+\/index\.ts$/.test(path)) return [];
  return /^export\s+(\*|default)/m.test(text) ? [`${path} exports without naming what`] : [];
});

/** Tables, whichever folder of a room they lie in. */
const table = /\/(errors|settings|routes|jobs|reserved|managed-rows)\.ts$|\/codes\//;
const fileLinesMax = 350;
const functionLinesMax = 65;

/** Files and functions stay small enough to read. Tables are exempt. */
export const sizes: Rule = overAll(({ path, text }) => {
  if (table.test(path)) return [];
  const lines = text.split('\n').length - 1;
  const long = lines > fileLinesMax ? [`${path} has ${lines} lines`] : [];
  // Where there are no more lines than a function may have, none is too long.
  const functions = (lines <= functionLinesMax ? [] : sizesIn(text))
    .filter((size) => size.lines > functionLinesMax)
    .map((size) => `${path}:${size.line}: a function of ${size.lines} lines`);
  return [...long, ...functions];
});

/** To read a file as a program takes longer than all other rules together, and most are asked about twice: with what is planted, and without. */
const sized = new Map<string, ReturnType<typeof functionSizes>>();

function sizesIn(text: string): ReturnType<typeof functionSizes> {
  const found = sized.get(text) ?? functionSizes(text);
  sized.set(text, found);
  return found;
}

/** How many lines are a function's own: those of functions inside it count for these alone, since a factory of closures reads like a file. */
function functionSizes(text: string): { readonly line: number; readonly lines: number }[] {
  const found: { readonly line: number; readonly lines: number }[] = [];
  // Stripping leaves every line where it was.
  const tree = parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true });
  /** @returns the lines that functions below this node take */
  const walk = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + walk(item), 0);
    if (!isNode(value)) return 0;
    const inner = Object.values(value).reduce((sum: number, child) => sum + walk(child), 0);
    if (!/Function/.test(value.type) || !value.loc) return inner;
    const lines = value.loc.end.line - value.loc.start.line + 1;
    found.push({ line: value.loc.start.line, lines: lines - inner });
    // Its first line belongs to what stands around it.
    return lines - 1;
  };
  walk(tree);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function rankOf(ranks: Ranks, path: string): number | undefined {
  const room = roomOf(path);
  return room === undefined ? rootRank : ranks.get(room);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}
