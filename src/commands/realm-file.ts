import { tmpdir } from 'node:os';
import type { LdifRecord } from '#ldap';
import { createPlacing, keyOfName, type NamedEntry, namedEntry, type Placing, type RealmEntries, sorted, whole } from '#transfer';
import type { Context } from './command.ts';
import { Misuse } from './exits.ts';
import type { LdifSource } from './ldif.ts';
import { isSubschema } from './realm-source.ts';

/** A file of LDIF, read as what a realm is to be. */
export interface RealmFile {
  /** In the order of their names, which are those of the realm; they are a whole realm. */
  readonly entries: AsyncGenerator<NamedEntry>;
  readonly placing: Placing;
}

/** The first record, and all of them. */
export async function peek(
  records: AsyncIterable<LdifRecord>,
): Promise<{ readonly first: LdifRecord | undefined; readonly all: AsyncIterable<LdifRecord> }> {
  const iterator = records[Symbol.asyncIterator]();
  const head = await iterator.next();
  const all = (async function* () {
    if (head.done !== true) yield head.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  return { first: head.done === true ? undefined : head.value, all };
}

/**
 * Reads a file as what a realm is to be: names below the suffix of its first entry are put below the realm's.
 *
 * @throws Misuse for a file without entries
 */
export async function readRealmFile({ records }: LdifSource, realm: RealmEntries): Promise<RealmFile> {
  const { schema, suffix } = realm;
  const entriesOnly = (async function* () {
    for await (const record of records) if (!isSubschema(record)) yield record;
  })();
  const { first, all } = await peek(entriesOnly);
  if (first === undefined) throw new Misuse('the file has no entries');
  const placing = createPlacing(realm);
  const named = (async function* () {
    for await (const record of all) {
      const entry = placing.place(namedEntry(schema, record));
      if (entry !== undefined) yield entry;
    }
  })();
  return { entries: whole(sorted(named, { folder: tmpdir() }), keyOfName(schema, suffix)), placing };
}

/** Says what was put below another suffix. */
export function tellPlaced({ placing }: RealmFile, { stderr }: Context): void {
  const told = placing.told();
  if (told !== undefined) stderr.write(`${told}\n`);
}
