import { readFilter, writeFilter } from '../filter/ber.ts';
import type { Filter } from '../filter/types.ts';
import type { LdapLimits } from '../limits.ts';
import { type Cursor, cursor, Malformed, open, peekTag, readBoolean, readNumber, readOctets, readString, skip } from './read.ts';
import { type Arena, arena, begin, end, take, writeBoolean, writeElements, writeNumber, writeOctets, writeString } from './write.ts';

const tags = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30, set: 0x31 } as const;

/** Reads the BER value of a control or an extended operation, element by element. Whatever is not there makes the whole value bad. */
export class BerReader {
  readonly #cursor: Cursor;

  constructor(bytes: Uint8Array) {
    this.#cursor = cursor(bytes);
  }

  /** The tag of the next element; -1 at the end of the one around it. */
  get tag(): number {
    return peekTag(this.#cursor);
  }

  get more(): boolean {
    return this.tag >= 0;
  }

  /** Goes into a constructed element. All of it must be read. */
  sequence<T>(read: () => T, tag: number = tags.sequence): T {
    const c = this.#cursor;
    const outer = open(c, tag);
    const value = read();
    if (c.at < c.end) throw new Malformed('more elements than there should be');
    c.end = outer;
    return value;
  }

  /** A constructed element of any number of the same. */
  list<T>(read: () => T, tag: number = tags.sequence): T[] {
    return this.sequence(() => {
      const values: T[] = [];
      while (this.more) values.push(read());
      return values;
    }, tag);
  }

  /** A view of the octets. */
  octets(tag: number = tags.octets): Uint8Array {
    return readOctets(this.#cursor, tag);
  }

  string(tag: number = tags.octets): string {
    return readString(this.#cursor, tag);
  }

  /** 0 to 2³¹ - 1. */
  number(tag: number = tags.integer): number {
    return readNumber(this.#cursor, tag);
  }

  enumerated(): number {
    return readNumber(this.#cursor, tags.enumerated);
  }

  boolean(tag: number = tags.boolean): boolean {
    return readBoolean(this.#cursor, tag);
  }

  filter(limits: Pick<LdapLimits, 'depthMax' | 'filterItemsMax'>): Filter {
    return readFilter(this.#cursor, limits);
  }

  /** The whole next element, its tag and length included, as a view. */
  element(): Uint8Array {
    const c = this.#cursor;
    const start = c.at;
    if (!this.more) throw new Malformed('an element is missing');
    skip(c);
    return new Uint8Array(c.bytes.buffer, c.bytes.byteOffset + start, c.at - start);
  }
}

/** @returns what `read` made of the octets; `undefined` when they are not just what it reads */
export function decodeBer<T>(bytes: Uint8Array, read: (ber: BerReader) => T): T | undefined {
  const ber = new BerReader(bytes);
  try {
    const value = read(ber);
    return ber.more ? undefined : value;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** Writes the BER value of a control or an extended operation. */
export class BerWriter {
  readonly #arena: Arena = arena(128);

  sequence(write: () => void, tag: number = tags.sequence): void {
    const mark = begin(this.#arena, tag);
    write();
    end(this.#arena, mark);
  }

  octets(value: Uint8Array, tag: number = tags.octets): void {
    writeOctets(this.#arena, tag, value);
  }

  string(value: string, tag: number = tags.octets): void {
    writeString(this.#arena, tag, value);
  }

  /** 0 to 2³¹ - 1. */
  number(value: number, tag: number = tags.integer): void {
    writeNumber(this.#arena, tag, value);
  }

  enumerated(value: number): void {
    writeNumber(this.#arena, tags.enumerated, value);
  }

  boolean(value: boolean, tag: number = tags.boolean): void {
    writeBoolean(this.#arena, tag, value);
  }

  filter(filter: Filter): void {
    writeFilter(this.#arena, filter);
  }

  /** Elements that are encoded already. */
  elements(elements: Uint8Array): void {
    writeElements(this.#arena, elements);
  }

  take(): Uint8Array {
    return take(this.#arena);
  }
}

/** The octets of what `write` writes. */
export function encodeBer(write: (ber: BerWriter) => void): Uint8Array {
  const ber = new BerWriter();
  write(ber);
  return ber.take();
}
