import { contentOf, stopOf } from '../message/attributes.ts';

/** Entries as LDIF, out of octets that `encodeAttributes` wrote: the same text as `formatLdifRecord` makes, in a tenth of the time. */
export interface LdifText {
  /** Octets that were not taken. */
  readonly octets: number;
  /**
   * @param dn          UTF-8
   * @param attributes  as `encodeAttributes` makes them
   */
  entry(dn: Uint8Array, attributes: Uint8Array): void;
  /**
   * Many entries that lie one behind the other, each as its name, a zero, its attributes and another zero: no name has one as it is (RFC 4514 §3),
   * and an attribute begins with something else.
   *
   * @returns how many they were
   */
  entries(octets: Uint8Array): number;
  /**
   * The same for an entry with values beside it, which stand behind its own.
   *
   * @param lists  values as elements one behind the other, in pieces
   * @param more   attributes that stand behind them
   */
  largeEntry(dn: Uint8Array, attributes: Uint8Array, lists: readonly LdifList[], more: Uint8Array): void;
  /** What was written since, in a buffer of its own that may be handed over. */
  take(): Uint8Array<ArrayBuffer>;
  /** Gives a buffer back that was taken, to be used again: to make one costs more than to fill it. */
  reuse(buffer: ArrayBuffer): void;
}

/** An attribute whose values are not in one piece. */
export interface LdifList {
  readonly description: string;
  readonly pieces: readonly Uint8Array[];
}

/** No line is longer than this (RFC 2849, note 2). */
const columnsMax = 76;
const newline = 0x0a;
const space = 0x20;
const colon = 0x3a;
const lessThan = 0x3c;
const sequence = 0x30;
const dnName = Buffer.from('dn');

/** Octets that no SAFE-STRING has (RFC 2849). */
const unsafe = Uint8Array.from({ length: 256 }, (_, octet) => (octet >= 0x80 || octet === 0 || octet === 0x0a || octet === 0x0d ? 1 : 0));

/**
 * @param initialOctets  room for what is usually written between two calls of `take`
 * @param hidden         names in lower case of attributes that are left out
 */
export function createLdifText(initialOctets: number, hidden?: ReadonlySet<string>): LdifText {
  const free: ArrayBuffer[] = [];
  let out = Buffer.allocUnsafeSlow(initialOctets);
  let at = 0;

  function make(room: number): void {
    if (at + room <= out.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, at + room));
    out.copy(bigger, 0, 0, at);
    out = bigger;
  }

  function line(name: Uint8Array, nameStart: number, nameEnd: number, value: Uint8Array, start: number, end: number): void {
    // More than base64 and all line breaks take.
    make((nameEnd - nameStart + end - start) * 2 + 16);
    const begun = at;
    const text = out;
    let to = begun;
    for (let i = nameStart; i < nameEnd; i++) text[to++] = name[i] as number;
    text[to++] = colon;
    if (end > start) {
      text[to++] = space;
      let odd = isOddAtAnEnd(value, start, end) ? 1 : 0;
      for (let i = start; i < end; i++) {
        const octet = value[i] as number;
        odd |= unsafe[octet] as number;
        text[to++] = octet;
      }
      if (odd !== 0) to = encode(value, start, end, begun + nameEnd - nameStart + 1);
    }
    if (to - begun > columnsMax) to = fold(begun, to - begun);
    text[to++] = newline;
    at = to;
  }

  /** Writes a value in base64 where it stood as it is. */
  function encode(value: Uint8Array, start: number, end: number, to: number): number {
    out[to] = colon;
    out[to + 1] = space;
    return to + 2 + out.write(Buffer.from(value.buffer, value.byteOffset + start, end - start).toString('base64'), to + 2, 'latin1');
  }

  /** Breaks a line, from its end on: each piece moves behind the breaks before it. Gives where it ends. */
  function fold(begun: number, columns: number): number {
    const breaks = Math.ceil((columns - columnsMax) / (columnsMax - 1));
    for (let number = breaks; number > 0; number--) {
      const from = begun + columnsMax + (number - 1) * (columnsMax - 1);
      const to = Math.min(begun + columns, from + columnsMax - 1);
      out.copyWithin(from + 2 * number, from, to);
      out[from + 2 * number - 2] = newline;
      out[from + 2 * number - 1] = space;
    }
    return begun + columns + 2 * breaks;
  }

  /** Attributes from a place on. Gives where they end. */
  function lines(octets: Uint8Array, start: number): number {
    let from = start;
    while (octets[from] === sequence) {
      const content = contentOf(octets, from);
      const stop = stopOf(octets, from, content);
      const name = contentOf(octets, content);
      const nameEnd = stopOf(octets, content, name);
      if (!isHidden(octets, name, nameEnd)) values(octets, name, nameEnd, octets, contentOf(octets, nameEnd), stop);
      from = stop;
    }
    return from;
  }

  function isHidden(octets: Uint8Array, start: number, end: number): boolean {
    if (hidden === undefined) return false;
    return hidden.has(
      Buffer.from(octets.buffer, octets.byteOffset + start, end - start)
        .toString('latin1')
        .toLowerCase(),
    );
  }

  function values(name: Uint8Array, nameStart: number, nameEnd: number, octets: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end; ) {
      const content = contentOf(octets, from);
      const stop = stopOf(octets, from, content);
      line(name, nameStart, nameEnd, octets, content, stop);
      from = stop;
    }
  }

  function ending(): void {
    make(1);
    out[at++] = newline;
  }

  return {
    get octets() {
      return at;
    },
    entry(dn, attributes) {
      line(dnName, 0, dnName.length, dn, 0, dn.length);
      lines(attributes, 0);
      ending();
    },
    entries(octets) {
      let count = 0;
      for (let from = 0; from < octets.length; count++) {
        const nameEnd = octets.indexOf(0, from);
        line(dnName, 0, dnName.length, octets, from, nameEnd);
        from = lines(octets, nameEnd + 1) + 1;
        ending();
      }
      return count;
    },
    largeEntry(dn, attributes, lists, more) {
      line(dnName, 0, dnName.length, dn, 0, dn.length);
      lines(attributes, 0);
      for (const { description, pieces } of lists) {
        const name = Buffer.from(description);
        for (const piece of pieces) values(name, 0, name.length, piece, 0, piece.length);
      }
      lines(more, 0);
      ending();
    },
    take() {
      const taken = new Uint8Array(out.buffer, out.byteOffset, at) as Uint8Array<ArrayBuffer>;
      const again = free.pop();
      out = again === undefined ? Buffer.allocUnsafeSlow(initialOctets) : Buffer.from(again);
      at = 0;
      return taken;
    },
    reuse: (buffer) => void free.push(buffer),
  };
}

/**
 * What a SAFE-STRING does not begin with (RFC 2849), and the space that it should not end with (note 8). A tab in front would be safe, but OpenLDAP's
 * tools skip every white space there.
 */
function isOddAtAnEnd(octets: Uint8Array, start: number, end: number): boolean {
  const first = octets[start] as number;
  return first <= space || first === colon || first === lessThan || octets[end - 1] === space;
}
