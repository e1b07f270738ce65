import { refuse } from '#catalogue';
import { keysBelow } from '#schema';
import type { Expectation, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import type { Look } from '../write.ts';

/** So many entries, or octets of them, are looked at before others have the event loop. */
const turnEntriesMax = 128;
const turnOctetsMax = 1_048_576;

/** All below an entry as one decision sees it. */
export interface Below<T> {
  /** Superiors before what is below them. */
  readonly each: readonly T[];
  /** That these are still all, and none of them was changed. */
  readonly expected: readonly Expectation[];
}

/**
 * Looks at every entry below one, with a pause now and then: what others change meanwhile the commit finds by what is expected.
 *
 * @param of  what to keep of an entry: of all its octets, as a rule, nothing
 * @throws Refusal `subtreeTooLarge` (11), and what `of` throws
 */
export function* below<T>(
  { engine }: Pick<Call, 'engine'>,
  look: Look,
  base: Pick<StoredEntry, 'dnKey'>,
  of: (entry: StoredEntry) => { readonly kept: T; readonly octets: number },
): Generator<undefined, Below<T>> {
  const entriesMax = engine.settings['ldap.subtreeEntriesMax'];
  const octetsMax = engine.settings['ldap.subtreeMib'] * 2 ** 20;
  const tooLarge = () => refuse(errors.subtreeTooLarge, { entries: entriesMax, mib: engine.settings['ldap.subtreeMib'] });
  if (!look().hasFewerBelow(base.dnKey, entriesMax + 1)) throw tooLarge();
  const each: T[] = [];
  const expected: Expectation[] = [];
  let octets = 0;
  let after = base.dnKey;
  for (;;) {
    const snapshot = look();
    const ids = snapshot.subtree(base.dnKey, after, turnEntriesMax);
    const before = octets;
    let looked = 0;
    for (const id of ids) {
      const entry = snapshot.byId(id);
      if (entry === undefined) throw new Error('an index names an entry that is not there');
      const { kept, octets: more } = of(entry);
      each.push(kept);
      expected.push({ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn });
      after = entry.dnKey;
      octets += more;
      looked++;
      if (octets > octetsMax || each.length > entriesMax) throw tooLarge();
      if (octets - before >= turnOctetsMax) break;
    }
    if (looked === ids.length && ids.length < turnEntriesMax) break;
    yield;
  }
  const { from, before } = keysBelow(base.dnKey);
  if (before === undefined) throw new Error('nothing has the whole tree below it');
  return { each, expected: [...expected, { kind: 'between', from, before, count: each.length }] };
}
