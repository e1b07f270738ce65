import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text, utf8 } from '#base';
import { describeSettingProblem, Refusal, readSettings } from '#catalogue';
import { deletedUuid, isDeleted, type Realms, subschemaKey, subschemaRecord } from '#directory';
import { decodeAttributes, type PartialAttribute, walkValues } from '#ldap';
import { isWithin, keysBelow, type Schema } from '#schema';
import { type Dump, type DumpedByName, entryAt, openDump } from '#store';
import { type NamedEntry, notContent, type OpenedRealm, type RealmEntries } from '#transfer';
import { settings as rows } from '../../settings.ts';
import type { AtriumOptions } from '../foundation.ts';
import { directoryFile, realmsIn, schemaOf } from '../installation.ts';
import { sealerOf } from '../sealing.ts';

/**
 * Opens a realm for reading as it stands at this moment. A service may be running on the folder: this process is one more reader of its files.
 *
 * @param id  `default`, or that of a realm whose entry the default realm has
 */
export async function openRealmFile(
  options: AtriumOptions,
  { id, secrets }: { readonly id: string; readonly secrets: boolean },
): Promise<OpenedRealm> {
  const { root, environment } = options;
  const { values: settings, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const path = join(resolve(root, settings['global.dataDir']), directoryFile);
  if (settings['persistence.mode'] === 'memory' || !existsSync(path)) return { kind: 'absent' };
  try {
    const schema = schemaOf({ root, settings });
    using stack = new DisposableStack();
    const dump = stack.use(openDump(path, { secrets, except: subschemaKey, exceptBeginning: deletedUuid }));
    const realm = realmIn(dump, schema, realmsIn({ root, settings }, schema), id);
    if (realm === undefined) return { kind: 'unknown' };
    const stored = entryAt(path, subschemaKey);
    const head = stored && subschemaRecord(decodeAttributes(stored.operational), false);
    const open = stack.move();
    return {
      kind: 'open',
      realm: { ...realm, stored: sealerOf(settings), definitions: head, [Symbol.dispose]: () => open.dispose() },
    };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}

function realmIn(
  dump: Dump,
  schema: Schema,
  realms: Realms,
  id: string,
): Omit<RealmEntries, 'definitions' | 'stored' | typeof Symbol.dispose> | undefined {
  const own = realms.byId(id);
  if (own === undefined) return undefined;
  const { key, text: suffix } = own.suffix;
  // Nothing crosses a realm's edge: a realm may lie inside of another's tree, and is not of it.
  const inside = realms.all.filter((other) => other !== own && isWithin(other.suffix.key, key));
  const leftOut = [...inside.map((other) => other.suffix.key), ...(own === realms.default ? notContent(schema, suffix) : [])];
  const range = rangeOf(key);
  return {
    id,
    suffix,
    schema,
    inside: inside.map((other) => other.suffix.text),
    count: dump.countByName(range),
    async *entries() {
      for (const entry of dump.byName(range)) {
        const isOut = leftOut.some((each) => isWithin(entry.key, each)) || isDeleted({ dn: text(entry.dn) ?? '' });
        if (!isOut) yield entryOf(entry);
      }
    },
  };
}

function rangeOf(key: Uint8Array) {
  const { from, before } = keysBelow(key);
  // Only the root's range has no end.
  return { key, from, before: before ?? utf8('\u{10ffff}') };
}

function entryOf({ dn, key, attributes: { user, lists, more } }: DumpedByName): NamedEntry {
  const listed: PartialAttribute[] = lists.map(({ description, pieces }) => ({ description, values: pieces.flatMap(valuesIn) }));
  const attributes = [...decodeAttributes(user), ...listed, ...decodeAttributes(more)];
  return { line: 0, dn: text(dn) ?? '', key, attributes };
}

/** Values as elements one behind the other. */
function valuesIn(piece: Uint8Array): Uint8Array[] {
  const values: Uint8Array[] = [];
  walkValues(piece, 0, piece.length, (start, end) => void values.push(piece.subarray(start, end)));
  return values;
}
