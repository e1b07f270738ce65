import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { changeOf, editedLists, settleLists } from './lists.ts';
import { nameOf } from './realm.ts';
import { type Attributes, stampChanged } from './record.ts';
import type { Decision } from './write.ts';

/** Nobody has changed the entry of whom the directory notes something: of all that is kept of a change, only the number of the commit moves. */
const kept = new Set(['modifytimestamp', 'modifiersname']);

export interface EntryChange {
  /** Who changes the entry; nobody, where the directory does so by itself. */
  readonly by?: string | undefined;
  /** Keys of the types that may have other values by it. */
  readonly touched: ReadonlySet<string>;
}

/** The decision that gives an entry, which keeps its name, other attributes: what the directory keeps of its own, so no schema is asked. */
export function changedEntry(
  engine: Engine,
  snapshot: Snapshot,
  entry: StoredEntry,
  attributes: Attributes,
  { by, touched }: EntryChange,
): Decision {
  const { schema, clock } = engine;
  const lists = editedLists(schema, snapshot, entry);
  settleLists(schema, attributes, entry, lists);
  const csn = engine.csn.next();
  stampChanged(attributes, { csn, nowMs: clock.nowMs(), by: by ?? '' }, by === undefined ? kept : undefined);
  const place = { uuid: entry.uuid, parent: entry.parent, name: { ...nameOf(schema, entry.dn), text: entry.dn }, csn };
  const { change, listedOctets, whole } = changeOf(schema, place, attributes, lists, entry);
  const expected = [{ kind: 'unchanged' as const, uuid: entry.uuid, csn: entry.csn }];
  return { target: entry.uuid, expected, changes: [change], listedOctets, whole, before: entry, touched };
}
