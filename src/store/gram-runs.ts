/** What a pending row says of one gram: whether its entry has it now. */
export interface Mark {
  /** The row, by its place in the pass. */
  readonly place: number;
  readonly has: boolean;
}

/** A mark with its gram. Attributes are numbered anew for each pass, since they stand in five bits. */
export interface PlacedMark extends Mark {
  readonly attribute: number;
  readonly gram: number;
}

/** All marks of one gram. */
export interface MarkedGram {
  readonly attribute: number;
  readonly gram: number;
  /** In the order of the rows. */
  readonly marks: readonly Mark[];
}

const attributesMax = 32;
const placesMax = 2 ** 26;

/** A mark as 64 bits that sort as they are wanted: attribute, gram, place, and whether. The lower half stands first. */
export function putMark(words: number[], { attribute, gram, place, has }: PlacedMark): void {
  if (attribute >= attributesMax || place >= placesMax) throw new Error('a pass of too many attributes or rows');
  words.push((((gram & 0x1f) << 27) | (place << 1) | (has ? 1 : 0)) >>> 0, ((attribute << 27) | (gram >>> 5)) >>> 0);
}

/** Sorted marks out of what `putMark` gathered. */
export function sortedRun(words: readonly number[]): Uint32Array {
  const run = new Uint32Array(words);
  // Sorted by the engine's own order of 64-bit numbers: no number of that kind is ever made.
  new BigUint64Array(run.buffer).sort();
  return run;
}

/** Sorted runs as one, a gram at a time. There are few runs: the least of their heads is found by looking at each. */
export class MergedRuns {
  readonly #runs: readonly Uint32Array[];
  readonly #heads: number[];

  constructor(runs: readonly Uint32Array[]) {
    this.#runs = runs;
    this.#heads = runs.map(() => 0);
  }

  /** The next gram with all its marks; nothing behind the last. */
  next(): MarkedGram | undefined {
    const [high, low] = this.#least();
    if (high === undefined || low === undefined) return undefined;
    const marks: Mark[] = [];
    // Runs were made of one row after the other, so that a gram's marks stand in the order of the rows run by run.
    for (let each = 0; each < this.#runs.length; each++) {
      const run = this.#runs[each] as Uint32Array;
      let head = this.#heads[each] as number;
      while (head < run.length && run[head + 1] === high && (run[head] as number) >>> 27 === low >>> 27) {
        const word = run[head] as number;
        marks.push({ place: (word & 0x7ff_ffff) >>> 1, has: (word & 1) === 1 });
        head += 2;
      }
      this.#heads[each] = head;
    }
    return { attribute: high >>> 27, gram: (((high & 0x7ff_ffff) << 5) | (low >>> 27)) >>> 0, marks };
  }

  #least(): [high: number | undefined, low: number | undefined] {
    let high: number | undefined;
    let low: number | undefined;
    for (let each = 0; each < this.#runs.length; each++) {
      const run = this.#runs[each] as Uint32Array;
      const head = this.#heads[each] as number;
      if (head >= run.length) continue;
      const itsHigh = run[head + 1] as number;
      const itsLow = run[head] as number;
      if (high === undefined || low === undefined || itsHigh < high || (itsHigh === high && itsLow < low)) [high, low] = [itsHigh, itsLow];
    }
    return [high, low];
  }
}
