import { compareBytes } from '#base';
import { type Dn, formatDn, formatRdn } from '#ldap';
import { formOf, type Schema } from '#schema';
import { canonicalAttributes } from './canonical.ts';
import { type Desk, type Difference, entryOf, type Lone, type Moved, modifyOf } from './desk.ts';
import { compared, modificationsOf } from './modifications.ts';
import { createNaming, type NamedEntry, uuidOf } from './named.ts';
import { openSpool, type Spool } from './spool.ts';
import { structureChanges } from './structure.ts';

export interface DifferencesOptions {
  /** Where what both do not have alike lies meanwhile. */
  readonly folder: string;
  readonly secrets: boolean;
}

/**
 * The changes that lead from one set of entries to another, in an order in which they can be made one by one: what entries have that keep their name;
 * then deletes, leaves first; then adds and renames, superiors first; last the deletes of what others had to be taken away from.
 *
 * Both sides are read once, side by side. What both have alike is forgotten at once; of what only one has, a few numbers stay in memory and the rest
 * lies in a file. An entry is another one's under a new name when both have the same entryUUID; without that it goes and comes.
 *
 * @param realm  entries as they are, in the order of their names
 * @param file  entries as they are to be, in the same order
 */
export async function* differences(
  schema: Schema,
  realm: AsyncIterable<NamedEntry>,
  file: AsyncIterable<NamedEntry>,
  { folder, secrets }: DifferencesOptions,
): AsyncGenerator<Difference> {
  using here = openSpool(folder);
  using there = openSpool(folder);
  const desk = { schema, compared: compared(secrets), here, there };
  const gone: Lone[] = [];
  const come: Lone[] = [];
  for await (const [is, wanted] of sideBySide(named(schema, realm), named(schema, file))) {
    if (is !== undefined && wanted !== undefined && isSame(is, wanted)) {
      const difference = modified(desk, is, wanted);
      if (difference !== undefined) yield difference;
      continue;
    }
    if (is !== undefined) gone.push(lone(is, here));
    if (wanted !== undefined) come.push(lone(wanted, there));
  }
  const { kept, moved, deleted, added } = paired(gone, come);
  for (const { from, to } of kept) {
    const difference = modified(desk, entryOf(from, here), entryOf(to, there));
    if (difference !== undefined) yield difference;
  }
  yield* structureChanges(desk, { moved, deleted, added });
}

/** An entry with its name as it is written everywhere here. */
export interface Written extends NamedEntry {
  readonly name: Dn;
}

async function* named(schema: Schema, entries: AsyncIterable<NamedEntry>): AsyncGenerator<Written> {
  const nameOf = createNaming(schema);
  for await (const entry of entries) {
    const name = nameOf(entry);
    yield { ...entry, name, dn: formatDn(name), attributes: canonicalAttributes(schema, entry.attributes) };
  }
}

async function* sideBySide(
  one: AsyncGenerator<Written>,
  other: AsyncGenerator<Written>,
): AsyncGenerator<readonly [Written | undefined, Written | undefined]> {
  try {
    let [a, b] = [await one.next(), await other.next()];
    while (a.done !== true || b.done !== true) {
      const order = a.done === true ? 1 : b.done === true ? -1 : compareBytes(a.value.key, b.value.key);
      yield [a.done === true || order > 0 ? undefined : a.value, b.done === true || order < 0 ? undefined : b.value];
      if (order <= 0) a = await one.next();
      if (order >= 0) b = await other.next();
    }
  } finally {
    await one.return(undefined);
    await other.return(undefined);
  }
}

/** Under the same name, written alike, and not known to be two. */
function isSame(is: Written, wanted: Written): boolean {
  const [own, other] = [uuidOf(is), uuidOf(wanted)];
  if (own !== undefined && other !== undefined && own !== other) return false;
  return formatRdn(is.name[0] ?? []) === formatRdn(wanted.name[0] ?? []);
}

function lone(entry: Written, spool: Spool): Lone {
  return { key: entry.key, dn: entry.name, uuid: uuidOf(entry), place: spool.put(entry) };
}

/** Who is who: by entryUUID first, then by name. */
function paired(gone: readonly Lone[], come: readonly Lone[]) {
  const byUuid = new Map(gone.flatMap((each) => (each.uuid === undefined ? [] : [[each.uuid, each] as const])));
  const used = new Set<Lone>();
  const kept: Moved[] = [];
  const moved: Moved[] = [];
  const others: Lone[] = [];
  for (const to of come) {
    const from = to.uuid === undefined ? undefined : byUuid.get(to.uuid);
    if (from === undefined || used.has(from)) {
      others.push(to);
      continue;
    }
    used.add(from);
    moved.push({ from, to });
  }
  const byKey = new Map(gone.filter((each) => !used.has(each)).map((each) => [formOf(each.key), each]));
  const added: Lone[] = [];
  for (const to of others) {
    const from = byKey.get(formOf(to.key));
    if (from === undefined) added.push(to);
    else {
      used.add(from);
      const isWrittenAlike = formatRdn(from.dn[0] ?? []) === formatRdn(to.dn[0] ?? []);
      (isWrittenAlike ? kept : moved).push({ from, to });
    }
  }
  // In the order of where they are to be.
  moved.sort((a, b) => compareBytes(a.to.key, b.to.key));
  return { kept, moved, deleted: gone.filter((each) => !used.has(each)), added };
}

function modified({ schema, compared: by }: Desk, is: NamedEntry, wanted: NamedEntry): Difference | undefined {
  const changes = modificationsOf(schema, is.attributes, wanted.attributes, by);
  return changes.length === 0 ? undefined : modifyOf(is.dn, changes, { before: is.attributes, after: wanted.attributes, key: is.key });
}
