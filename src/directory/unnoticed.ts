import type { Snapshot, StoredEntry } from '#store';
import type { Engine } from './engine.ts';
import { changeOf, editedLists, settleLists } from './lists.ts';
import { nameOf } from './realm.ts';
import { type Attributes, stampChanged } from './record.ts';
import type { Decision } from './write.ts';

/** Of all that is kept of a change, only the number of the commit moves. */
const kept = new Set(['modifytimestamp', 'modifiersname']);

/**
 * A change of an entry that nobody has made: what the directory notes there by itself.
 *
 * @param attributes  as the entry is to have them
 * @param touched     keys of the types that have other values then
 */
export function unnoticed(
  engine: Engine,
  snapshot: Snapshot,
  entry: StoredEntry,
  attributes: Attributes,
  touched: ReadonlySet<string>,
): Decision {
  const { schema, clock } = engine;
  const lists = editedLists(schema, snapshot, entry);
  settleLists(schema, attributes, entry, lists);
  const csn = engine.csn.next();
  stampChanged(attributes, { csn, nowMs: clock.nowMs(), by: '' }, kept);
  const place = { uuid: entry.uuid, parent: entry.parent, name: { ...nameOf(schema, entry.dn), text: entry.dn }, csn };
  const { change, listedOctets, whole } = changeOf(schema, place, attributes, lists, entry);
  const expected = [{ kind: 'unchanged' as const, uuid: entry.uuid, csn: entry.csn }];
  return { target: entry.uuid, expected, changes: [change], listedOctets, whole, before: entry, touched };
}
