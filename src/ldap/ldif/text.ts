import { walkAttributes, walkValues } from '../message/attributes.ts';

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
   * The same for an entry with values beside it, which stand behind its own.
   *
   * @param lists  values as elements one behind the other, in pieces
   * @param more   attributes that stand behind them
   */
  largeEntry(dn: Uint8Array, attributes: Uint8Array, lists: readonly LdifList[], more: Uint8Array): void;
  /** What was written since, in a buffer of its own that may be handed over. */
  take(): Uint8Array<ArrayBuffer>;
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
const dnName = Buffer.from('dn');

/** @param initialOctets  room for what is usually written between two calls of `take` */
export function createLdifText(initialOctets: number): LdifText {
  let out = Buffer.allocUnsafeSlow(initialOctets);
  let at = 0;

  function make(room: number): void {
    if (at + room <= out.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, at + room));
    out.copy(bigger, 0, 0, at);
    out = bigger;
  }

  function line(name: Uint8Array, nameStart: number, nameEnd: number, value: Uint8Array, start: number, end: number): void {
    const encoded = !isSafe(value, start, end);
    const content = encoded ? Math.ceil((end - start) / 3) * 4 : end - start;
    const columns = nameEnd - nameStart + (encoded ? 3 : content === 0 ? 1 : 2) + content;
    make(columns + 2 * Math.ceil(columns / (columnsMax - 1)) + 1);
    const begun = at;
    for (let i = nameStart; i < nameEnd; i++) out[at++] = name[i] as number;
    out[at++] = colon;
    if (encoded) out[at++] = colon;
    if (content > 0) out[at++] = space;
    if (encoded) at += out.write(Buffer.from(value.buffer, value.byteOffset + start, end - start).toString('base64'), at, 'latin1');
    else for (let i = start; i < end; i++) out[at++] = value[i] as number;
    if (columns > columnsMax) fold(begun, columns);
    out[at++] = newline;
  }

  /** Breaks the line that ends here, from its end on: each piece moves behind the breaks before it. */
  function fold(begun: number, columns: number): void {
    const breaks = Math.ceil((columns - columnsMax) / (columnsMax - 1));
    for (let number = breaks; number > 0; number--) {
      const from = begun + columnsMax + (number - 1) * (columnsMax - 1);
      const to = Math.min(begun + columns, from + columnsMax - 1);
      out.copyWithin(from + 2 * number, from, to);
      out[from + 2 * number - 2] = newline;
      out[from + 2 * number - 1] = space;
    }
    at = begun + columns + 2 * breaks;
  }

  function lines(attributes: Uint8Array): void {
    walkAttributes(attributes, (_start, _end, nameStart, nameEnd, valuesStart, valuesEnd) => {
      walkValues(attributes, valuesStart, valuesEnd, (start, end) => line(attributes, nameStart, nameEnd, attributes, start, end));
    });
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
      lines(attributes);
      ending();
    },
    largeEntry(dn, attributes, lists, more) {
      line(dnName, 0, dnName.length, dn, 0, dn.length);
      lines(attributes);
      for (const { description, pieces } of lists) {
        const name = Buffer.from(description);
        for (const piece of pieces) walkValues(piece, 0, piece.length, (start, end) => line(name, 0, name.length, piece, start, end));
      }
      lines(more);
      ending();
    },
    take() {
      const taken = new Uint8Array(out.buffer, out.byteOffset, at) as Uint8Array<ArrayBuffer>;
      out = Buffer.allocUnsafeSlow(initialOctets);
      at = 0;
      return taken;
    },
  };
}

/** SAFE-STRING (RFC 2849), and no space at its end (note 8). A tab in front would be safe, but OpenLDAP's tools skip every white space there. */
function isSafe(octets: Uint8Array, start: number, end: number): boolean {
  if (start === end) return true;
  const first = octets[start] as number;
  if (first <= space || first === colon || first === lessThan || octets[end - 1] === space) return false;
  for (let i = start; i < end; i++) {
    const octet = octets[i] as number;
    if (octet >= 0x80 || octet === 0 || octet === 0x0a || octet === 0x0d) return false;
  }
  return true;
}
