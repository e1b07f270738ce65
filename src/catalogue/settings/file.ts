import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** A configuration of every setting there is takes a few kilobytes. */
const configOctetsMax = 1_048_576;
const secretOctetsMax = 65_536;

export type FileText =
  | { readonly kind: 'read'; readonly text: string; readonly openToOthers: boolean }
  | { readonly kind: 'unreadable'; readonly why: string };

export function readConfigText(path: string): FileText {
  return readText(path, configOctetsMax);
}

/** Reads a secret's file. The line end that an editor leaves behind the secret is not part of it. */
export function readSecretText(path: string): FileText {
  const file = readText(path, secretOctetsMax);
  return file.kind === 'read' ? { ...file, text: file.text.replace(/\r?\n$/, '') } : file;
}

/** Reads a file whole. Permissions are those of the very file that is read: nobody can swap it in between. */
function readText(path: string, octetsMax: number): FileText {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const stat = fstatSync(file);
    if (!stat.isFile()) return { kind: 'unreadable', why: 'it is not a file' };
    if (stat.size > octetsMax) return { kind: 'unreadable', why: `it is larger than ${octetsMax} bytes` };
    return { kind: 'read', text: readFileSync(file, 'utf8'), openToOthers: (stat.mode & 0o077) !== 0 };
  } catch (error) {
    return { kind: 'unreadable', why: systemWords(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Only the system's own code: its message would repeat the path that may have been a secret given in the wrong place. */
function systemWords(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  return code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : code;
}

export type Flat =
  | { readonly kind: 'settings'; readonly entries: readonly (readonly [string, unknown])[] }
  | { readonly kind: 'bad'; readonly why: string };

/**
 * Reads the JSON of a configuration: settings by full name, `{ "ldap.port": 389 }`, or nested, `{ "ldap": { "port": 389 } }`.
 *
 * @returns each name with what was given, or why it cannot be read; never a piece of the text, which may hold secrets
 */
export function parseConfig(text: string): Flat {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { kind: 'bad', why: `it is not JSON${placeOf(error, text)}` };
  }
  if (!isObject(parsed)) return { kind: 'bad', why: 'it is not a JSON object' };
  const entries: [string, unknown][] = [];
  flatten(parsed, '', entries);
  return { kind: 'settings', entries };
}

function flatten(object: Readonly<Record<string, unknown>>, prefix: string, entries: [string, unknown][]): void {
  for (const [key, value] of Object.entries(object)) {
    // Names have two parts; what lies deeper is a value of the wrong type, and is told so.
    if (isObject(value) && prefix === '' && !key.includes('.')) flatten(value, `${key}.`, entries);
    else entries.push([prefix + key, value]);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The line of a syntax error. V8's message quotes the text around it, so only its number is taken. */
function placeOf(error: unknown, text: string): string {
  const at = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return at === undefined ? '' : ` (line ${text.slice(0, Number(at)).split('\n').length})`;
}
