import { type BoundedMap, createBoundedMap } from '#base';
import type { Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import { type Name, nameOf } from '../realm.ts';
import type { WalkDesk } from '../relations/chain.ts';
import type { AnswerCache } from './answers.ts';
import { lastWorking } from './computed.ts';
import { type Projection, projection } from './project.ts';
import { readSelection, type Wanted } from './select.ts';

/**
 * What of a search depends on its text alone, kept from one request to the next: a client asks below the same base for the same attributes again
 * and again, and to parse a name, to normalize it and to look it up took 12 µs of 95.
 */
export interface Prepared {
  /** @throws Refusal `nameInvalid` */
  base(text: string): Base;
  selection(attributes: readonly string[]): Wanted;
  /**
   * What of an entry is answered to those with these rights.
   *
   * @param managed  without members of groups that are found by searches: with ManageDsaIT an entry is what is kept of it, as with slapo-dynlist
   */
  projection(wanted: Wanted, rights: Rights, typesOnly: boolean, managed?: boolean): Projection;
}

/** A base as requests write it. */
export interface Base {
  readonly name: Name;
  /** The row number of its entry, looked up once for each state of the store. */
  idIn(snapshot: Snapshot): number | undefined;
}

/** Longer texts are no client's habit: they are read each time, so that what is kept stays small. */
const textLengthMax = 1024;

/** @param max  how many bases, and how many selections, are kept */
export function createPrepared(engine: WalkDesk['engine'], answers: AnswerCache, max: number): Prepared {
  const { schema } = engine;
  const workingFor = lastWorking(engine);
  const managedWorking = { ...workingFor, isDynamic: () => false };
  const bases: BoundedMap<string, Base> = createBoundedMap(max);
  const selections: BoundedMap<string, Wanted> = createBoundedMap(max);
  /** There are as many rights as the access table has places and kinds of people. */
  const projections = new WeakMap<Wanted, Map<Rights, { readonly whole: Projection; readonly types: Projection }>>();
  return {
    base: (text) => kept(bases, text, () => baseOf(nameOf(schema, text))),
    // No description holds a NUL: a list that does is not told apart from another by its text.
    selection(attributes) {
      const text = attributes.length === 1 ? (attributes[0] ?? '') : attributes.join('\0');
      const isPlain = attributes.every((each) => !each.includes('\0') && each !== '');
      return isPlain ? kept(selections, text, () => readSelection(schema, attributes)) : readSelection(schema, attributes);
    },
    projection(wanted, rights, typesOnly, managed = false) {
      if (managed) return projection(schema, managedWorking, wanted, rights, typesOnly, nothingKept);
      let ofWanted = projections.get(wanted);
      if (ofWanted === undefined) {
        ofWanted = new Map();
        projections.set(wanted, ofWanted);
      }
      let both = ofWanted.get(rights);
      if (both === undefined) {
        const make = (types: boolean) => projection(schema, workingFor, wanted, rights, types, answers.view());
        both = { whole: make(false), types: make(true) };
        ofWanted.set(rights, both);
      }
      return typesOnly ? both.types : both.whole;
    },
  };
}

const nothingKept = { get: () => undefined, keep: () => undefined };

function kept<T>(map: BoundedMap<string, T>, text: string, make: () => T): T {
  const known = map.get(text);
  if (known !== undefined) return known;
  const made = make();
  if (text.length <= textLengthMax) map.set(text, made);
  return made;
}

function baseOf(name: Name): Base {
  let number = -1;
  let id: number | undefined;
  return {
    name,
    idIn(snapshot) {
      if (snapshot.number !== number) {
        id = snapshot.idOf(name.key);
        number = snapshot.number;
      }
      return id;
    },
  };
}
