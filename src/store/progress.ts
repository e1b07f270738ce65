/**
 * How far the writer is, for threads that read the same file by connections of their own. All of it lies in shared memory: a reader asks without
 * waiting for anybody, and the writer pays the same however many read.
 *
 * Four numbers, and behind them a ring of the row numbers that were written last:
 *
 * - `touched` counts the rows that were written to the ring, in whatever transaction. It moves before that transaction commits.
 * - `committed` is what `touched` was when the newest transaction had committed. It moves before anyone is told of that transaction.
 * - `durable` is the number of the newest commit that is on disk.
 * - `governing` is the number of the newest commit that touched an entry which governs others. It moves before that commit can be seen, so that
 *   who reads it after a snapshot was opened has it for all that the snapshot shows.
 *
 * A snapshot that is opened after `committed` was read holds at least all of those transactions; and whatever else it holds was in `touched` before
 * it could be seen. So a cache of entries is right again when all rows from the former `committed` up to the present `touched` are put out of it, and
 * the next time begins at the `committed` that was read before the snapshot was opened.
 */
const at = { touched: 0, committed: 1, durable: 2, governing: 3 } as const;
const numbers = 4;
/** Behind the numbers, moved and notified with each commit that becomes durable. */
const bellOctet = numbers * 8;
const ringOctet = bellOctet + 8;
/** A reader that has missed more puts out all that it keeps. */
const ringRows = 16_384;

/** @returns what `progressOfWriter` and the `progressOfReader` of every thread are given */
export function createProgressBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(ringOctet + ringRows * 8);
}

function viewsOf(buffer: SharedArrayBuffer) {
  return {
    counts: new BigInt64Array(buffer, 0, numbers),
    bell: new Int32Array(buffer, bellOctet, 1),
    ring: new Float64Array(buffer, ringOctet, ringRows),
  };
}

export interface WriterProgress {
  /** An entry is written or removed in a transaction that has not committed. */
  touch(id: number): void;
  /** The transaction has committed, and nobody was told yet. */
  committed(): void;
  /** The newest commit that touched an entry which governs others is this one. */
  governing(number: number): void;
  /** All commits up to this number are on disk. */
  durable(number: number): void;
}

export function progressOfWriter(buffer: SharedArrayBuffer): WriterProgress {
  const { counts, bell, ring } = viewsOf(buffer);
  let touched = Number(Atomics.load(counts, at.touched));
  return {
    touch(id) {
      ring[touched % ringRows] = id;
      touched++;
      Atomics.store(counts, at.touched, BigInt(touched));
    },
    committed: () => void Atomics.store(counts, at.committed, BigInt(touched)),
    governing: (number) => void Atomics.store(counts, at.governing, BigInt(number)),
    durable(number) {
      Atomics.store(counts, at.durable, BigInt(number));
      Atomics.add(bell, 0, 1);
      Atomics.notify(bell, 0);
    },
  };
}

export interface ReaderProgress {
  /** Differs from what it was whenever something has been committed since. To be asked before a snapshot is opened. */
  generation(): number;
  /** Names the rows that a snapshot opened after `generation` was last asked may show otherwise than those before; `undefined`: any may be. */
  touchedRows(): readonly number[] | undefined;
  /** Resolves when the commit of that number is on disk; `undefined` when it is. */
  durable(number: number): Promise<void> | undefined;
  readonly durableNumber: number;
  /** To be asked when a snapshot has been opened. */
  governing(): number;
}

export function progressOfReader(buffer: SharedArrayBuffer): ReaderProgress {
  const { counts, bell, ring } = viewsOf(buffer);
  const load = (index: number) => Number(Atomics.load(counts, index));
  let seen = load(at.committed);
  let putOut = seen;
  let durable = load(at.durable);

  async function wait(number: number): Promise<void> {
    for (;;) {
      const rung = Atomics.load(bell, 0);
      durable = load(at.durable);
      if (number <= durable) return;
      await Atomics.waitAsync(bell, 0, rung).value;
    }
  }

  return {
    generation() {
      seen = load(at.committed);
      return seen;
    },
    touchedRows() {
      const from = putOut;
      const to = load(at.touched);
      putOut = seen;
      if (to - from >= ringRows) return undefined;
      const rows = Array.from({ length: to - from }, (_, index) => ring[(from + index) % ringRows] as number);
      // What the writer has gone over meanwhile, the place that it may be about to go over included, was no longer what was asked for.
      return load(at.touched) - from >= ringRows ? undefined : rows;
    },
    durable(number) {
      if (number <= durable) return undefined;
      durable = load(at.durable);
      return number <= durable ? undefined : wait(number);
    },
    get durableNumber() {
      durable = load(at.durable);
      return durable;
    },
    governing: () => load(at.governing),
  };
}
