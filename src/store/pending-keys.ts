import type Database from 'better-sqlite3';
import { lastPlaceOf, partBits } from './format.ts';
import { unpackMoved } from './gram-pending.ts';

type Row = [number: number, id: number, moved: Uint8Array];

const capacityMin = 4096;

/**
 * The keys that came to entries and whose grams are not in place yet, as one snapshot after another sees them: in one buffer for each attribute, so
 * that to look through a thousand takes some microseconds. Only what is new is read when a snapshot moves on.
 */
export class PendingKeys {
  readonly #oldest: Database.Statement<[], number | null>;
  readonly #newest: Database.Statement<[], number | null>;
  readonly #behind: Database.Statement<[number], Row>;
  readonly #columns = new Map<number, Column>();
  /** The commit number up to which rows were read. Those of one commit are seen together, and its number is never used again. */
  #known = 0;
  #fresh = false;

  constructor(reader: Database.Database) {
    this.#oldest = reader.prepare<[], number | null>(`SELECT min(place) >> ${partBits} FROM gram_pending`).pluck();
    this.#newest = reader.prepare<[], number | null>(`SELECT max(place) >> ${partBits} FROM gram_pending`).pluck();
    this.#behind = reader
      .prepare<[number], Row>(`SELECT number, id, moved FROM gram_pending WHERE place > ${lastPlaceOf} ORDER BY place`)
      .raw();
  }

  /** To be called when the snapshot is another. */
  moveOn(): void {
    this.#fresh = false;
  }

  keepUp(): void {
    if (!this.#fresh) this.#refresh();
  }

  /** Ids of entries to which a key with this part came, and perhaps went again; in no order and perhaps more than once. */
  find(attribute: number, part: Uint8Array): number[] {
    if (!this.#fresh) this.#refresh();
    return this.#columns.get(attribute)?.find(part) ?? [];
  }

  #refresh(): void {
    this.#fresh = true;
    const oldest = this.#oldest.get() ?? Number.POSITIVE_INFINITY;
    for (const column of this.#columns.values()) column.drop(oldest);
    const newest = this.#newest.get() ?? 0;
    if (newest <= this.#known) return;
    for (const [number, id, moved] of this.#behind.iterate(this.#known)) {
      for (const { attribute, inside } of unpackMoved(moved).came) this.#columnOf(attribute).push(number, id, inside);
    }
    this.#known = newest;
  }

  #columnOf(attribute: number): Column {
    let column = this.#columns.get(attribute);
    if (column === undefined) {
      column = new Column();
      this.#columns.set(attribute, column);
    }
    return column;
  }
}

/** Keys one behind the other, each with an octet behind it that no UTF-8 text has. */
class Column {
  #octets = Buffer.allocUnsafeSlow(capacityMin);
  #numbers: number[] = [];
  #ids: number[] = [];
  /** Where each key ends. */
  #ends: number[] = [];
  /** How many at the beginning are not pending any more. */
  #gone = 0;

  push(number: number, id: number, key: Uint8Array): void {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + key.length + 1;
    if (end > this.#octets.length) {
      const more = Buffer.allocUnsafeSlow(2 * end);
      more.set(this.#octets.subarray(0, start));
      this.#octets = more;
    }
    this.#octets.set(key, start);
    this.#octets[end - 1] = 0xff;
    this.#numbers.push(number);
    this.#ids.push(id);
    this.#ends.push(end);
  }

  drop(oldest: number): void {
    while (this.#gone < this.#numbers.length && (this.#numbers[this.#gone] as number) < oldest) this.#gone++;
    if (this.#gone * 2 <= this.#numbers.length) return;
    const start = this.#ends[this.#gone - 1] ?? 0;
    const left = this.#octets.subarray(start, this.#ends.at(-1) ?? 0);
    this.#octets = Buffer.allocUnsafeSlow(Math.max(capacityMin, 2 * left.length));
    this.#octets.set(left);
    this.#numbers = this.#numbers.slice(this.#gone);
    this.#ids = this.#ids.slice(this.#gone);
    this.#ends = this.#ends.slice(this.#gone).map((end) => end - start);
    this.#gone = 0;
  }

  find(part: Uint8Array): number[] {
    const found: number[] = [];
    const used = this.#octets.subarray(0, this.#ends.at(-1) ?? 0);
    const wanted = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let at = this.#gone === 0 ? 0 : (this.#ends[this.#gone - 1] as number);
    for (let from = this.#gone; ; ) {
      at = used.indexOf(wanted, at);
      if (at < 0) return found;
      from = this.#holder(at, from);
      found.push(this.#ids[from] as number);
      at = this.#ends[from] as number;
      from++;
    }
  }

  /** Which key holds the octet at a place, from one of them on. */
  #holder(at: number, from: number): number {
    let low = from;
    let high = this.#ends.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] as number) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
