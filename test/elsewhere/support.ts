import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from 'ava';
import { utf8 } from '#base';
import type { DialectName, Note, NoteKind, Summary } from '#elsewhere';
import { readLdif } from '#ldap';
import { importFolder, tryImport } from '../../src/wiring/folder/bulk.ts';
import { convertElsewhere } from '../../src/wiring/folder/elsewhere-import.ts';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runLdapTool } from '../support/ldap-utils.ts';

export const suffix = 'dc=example,dc=com';
export const limits = { lineOctetsMax: 1_048_576, recordOctetsMax: 4_194_304, valuesMax: 10_000, looseNames: true };

export interface Tree {
  readonly from: DialectName;
  readonly ldif: string;
  readonly schemas?: readonly { readonly name: string; readonly text: string }[];
  readonly dryRun?: boolean;
  readonly to?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

type BroughtElsewhere =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'imported';
      readonly password: string | undefined;
      readonly from: string;
      readonly to: string;
      readonly summary: Summary;
    }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };
export type Brought = BroughtElsewhere & { readonly kind: 'imported' };

/** A data folder that goes with its test. */
export function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-elsewhere-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Brings a tree into a folder. */
export async function bring(
  dataDir: string,
  { from, ldif, schemas = [], dryRun = false, to = 'default', settings = {} }: Tree,
): Promise<BroughtElsewhere> {
  const octets = utf8(ldif);
  const logStream = new PassThrough({ encoding: 'utf8' });
  const options = { root: dirname(dirname(import.meta.dirname)), environment: { ...testEnvironment(dataDir), ...settings }, logStream };
  const open = () => readLdif([octets], limits);
  const converted = await convertElsewhere(options, { from, to, open, schemas, takesDefinitions: false });
  if (converted.kind !== 'converted') return converted;
  const { definitions, records } = converted;
  const all = (async function* () {
    if (definitions !== undefined) yield definitions;
    yield* records;
  })();
  const work = { records: all, onProgress: () => undefined };
  try {
    const imported = dryRun ? await tryImport(options, work) : await importFolder(options, work);
    return imported.kind === 'refused' ? imported : { ...converted, kind: 'imported', summary: converted.summary() };
  } catch (error) {
    throw new Error(`it was not imported, and the log says:\n${logStream.read() ?? ''}`, { cause: error });
  }
}

/** The same, which must succeed. */
export async function brought(t: ExecutionContext, dataDir: string, tree: Tree): Promise<Brought> {
  const result = await bring(dataDir, tree);
  if (result.kind !== 'imported') throw new Error(result.kind === 'refused' ? result.lines.join('\n') : result.kind);
  const { values } = result.summary;
  t.is(values.read, values.kept + values.otherwise + values.left, 'every value is kept, changed or left');
  return result;
}

export function noteOf({ summary }: Brought, kind: NoteKind, what?: string): Note | undefined {
  return summary.notes.find((note) => note.kind === kind && (what === undefined || note.what === what));
}

/** Starts Atrium on a folder, and ends it with the test. */
export async function started(t: ExecutionContext, dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<TestAtrium> {
  const atrium = await startTestAtrium({ dataDir, settings });
  t.teardown(() => atrium.stop());
  return atrium;
}

/** The status of a bind. */
export async function signIn({ addresses, suffix: here }: TestAtrium, uid: string, password: string): Promise<number> {
  const dn = `uid=${uid},ou=people,${here}`;
  return (await runLdapTool('ldapwhoami', { url: addresses.ldap ?? '', dn, password }, [])).status;
}

/** All entries with what the administrator may see of them, by ldapsearch. */
export async function contents({ addresses, adminDn, adminPassword, suffix: here }: TestAtrium): Promise<Map<string, readonly string[]>> {
  const administrator = { url: addresses.ldap ?? '', dn: adminDn, password: adminPassword };
  const { stdout } = await runLdapTool('ldapsearch', administrator, [
    '-LLL',
    '-M',
    '-o',
    'ldif-wrap=no',
    '-b',
    here,
    '(objectClass=*)',
    '*',
    '+',
  ]);
  const entries = new Map<string, readonly string[]>();
  for await (const record of readLdif([utf8(stdout)], limits)) {
    if (record.kind !== 'content') continue;
    const values = record.attributes.flatMap(({ description, values: all }) =>
      all.map((value) => `${description.toLowerCase()}: ${Buffer.from(value).toString('utf8')}`),
    );
    entries.set(record.dn.toLowerCase(), values);
  }
  return entries;
}

/** Writes a file into a folder of a test. */
export function written(folder: string, name: string, text: string): string {
  const path = join(folder, basename(name));
  writeFileSync(path, text);
  return path;
}
