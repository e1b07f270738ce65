import type Database from 'better-sqlite3';
import { placeOf } from './format.ts';
import { unpackMoved } from './gram-pending.ts';
import { type GramChange, gramRowsOf } from './gram-rows.ts';
import { type Mark, MergedRuns, putMark, sortedRun } from './gram-runs.ts';
import { forGrams } from './grams.ts';
import type { InsideKey } from './keys.ts';

type Row = [number: number, part: number, id: number, moved: Uint8Array];

/** What one piece does at most: of rows that are read, of grams that are put in place, of rows that are done with. */
const pieceRows = 24;
const pieceGrams = 64;
const pieceDone = 256;
/** Marks of one piece of placing: a gram of very many rows is one by itself. */
const pieceMarks = 2048;
/** Rows of one pass. The more there are, the more of them share a gram. */
const passRows = 16_384;
/** Words that are sorted at once, two for each mark: what is sorted on its own costs placing a look for each gram. */
const runWords = 32_768;
/** So many times the wanted number may be pending of very many new entries: the more of them are put in place together, the less each costs. */
const bulkFactor = 8;
/** With so many times the wanted number pending, merging gets its share of the writer even when others wait. */
const highFactor = 4;
/** Beyond that, a batch is followed by a piece for so many rows: the share grows until it is enough. */
const rowsForPiece = 64;

/** What a pass does at the moment. Each stands in a write transaction of its own from the next. */
type Pass =
  | { readonly doing: 'read'; readonly rows: PassRow[]; readonly runs: Uint32Array[]; words: number[]; readonly attributes: number[] }
  | { readonly doing: 'place'; readonly rows: PassRow[]; readonly attributes: number[]; readonly merged: MergedRuns }
  | { readonly doing: 'forget'; readonly rows: PassRow[]; done: number };

interface PassRow {
  readonly number: number;
  readonly part: number;
  readonly id: number;
}

/**
 * Puts grams of what is pending in place, in passes of small pieces. A pass reads some rows, places their grams in the order of the table, so that each
 * page is written once, and then forgets the rows. Nothing depends on how far it came: until they are forgotten searches look through the rows,
 * and after a crash the next pass places them again, which changes nothing where it was done.
 */
export class GramMerge {
  readonly #keysNow: (id: number) => readonly InsideKey[] | undefined;
  readonly #grams: ReturnType<typeof gramRowsOf>;
  readonly #behind: Database.Statement<[number, number, number], Row>;
  readonly #forget: Database.Statement<[number, number]>;
  #pass: Pass | undefined;
  readonly #pendingMax: () => number;
  #state: 'active' | 'paused' | 'ended' = 'active';
  #waiting: number;
  /** Those of them that came in bulk: nobody but who brings more of them waits for these. */
  #bulk = 0;
  #isBulk = false;
  #wasBulk = false;

  /**
   * @param keysNow     the whole keys by whose inside an entry is found; none for one that is gone, nothing when they cannot be told
   * @param pendingMax  how many rows may be pending
   */
  constructor(database: Database.Database, keysNow: (id: number) => readonly InsideKey[] | undefined, pendingMax: () => number) {
    this.#keysNow = keysNow;
    this.#pendingMax = pendingMax;
    this.#grams = gramRowsOf(database);
    this.#behind = database
      .prepare<[number, number, number], Row>(
        `SELECT number, part, id, moved FROM gram_pending WHERE place > ${placeOf} ORDER BY place LIMIT ?`,
      )
      .raw();
    this.#forget = database.prepare<[number, number]>(`DELETE FROM gram_pending WHERE place = ${placeOf}`);
    this.#waiting = database.prepare<[], number>('SELECT count(*) FROM gram_pending').pluck().get() ?? 0;
  }

  /** Rows that are pending, and a few more when a rollback took some away. */
  get waiting(): number {
    return this.#state === 'ended' ? 0 : this.#waiting;
  }

  /** Whether a piece should be done as soon as nothing else is. */
  get isDue(): boolean {
    const max = this.#isBulk ? bulkFactor * this.#pendingMax() : this.#pendingMax();
    return this.#state === 'active' && (this.#pass !== undefined || this.#waiting >= max);
  }

  /** Whether very many more new entries should wait until some of those before are in place. */
  get isFull(): boolean {
    return this.#state === 'active' && this.#waiting >= highFactor * bulkFactor * this.#pendingMax();
  }

  /** Whether very many new entries are coming. */
  get isBulk(): boolean {
    return this.#isBulk;
  }

  /** So many rows more are those of very many new entries, and more are coming. */
  addedInBulk(rows: number): void {
    this.#bulk += rows;
    this.#isBulk = true;
    this.#wasBulk = true;
  }

  /** To be called now and then: what came in bulk is put in place when nothing of the kind has come for a while. */
  tick(): void {
    this.#isBulk = this.#wasBulk;
    this.#wasBulk = false;
  }

  /** Pieces to be done before the next batch is written: rows must not come faster for long than they are put in place. */
  get piecesOwed(): number {
    if (this.#state !== 'active') return 0;
    return Math.max(0, Math.ceil((this.#waiting - this.#bulk - highFactor * this.#pendingMax()) / rowsForPiece));
  }

  /** One more row is pending. */
  added(): void {
    this.#waiting++;
  }

  /** Nothing more is due from now on. */
  end(): void {
    this.#state = 'ended';
  }

  /** Does the next piece of a pass, or begins one. To be called within a write transaction. */
  piece(): void {
    this.#pass ??= { doing: 'read', rows: [], runs: [], words: [], attributes: [] };
    switch (this.#pass.doing) {
      case 'read':
        this.#read(this.#pass);
        return;
      case 'place':
        this.#place(this.#pass);
        return;
      case 'forget':
        this.#forgetSome(this.#pass);
        return;
    }
  }

  /** The transaction of a piece was rolled back: what it did is to be done again, when the disk takes something again. */
  abandon(): void {
    this.#pass = undefined;
    if (this.#state === 'active') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state === 'paused') this.#state = 'active';
  }

  #read(pass: Pass & { doing: 'read' }): void {
    const last = pass.rows.at(-1);
    const rows = this.#behind.all(last?.number ?? 0, last?.part ?? -1, Math.min(pieceRows, passRows - pass.rows.length));
    const isLast = rows.length < pieceRows || pass.rows.length + rows.length >= passRows;
    this.#mark(pass, rows);
    if (pass.words.length >= runWords || (isLast && pass.words.length > 0)) {
      pass.runs.push(sortedRun(pass.words));
      pass.words = [];
    }
    if (!isLast) return;
    const { attributes } = pass;
    if (pass.rows.length === 0) {
      this.#pass = undefined;
      this.#waiting = 0;
      this.#bulk = 0;
    } else this.#pass = { doing: 'place', rows: pass.rows, attributes, merged: new MergedRuns(pass.runs) };
  }

  /** Notes every gram that the rows touch, with whose it is and whether they have it now. */
  #mark(pass: Pass & { doing: 'read' }, rows: readonly Row[]): void {
    const { words } = pass;
    for (const [number, part, id, moved] of rows) {
      const { went, came } = unpackMoved(moved);
      const place = pass.rows.push({ number, part, id }) - 1;
      // What only came is there, or a later row says that it went.
      const now = went.length === 0 ? undefined : this.#keysNow(id);
      const held = now && new Set(now.flatMap((key) => gramsOf(key).map((gram) => textOf(key.attribute, gram))));
      for (const key of [...went, ...came]) {
        const attribute = placeIn(pass.attributes, key.attribute);
        for (const gram of gramsOf(key)) {
          const has = held === undefined ? !went.includes(key) : held.has(textOf(key.attribute, gram));
          if (held !== undefined || has) putMark(words, { attribute, gram, place, has });
        }
      }
    }
  }

  #place({ rows, attributes, merged }: Pass & { doing: 'place' }): void {
    for (let grams = 0, marks = 0; grams < pieceGrams && marks < pieceMarks; grams++) {
      const group = merged.next();
      if (group === undefined) {
        this.#pass = { doing: 'forget', rows, done: 0 };
        return;
      }
      marks += group.marks.length;
      const attribute = attributes[group.attribute] as number;
      this.#grams.change(attribute, group.gram, changeOf(rows, group.marks));
    }
  }

  #forgetSome(pass: Pass & { doing: 'forget' }): void {
    const some = pass.rows.slice(pass.done, pass.done + pieceDone);
    for (const { number, part } of some) this.#forget.run(number, part);
    pass.done += some.length;
    this.#waiting = Math.max(0, this.#waiting - some.length);
    this.#bulk = Math.max(0, this.#bulk - some.length);
    if (pass.done >= pass.rows.length) this.#pass = undefined;
  }
}

function gramsOf(key: InsideKey): number[] {
  const grams: number[] = [];
  forGrams(key.inside, (gram) => void grams.push(gram));
  return grams;
}

function textOf(attribute: number, gram: number): number {
  return attribute * 2 ** 32 + gram;
}

function placeIn(attributes: number[], attribute: number): number {
  const at = attributes.indexOf(attribute);
  return at < 0 ? attributes.push(attribute) - 1 : at;
}

/** The ids of one gram, each once, ascending. Those of new entries stand so already. */
function changeOf(rows: readonly PassRow[], marks: readonly Mark[]): GramChange {
  const ids: number[] = [];
  let last = -1;
  for (const { place } of marks) {
    const { id } = rows[place] as PassRow;
    if (id <= last) return lastOfEach(rows, marks);
    ids.push(id);
    last = id;
  }
  return { ids, has: marks.map(({ has }) => has) };
}

/** Of several rows of an entry the last one tells. */
function lastOfEach(rows: readonly PassRow[], marks: readonly Mark[]): GramChange {
  const last = new Map<number, boolean>();
  for (const { place, has } of marks) last.set((rows[place] as PassRow).id, has);
  const ids = [...last.keys()].sort((a, b) => a - b);
  return { ids, has: ids.map((id) => last.get(id) === true) };
}
