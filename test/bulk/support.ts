import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { utf8 } from '#base';
import type { Imported } from '#commands';
import { type LdifRecord, readLdif } from '#ldap';
import { importFolder, tryImport } from '../../src/wiring/folder/bulk.ts';
import { examineFolder } from '../../src/wiring/folder/upkeep.ts';
import { testEnvironment } from '../support/atrium.ts';

export const root = dirname(dirname(import.meta.dirname));
export const suffix = 'dc=example,dc=com';
const limits = { lineOctetsMax: 1_000_000, recordOctetsMax: 1_000_000, valuesMax: 10_000 };

export function folder(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-bulk-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function copy(t: ExecutionContext, from: string): string {
  const path = folder(t);
  cpSync(from, path, { recursive: true });
  return path;
}

const quiet = () => new PassThrough().resume();

export function optionsOf(dataDir: string) {
  return { root, environment: { ...testEnvironment(dataDir), STS_LOG_LEVEL: 'error' }, logStream: quiet() };
}

export function ldif(text: string): AsyncIterable<LdifRecord> {
  return readLdif([utf8(text)], limits);
}

/** Imports into a stopped folder. */
export function importText(dataDir: string, text: string): Promise<Imported> {
  return importFolder(optionsOf(dataDir), { records: ldif(text), onProgress: () => undefined });
}

export async function tryText(
  dataDir: string,
  text: string,
): Promise<{ readonly imported: Imported; readonly refused: readonly string[] }> {
  const refused: string[] = [];
  const imported = await tryImport(optionsOf(dataDir), {
    records: ldif(text),
    onProgress: () => undefined,
    onRefused: (why) => refused.push(why),
  });
  return { imported, refused };
}

export const person = (uid: string, more = '') =>
  `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: Person ${uid}\nsn: ${uid}\nmail: ${uid}@example.com\n${more}\n`;

export const people = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => person(`p${from + n}`)).join('');

/** What doctor finds wrong. */
export async function damageOf(dataDir: string): Promise<string[]> {
  const told: string[] = [];
  const examined = await examineFolder(optionsOf(dataDir), { tell: ({ what }) => told.push(what), onProgress: () => undefined });
  return examined.kind === 'examined' ? told : [JSON.stringify(examined)];
}

export function read<T>(dataDir: string, act: (database: Database.Database) => T): T {
  const database = new Database(join(dataDir, 'directory.sqlite'), { readonly: true });
  try {
    return act(database);
  } finally {
    database.close();
  }
}

/** All entries with their places in the log, as text. */
export function contentOf(dataDir: string): string {
  return read(dataDir, (database) =>
    JSON.stringify([
      database.prepare('SELECT id, uuid, parent, dn, hex(user), hex(operational), hex(secret) FROM entry ORDER BY id').all(),
      database.prepare('SELECT number, part, uuid, csn, kind FROM change ORDER BY number, part').all(),
      database.prepare('SELECT * FROM fact ORDER BY name').all(),
    ]),
  );
}

/** What leads to which entry: no numbers that another file would give otherwise. */
export function indexOf(dataDir: string): unknown[] {
  return read(dataDir, (database) =>
    database
      .prepare(
        `SELECT coalesce(a.name, found.attribute) AS name, hex(key) AS key, dn FROM found JOIN entry ON entry.id = found.id
         LEFT JOIN attribute a ON a.number = found.attribute ORDER BY 1, 2, 3`,
      )
      .raw()
      .all(),
  );
}

export const unfinished = (dataDir: string) => readdirSync(dataDir).filter((name) => name.includes('.new-'));
