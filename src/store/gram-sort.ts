import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forGrams, idMax } from './grams.ts';

/** All ids that have a gram. */
export interface GramList {
  readonly attribute: number;
  readonly gram: number;
  /** Ascending, each once. Good until the next list is asked for. */
  readonly ids: readonly number[];
}

/** Octets of a pair of gram and id while it is sorted, with the copy that sorting makes. */
const pairOctets = 8;
const blockOctets = 65_536;

/**
 * Sorts the grams of any number of keys in bounded memory: what does not fit goes into a file that nobody else can find, sorted, and the sorted runs
 * are read back as one.
 */
export class GramSort {
  readonly #pairsMax: number;
  readonly #pairs = new Map<number, Pairs>();
  readonly #runs: { readonly start: number; readonly end: number }[] = [];
  #held = 0;
  #lastId = 0;
  #spill: Spill | undefined;

  /** @param memoryMib  for what is held before it goes into the file */
  constructor(memoryMib: number) {
    this.#pairsMax = Math.floor((memoryMib * 2 ** 20) / pairOctets);
  }

  /**
   * Takes a whole key by whose inside an entry is found.
   *
   * @param id  never less than that of the call before
   */
  add(attribute: number, id: number, key: Uint8Array): void {
    if (id < this.#lastId || id > idMax) throw new Error(`row ${id} is behind row ${this.#lastId}, or no row at all`);
    // A run ends between two entries, so that the ids of a later one are greater.
    if (this.#held >= this.#pairsMax && id > this.#lastId) this.#spillHeld();
    this.#lastId = id;
    let pairs = this.#pairs.get(attribute);
    if (pairs === undefined) {
      pairs = new Pairs();
      this.#pairs.set(attribute, pairs);
    }
    const before = pairs.count;
    pairs.push(id, key);
    this.#held += pairs.count - before;
  }

  /** Every list, by attribute and gram. Nothing may be added behind it. */
  *lists(): Generator<GramList> {
    if (this.#spill === undefined) {
      yield* this.#heldLists();
      return;
    }
    this.#spillHeld();
    const spill = this.#spill;
    yield* mergedLists(this.#runs.map(({ start, end }) => runLists(spill, start, end)));
  }

  [Symbol.dispose](): void {
    this.#spill?.close();
    this.#spill = undefined;
    this.#pairs.clear();
  }

  *#heldLists(): Generator<GramList> {
    for (const attribute of [...this.#pairs.keys()].sort((a, b) => a - b)) {
      yield* this.#pairs.get(attribute)?.lists(attribute) ?? [];
      this.#pairs.delete(attribute);
    }
  }

  #spillHeld(): void {
    this.#spill ??= new Spill();
    const start = this.#spill.length;
    for (const list of this.#heldLists()) this.#spill.put(list);
    this.#spill.flush();
    this.#runs.push({ start, end: this.#spill.length });
    this.#held = 0;
  }
}

/** Grams with their ids, each pair a 64-bit number of which the gram is the upper half. */
class Pairs {
  #words = new Uint32Array(2048);
  count = 0;

  push(id: number, key: Uint8Array): void {
    if ((this.count + key.length) * 2 > this.#words.length) {
      const more = new Uint32Array(Math.max(this.#words.length * 2, (this.count + key.length) * 2));
      more.set(this.#words);
      this.#words = more;
    }
    const words = this.#words;
    let at = this.count * 2;
    forGrams(key, (gram) => {
      words[at++] = id;
      words[at++] = gram;
    });
    this.count = at / 2;
  }

  *lists(attribute: number): Generator<GramList> {
    const words = this.#words;
    // Sorted by the engine's own order of 64-bit numbers: no number of that kind is ever made.
    new BigUint64Array(words.buffer, 0, this.count).sort();
    for (let at = 0; at < this.count; ) {
      const gram = words[at * 2 + 1] as number;
      const ids: number[] = [];
      for (; at < this.count && words[at * 2 + 1] === gram; at++) {
        const id = words[at * 2] as number;
        if (ids.length === 0 || ids[ids.length - 1] !== id) ids.push(id);
      }
      yield { attribute, gram, ids };
    }
  }
}

/** The file of sorted runs. Its name is taken away as soon as it is open: it is gone with the process. */
class Spill {
  readonly #descriptor: number;
  readonly #block = Buffer.allocUnsafeSlow(blockOctets);
  #used = 0;
  length = 0;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-'));
    try {
      this.#descriptor = openSync(join(folder, 'grams'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  put({ attribute, gram, ids }: GramList): void {
    this.#word(attribute);
    this.#word(gram);
    this.#word(ids.length);
    for (const id of ids) this.#word(id);
  }

  flush(): void {
    for (let done = 0; done < this.#used; )
      done += writeSync(this.#descriptor, this.#block, done, this.#used - done, this.length - this.#used + done);
    this.#used = 0;
  }

  /** Reads words from a place on; fewer at the end. */
  read(into: Uint32Array, start: number, end: number): number {
    const octets = Math.min(into.byteLength, end - start);
    const bytes = new Uint8Array(into.buffer, 0, octets);
    for (let done = 0; done < octets; ) {
      const read = readSync(this.#descriptor, bytes, done, octets - done, start + done);
      if (read === 0) throw new Error('the file of sorted grams is shorter than it was');
      done += read;
    }
    return octets / 4;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #word(word: number): void {
    if (this.#used === blockOctets) this.flush();
    this.#block.writeUInt32LE(word, this.#used);
    this.#used += 4;
    this.length += 4;
  }
}

function* runLists(spill: Spill, start: number, end: number): Generator<GramList> {
  const block = new Uint32Array(blockOctets / 4);
  let next = start;
  let [at, held] = [0, 0];
  const word = (): number => {
    if (at === held) {
      held = spill.read(block, next, end);
      next += held * 4;
      at = 0;
    }
    return block[at++] as number;
  };
  while (next < end || at < held) {
    const [attribute, gram, count] = [word(), word(), word()];
    const ids: number[] = [];
    for (let each = 0; each < count; each++) ids.push(word());
    yield { attribute, gram, ids };
  }
}

/** The lists of one gram behind each other, run by run: the ids of a later run are greater. */
function* mergedLists(runs: readonly Generator<GramList>[]): Generator<GramList> {
  const heads = runs.map((run) => run.next().value as GramList | undefined);
  for (;;) {
    let least: GramList | undefined;
    for (const head of heads) if (head !== undefined && (least === undefined || isBefore(head, least))) least = head;
    if (least === undefined) return;
    const { attribute, gram } = least;
    const ids: number[] = [];
    for (const [each, head] of heads.entries()) {
      if (head?.attribute !== attribute || head.gram !== gram) continue;
      for (const id of head.ids) ids.push(id);
      heads[each] = runs[each]?.next().value as GramList | undefined;
    }
    yield { attribute, gram, ids };
  }
}

function isBefore(a: GramList, b: GramList): boolean {
  return a.attribute < b.attribute || (a.attribute === b.attribute && a.gram < b.gram);
}
