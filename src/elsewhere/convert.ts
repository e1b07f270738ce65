import { text } from '#base';
import { formatDn, type LdifContent, LdifError, type LdifRecord, parentOf, parseDn } from '#ldap';
import { type DialectName, dialects, leftByClass } from './dialect.ts';
import { valuesOf } from './draft.ts';
import { convertEntry, type Workbench } from './entry.ts';
import type { NoteKind, Tally } from './report.ts';
import { keyOf, type Survey } from './survey.ts';

/** What a tree from elsewhere is brought into. */
export interface Ground extends Workbench {
  /** The realm's suffix. */
  readonly suffix: string;
  /** What a realm begins with, uppermost first, where there is none yet. */
  readonly frame: readonly LdifContent[];
  /** The built-in administrator's name. */
  readonly administrator: string;
  /** Whether the directory has an entry of that name. */
  isThere(dn: string): boolean;
}

/** Octets of entries that wait for the one above them: an entry that was moved may stand before it in a file. */
const heldOctetsMax = 256 * 1024 * 1024;

/**
 * The entries of a tree from elsewhere as Atrium takes them: those of the realm's frame first, the ones above before the ones below. What is not carried
 * over as it is, is told to the tally, all of it.
 *
 * @throws LdifError  when more stands in front of the entry above it than can be held
 */
export async function* convert(
  ground: Ground,
  name: DialectName,
  surveyed: Survey,
  records: AsyncIterable<LdifRecord>,
  tally: Tally,
): AsyncGenerator<LdifContent> {
  const places = createPlaces(ground, name, surveyed, tally);
  yield* places.frame();
  for await (const record of records) {
    if (record.kind !== 'content') throw new LdifError(record.line, 'a change, where only entries can be');
    yield* places.take(record);
  }
  places.end();
}

/** An entry by its key here: nothing for a name that the schema cannot read. */
type Key = string | undefined;

interface Places {
  /** The realm's frame, with what the tree has of its entries. */
  frame(): Generator<LdifContent>;
  /** An entry, and those that waited for it. */
  take(record: LdifContent): Generator<LdifContent>;
  /** Leaves those that still wait. */
  end(): void;
}

function createPlaces(ground: Ground, name: DialectName, { superiors, frame }: Survey, tally: Tally): Places {
  const dialect = dialects[name];
  const keyHere = (dn: string): Key => keyOf(ground.schema, ground.map({ kind: 'content', line: 0, dn, attributes: [] }).dn);
  const suffix = keyOf(ground.schema, ground.suffix) ?? '';
  const administrator = keyOf(ground.schema, ground.administrator);
  // Of those that others stand below it is kept what became of them.
  const above = new Set<Key>([...superiors.values()].map(keyHere));
  const placed = new Set<Key>();
  const without = new Set<Key>();
  const framed = new Set<Key>();
  const waiting = new Map<Key, LdifContent[]>();
  let held = 0;

  const leave = (record: LdifContent, key: Key, kind: NoteKind, what?: string) => {
    tally.entry({ line: record.line, dn: record.dn }, valuesIn(record)).left(kind, what);
    if (above.has(key) && !placed.has(key)) without.add(key);
  };

  /** Why an entry cannot be carried over, whatever it holds. */
  const fault = (record: LdifContent, key: Key): NoteKind | undefined => {
    const { dn } = record;
    if (key === undefined) return 'name';
    if (key === administrator) return 'administrator';
    if (key !== suffix && !key.startsWith(`${suffix}\0`)) return 'outside';
    // An empty unit of a realm's frame, ou=groups say, is in most trees, too.
    const isAbove = above.has(key) || key === suffix || isUnit(record);
    const isStanding = isAbove && !placed.has(key) && ground.isThere(dn);
    if (isStanding) placed.add(key);
    return isStanding ? 'standing' : undefined;
  };

  // Most entries have the superior of the one before.
  let last: { readonly text: string; readonly key: Key } = { text: '', key: undefined };
  const superiorOf = (dn: string): Key => {
    const text = formatDn(parentOf(parseDn(dn) ?? []) ?? []);
    if (last.text !== text) last = { text, key: keyHere(text) };
    const { key } = last;
    if (!placed.has(key) && !without.has(key) && ground.isThere(text)) placed.add(key);
    return key;
  };

  const wait = (record: LdifContent, superior: Key) => {
    held += octetsIn(record);
    if (held > heldOctetsMax) throw new LdifError(record.line, 'too many entries stand in front of the one above them');
    const same = waiting.get(superior);
    if (same === undefined) waiting.set(superior, [record]);
    else same.push(record);
  };

  function* place(record: LdifContent, key: Key): Generator<LdifContent> {
    const superior = key === suffix ? undefined : superiorOf(record.dn);
    if (superior !== undefined && !placed.has(superior)) {
      if (!without.has(superior)) return wait(record, superior);
      const own = leftByClass(dialect, valuesOf(record, 'objectclass'));
      leave(record, key, own?.kind ?? 'orphan', own?.name);
    } else {
      const made = convertEntry(ground, dialect, record, tally);
      if (made !== undefined) yield made;
      if (above.has(key)) (made === undefined ? without : placed).add(key);
    }
    const below = waiting.get(key) ?? [];
    waiting.delete(key);
    for (const each of below) {
      held -= octetsIn(each);
      yield* place(each, keyHere(each.dn));
    }
  }

  return {
    *frame() {
      for (const own of ground.frame) {
        const key = keyOf(ground.schema, own.dn);
        const theirs = key === administrator ? undefined : frame.find(({ dn }) => keyHere(dn) === key);
        if (theirs !== undefined) framed.add(key);
        placed.add(key);
        yield (theirs && convertEntry(ground, dialect, theirs, tally)) ?? own;
      }
    },
    *take(record) {
      const key = keyHere(record.dn);
      if (framed.delete(key)) return;
      const why = fault(record, key);
      if (why === undefined) yield* place(record, key);
      else leave(record, key, why);
    },
    end() {
      for (const record of [...waiting.values()].flat()) leave(record, keyHere(record.dn), 'orphan');
    },
  };
}

function valuesIn({ attributes }: LdifContent): number {
  return attributes.reduce((sum, { values }) => sum + values.length, 0);
}

function octetsIn({ attributes }: LdifContent): number {
  return attributes.reduce((sum, { values }) => values.reduce((all, value) => all + value.length, sum), 0);
}

function isUnit(record: LdifContent): boolean {
  return valuesOf(record, 'objectclass').some((value) => text(value)?.toLowerCase() === 'organizationalunit');
}
