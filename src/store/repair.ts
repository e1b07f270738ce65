import { basename } from 'node:path';
import { attributeNumbers } from './attributes.ts';
import { openDatabase } from './database.ts';
import { directoryFormat, uuidKey } from './format.ts';
import { GramBuilder } from './gram-builder.ts';
import { givenKeys, insideKeys, keySet, ownKeys } from './keys.ts';
import { listsOf } from './lists.ts';
import { isDiskError, reasonOf, unusable } from './reasons.ts';
import { noLists, readableLists } from './slices.ts';
import type { Indexer, LargeRules, StoredEntry } from './types.ts';

type Row = Omit<StoredEntry, 'parent' | 'large'> & { readonly parent: string | null; readonly large: string | null };

const busyMs = 1000;
const pageEntries = 500;
const columns = 'id, uuid, parent, dn, dn_key AS dnKey, csn, user, operational, secret, large';

/**
 * Makes every index row anew from the entries, the store's own too, in one transaction. An entry that the indexer cannot read keeps its
 * place in the tree and is found by nothing else. The folder must be this process's.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005; the last also when the disk refuses in the middle: then nothing is changed
 */
export function repairIndexes(
  path: string,
  { indexer, large, indexVersion }: { readonly indexer: Indexer; readonly large: LargeRules; readonly indexVersion: string },
): void {
  const database = openDatabase(path, directoryFormat, busyMs);
  try {
    database.pragma('synchronous = FULL');
    const page = database.prepare<[number, number], Row>(`SELECT ${columns} FROM entry WHERE id > ? ORDER BY id LIMIT ?`);
    const insert = database.prepare<[number, Uint8Array, number]>('INSERT INTO found (attribute, key, id) VALUES (?, ?, ?)');
    database
      .transaction(() => {
        database.exec('DELETE FROM found; DELETE FROM attribute; DELETE FROM gram; DELETE FROM gram_pending');
        using grams = new GramBuilder();
        const attributes = attributeNumbers(database);
        const lists = listsOf(database, attributes, large);
        for (let rows = page.all(0, pageEntries); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0, pageEntries)) {
          for (const row of rows) {
            const entry = { ...row, parent: row.parent ?? undefined, large: readableLists(row.large) ?? noLists };
            // Nothing could ever name such an entry.
            if (uuidKey(entry.uuid) === undefined || (entry.parent !== undefined && uuidKey(entry.parent) === undefined)) continue;
            const given = givenKeys(readable(indexer, entry), attributes.give);
            for (const { attribute, inside } of insideKeys(given)) grams.add(attribute, entry.id, inside);
            for (const { attribute, key } of keySet([...ownKeys(entry), ...given]).values()) insert.run(attribute, key, entry.id);
            for (const list of entry.large) lists.reindex(entry.id, list);
          }
        }
        grams.write(database);
        database
          .prepare("INSERT INTO fact (name, value) VALUES ('indexVersion', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
          .run(indexVersion);
      })
      .immediate();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw unusable(basename(path), reasonOf(error));
  } finally {
    database.close();
  }
}

function readable(indexer: Indexer, entry: StoredEntry): ReturnType<Indexer> {
  try {
    return indexer(entry);
  } catch {
    // Octets that cannot be decoded: `examineDirectory` names the entry.
    return [];
  }
}
