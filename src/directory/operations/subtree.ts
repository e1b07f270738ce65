import { concat } from '#base';
import { refuse } from '#catalogue';
import { isWithin, keysBelow } from '#schema';
import type { Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { turnAssertionsMax } from '../search/turn.ts';
import type { Look } from '../write.ts';

/** So many entries, or octets of them, are looked at before others have the event loop; fewer where rules of access make much of each. */
const turnEntriesMax = 128;
const turnOctetsMax = 1_048_576;

/** A transaction is decided without a pause: of so many assertions, which are about a second. */
const queuedAssertionsMax = 1_000_000;

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
 * @param assertions  that rules of access make of each entry to find out what may be done with it
 * @param of  what to keep of an entry: of all its octets, as a rule, nothing
 * @throws Refusal `subtreeTooLarge` (11), and what `of` throws
 */
export function* below<T>(
  { engine, queued }: Pick<Call, 'engine' | 'queued'>,
  look: Look,
  base: Pick<StoredEntry, 'dnKey'>,
  assertions: number,
  of: (entry: StoredEntry, snapshot: Snapshot) => { readonly kept: T; readonly octets: number },
): Generator<undefined, Below<T>> {
  const few = queued ? Math.floor(queuedAssertionsMax / (1 + assertions)) : Number.POSITIVE_INFINITY;
  const entriesMax = Math.min(engine.settings['ldap.subtreeEntriesMax'], few);
  const octetsMax = engine.settings['ldap.subtreeMib'] * 2 ** 20;
  const tooLarge = () => refuse(errors.subtreeTooLarge, { entries: entriesMax, mib: engine.settings['ldap.subtreeMib'] });
  const edges = engine.realms.in(look()).edgesBelow(base.dnKey);
  if (edges.length === 0 && !look().hasFewerBelow(base.dnKey, entriesMax + 1)) throw tooLarge();
  const turnEntries = Math.max(1, Math.min(turnEntriesMax, Math.floor(turnAssertionsMax / (1 + assertions))));
  const each: T[] = [];
  const expected: Expectation[] = [];
  const keys: Uint8Array[] = [];
  let octets = 0;
  let after = base.dnKey;
  for (;;) {
    const snapshot = look();
    const ids = snapshot.subtree(base.dnKey, after, turnEntries);
    const before = octets;
    let looked = 0;
    for (const id of ids) {
      const entry = snapshot.byId(id);
      if (entry === undefined) throw new Error('an index names an entry that is not there');
      const edge = edges.find((each) => isWithin(entry.dnKey, each));
      if (edge !== undefined) {
        after = behindAll(edge);
        break;
      }
      const { kept, octets: more } = of(entry, snapshot);
      each.push(kept);
      expected.push({ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn });
      after = entry.dnKey;
      keys.push(entry.dnKey);
      octets += more;
      looked++;
      if (octets > octetsMax || each.length > entriesMax) throw tooLarge();
      if (octets - before >= turnOctetsMax) break;
    }
    if (looked === ids.length && ids.length < turnEntries) break;
    yield;
  }
  return { each, expected: [...expected, ...between(base.dnKey, edges, keys)] };
}

/** That there are just these entries below one: in front of each edge, between two of them, and behind the last. */
function between(base: Uint8Array, edges: readonly Uint8Array[], keys: readonly Uint8Array[]): Expectation[] {
  const whole = keysBelow(base);
  if (whole.before === undefined) throw new Error('nothing has the whole tree below it');
  if (edges.length === 0) return [{ kind: 'between', from: whole.from, before: whole.before, count: keys.length }];
  const starts = [whole.from, ...edges.map((edge) => keysBelow(edge).before ?? edge)];
  const ends = [...edges, whole.before];
  return starts.map((from, at) => {
    const before = ends[at] ?? from;
    const isHere = (key: Uint8Array) => Buffer.compare(key, from) >= 0 && Buffer.compare(key, before) < 0;
    return { kind: 'between', from, before, count: keys.filter(isHere).length };
  });
}

/** A place behind all names below one, and in front of all that follow: no level of a name begins with this octet. */
function behindAll(dnKey: Uint8Array): Uint8Array {
  return concat([keysBelow(dnKey).from, Uint8Array.of(0xff)]);
}
