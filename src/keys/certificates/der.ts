/** One element of DER (X.690), its content as a view. */
export interface DerElement {
  /** 0 universal, 1 application, 2 context, 3 private. */
  readonly kind: 0 | 1 | 2 | 3;
  readonly constructed: boolean;
  readonly number: number;
  readonly content: Uint8Array;
  /** With its tag and length. */
  readonly whole: Uint8Array;
}

/** Elements of one constructed element that are looked at; more than any certificate has. */
const elementsMax = 20_000;
/** Octets of a tag number beyond the first: Android's authorization list goes to 724, two octets. */
const tagOctetsMax = 4;
const lengthOctetsMax = 4;

/** The number of the universal tags that certificates use. */
export const derTags = { boolean: 1, integer: 2, bitString: 3, octets: 4, oid: 6, enumerated: 10, sequence: 16, set: 17 } as const;

/**
 * The elements that stand in a row in these octets. Tags of any number are read, which BER as LDAP uses it has not.
 *
 * @param max  elements that are read
 * @returns `undefined` unless they are whole elements, not more, and nothing besides
 */
export function readDer(bytes: Uint8Array, max = elementsMax): readonly DerElement[] | undefined {
  const found: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes, at);
    if (element === undefined || found.length === max) return undefined;
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

/** The one element that these octets are. */
export function readOneDer(bytes: Uint8Array): DerElement | undefined {
  const found = readDer(bytes);
  return found?.length === 1 ? found[0] : undefined;
}

/** What stands in a constructed element; empty for what is none, or cannot be read. */
export function derChildren(element: DerElement | undefined): readonly DerElement[] {
  return element?.constructed === true ? (readDer(element.content) ?? []) : [];
}

/** True for an element of that universal tag. */
export function isUniversal(element: DerElement | undefined, number: number): element is DerElement {
  return element?.kind === 0 && element.number === number;
}

/** True for a context tag of that number. */
export function isContext(element: DerElement | undefined, number: number): element is DerElement {
  return element?.kind === 2 && element.number === number;
}

/** An object identifier as dotted numbers (X.690 §8.19). */
export function derOid(octets: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of octets) {
    arc = arc * 128 + (octet & 0x7f);
    if ((octet & 0x80) !== 0) continue;
    if (arcs.length > 0) arcs.push(arc);
    else arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
    arc = 0;
  }
  return arcs.join('.');
}

/** A whole number that is not negative and below 2⁵³; `undefined` for any other. */
export function derInteger(element: DerElement | undefined): number | undefined {
  if (element === undefined || element.content.length === 0 || element.content.length > 6 || (element.content[0] as number) > 0x7f)
    return undefined;
  return element.content.reduce((value, octet) => value * 256 + octet, 0);
}

/** UTCTime or GeneralizedTime in milliseconds since 1970 (RFC 5280 §4.1.2.5); NaN for anything else. */
export function derTime(element: DerElement | undefined): number {
  if (element === undefined || element.kind !== 0 || element.content.length > 20) return Number.NaN;
  const given = Buffer.from(element.content).toString('latin1');
  const century = Number(given.slice(0, 2)) < 50 ? '20' : '19';
  const whole = element.number === 23 ? `${century}${given}` : given;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(whole) ?? [];
  return year === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function readElement(bytes: Uint8Array, at: number): DerElement | undefined {
  const first = bytes[at] as number;
  let next = at + 1;
  let number = first & 0x1f;
  if (number === 0x1f) {
    number = 0;
    for (let octets = 0, octet = 0x80; (octet & 0x80) !== 0; octets++, next++) {
      octet = bytes[next] ?? 0x80;
      if (octets === tagOctetsMax || next >= bytes.length) return undefined;
      number = number * 128 + (octet & 0x7f);
    }
  }
  const short = bytes[next++];
  if (short === undefined) return undefined;
  let length = short;
  if (short >= 0x80) {
    const count = short & 0x7f;
    // X.690 §10.1: DER knows no indefinite length.
    if (count === 0 || count > lengthOctetsMax || next + count > bytes.length) return undefined;
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + (bytes[next++] as number);
  }
  if (next + length > bytes.length) return undefined;
  return {
    kind: (first >> 6) as DerElement['kind'],
    constructed: (first & 0x20) !== 0,
    number,
    content: bytes.subarray(next, next + length),
    whole: bytes.subarray(at, next + length),
  };
}
