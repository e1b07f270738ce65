import { tmpdir } from 'node:os';
import type { LdifRecord } from '#ldap';
import { isWithin } from '#schema';
import {
  createMapping,
  keyOfName,
  type Mapping,
  type NamedEntry,
  namedEntry,
  notContent,
  type RealmEntries,
  sorted,
  whole,
} from '#transfer';
import type { Context } from './command.ts';
import { Misuse } from './exits.ts';
import type { LdifSource } from './ldif.ts';
import { isSubschema } from './realm-source.ts';

/** A file of LDIF, read as what a realm is to be. */
export interface RealmFile {
  /** In the order of their names, which are those of the realm; they are a whole realm. */
  readonly entries: AsyncGenerator<NamedEntry>;
  readonly mapping: Mapping;
  /** The suffix that the names of the file are below, when it is not the realm's. */
  readonly from: string | undefined;
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
export async function readRealmFile({ records }: LdifSource, { id, schema, suffix }: RealmEntries): Promise<RealmFile> {
  const entriesOnly = (async function* () {
    for await (const record of records) if (!isSubschema(record)) yield record;
  })();
  const { first, all } = await peek(entriesOnly);
  if (first === undefined) throw new Misuse('the file has no entries');
  const own = keyOfName(schema, suffix);
  const top = namedEntry(schema, first);
  const from = isWithin(top.key, own) ? undefined : top.dn;
  const mapping = createMapping(schema, from ?? suffix, suffix);
  const leftOut = id === 'default' ? notContent(schema, suffix) : [];
  const named = (async function* () {
    for await (const record of all) {
      const entry = mapping.entry(namedEntry(schema, record));
      if (!leftOut.some((each) => isWithin(entry.key, each))) yield entry;
    }
  })();
  return { entries: whole(sorted(named, { folder: tmpdir() }), own), mapping, from };
}

/** Says what was put below another suffix. */
export function tellMapped({ from, mapping }: RealmFile, suffix: string, { stderr }: Context): void {
  if (from === undefined) return;
  const counts = [...mapping.mapped].map(([name, count]) => `${name} ${count.toLocaleString('en')}`);
  stderr.write(`Names below ${from} are put below ${suffix}; in values: ${counts.join(', ') || 'none'}\n`);
}
