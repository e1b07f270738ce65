import { text as decode, hex, utf8 } from '#base';
import { isAttributeType, isNumericOid } from './description.ts';

/** One attribute value assertion of an RDN, as it was given (RFC 4514). */
export interface Ava {
  readonly type: string;
  readonly value: Uint8Array;
}

/** A relative distinguished name: one assertion or several. */
export type Rdn = readonly Ava[];

/** A distinguished name, its leaf first. Comparing two is the schema's business (`normalizeDn`). */
export type Dn = readonly Rdn[];

interface Reading {
  readonly text: string;
  at: number;
}

/** What may stand behind a backslash as itself (RFC 4514 §3: ESC, special, and `=`, `#`, SPACE). */
const escapable = ' "#+,;<=>\\';

/**
 * Parses a DN.
 *
 * What older documents wrote is read, as RFC 4514 §4 allows and slapd does: spaces around `,`, `+` and `=`, `;` for a comma, and values in quotes
 * (RFC 2253 §4). Everything else is the grammar of RFC 4514 §3.
 *
 * @returns the DN, leaf first (an empty one for empty text), or `undefined` for text that is none
 */
export function parseDn(text: string): Dn | undefined {
  if (text === '') return [];
  const r: Reading = { text, at: 0 };
  const dn: Rdn[] = [];
  for (;;) {
    const rdn = readRdn(r);
    if (!rdn) return undefined;
    dn.push(rdn);
    if (r.at === text.length) return dn;
    // readRdn stopped at a separator, the only other thing that it stops at.
    r.at++;
  }
}

/** Parses a relative DN; `undefined` for text that is none. */
export function parseRdn(text: string): Rdn | undefined {
  const r: Reading = { text, at: 0 };
  const rdn = readRdn(r);
  return rdn && r.at === text.length ? rdn : undefined;
}

/** The text of a DN (RFC 4514 §2). */
export function formatDn(dn: Dn): string {
  return dn.map(formatRdn).join(',');
}

export function formatRdn(rdn: Rdn): string {
  return rdn.map(formatAva).join('+');
}

/** The DN above; `undefined` for the empty one, above which there is nothing. */
export function parentOf(dn: Dn): Dn | undefined {
  return dn.length === 0 ? undefined : dn.slice(1);
}

/** Reads up to a separator or the end. */
function readRdn(r: Reading): Rdn | undefined {
  const rdn: Ava[] = [];
  for (;;) {
    const ava = readAva(r);
    if (!ava) return undefined;
    rdn.push(ava);
    const stop = r.text[r.at];
    if (stop === undefined || stop === ',' || stop === ';') return rdn;
    if (stop !== '+') return undefined;
    r.at++;
  }
}

function readAva(r: Reading): Ava | undefined {
  const equals = r.text.indexOf('=', r.at);
  if (equals < 0) return undefined;
  const type = trimSpaces(r.text.slice(r.at, equals));
  if (!isAttributeType(type)) return undefined;
  r.at = equals + 1;
  skipSpaces(r);
  const first = r.text[r.at];
  const value = first === '#' ? readHexString(r) : first === '"' ? readQuoted(r) : readString(r);
  return value && { type, value };
}

/** `#` and the BER of the value. String types give their content; others have no LDAP form here (RFC 4514 §2.4). */
function readHexString(r: Reading): Uint8Array | undefined {
  const start = r.at + 1;
  r.at = start;
  while (isHexDigit(r.text.charCodeAt(r.at))) r.at++;
  const digits = r.text.slice(start, r.at);
  skipSpaces(r);
  if (digits.length === 0 || digits.length % 2 !== 0) return undefined;
  return berContent(Buffer.from(digits, 'hex'));
}

/** OCTET STRING, UTF8String, NumericString, PrintableString, TeletexString, IA5String and VisibleString. */
const stringTags = new Set([0x04, 0x0c, 0x12, 0x13, 0x14, 0x16, 0x1a]);

function berContent(ber: Uint8Array): Uint8Array | undefined {
  if (!stringTags.has(ber[0] as number)) return undefined;
  const first = ber[1];
  if (first === undefined) return undefined;
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthOctets > 4) return undefined;
  let octets = first < 0x80 ? first : 0;
  for (let i = 0; i < lengthOctets; i++) octets = octets * 256 + (ber[2 + i] ?? 0);
  const start = 2 + lengthOctets;
  return start + octets === ber.length ? new Uint8Array(ber.subarray(start)) : undefined;
}

function readString(r: Reading): Uint8Array | undefined {
  const { text } = r;
  const start = r.at;
  let kept = start;
  let escaped = false;
  for (; r.at < text.length; r.at++) {
    const code = text.charCodeAt(r.at);
    if (code === 0x2c || code === 0x2b || code === 0x3b) break;
    // The quote, `<`, `>` and NUL stand only escaped.
    if (code === 0x22 || code === 0x3c || code === 0x3e || code === 0) return undefined;
    if (code === 0x5c) {
      escaped = true;
      if (r.at + 1 === text.length) return undefined;
      r.at++;
    }
    // Spaces at the end count only when escaped.
    if (code !== 0x20) kept = r.at + 1;
  }
  const raw = text.slice(start, kept);
  return escaped ? withoutEscapes(raw) : octetsOf(raw);
}

/** A value in quotes, in which only the quote, the backslash and NUL stand escaped (RFC 2253 §4). */
function readQuoted(r: Reading): Uint8Array | undefined {
  const { text } = r;
  const start = r.at + 1;
  for (r.at = start; text[r.at] !== '"'; r.at++) {
    if (text[r.at] === '\\') r.at++;
    if (r.at >= text.length || text[r.at] === '\0') return undefined;
  }
  const raw = text.slice(start, r.at);
  r.at++;
  skipSpaces(r);
  return withoutEscapes(raw);
}

/** Text as UTF-8. Names are mostly short and ASCII, where the encoder's call costs more than its work. */
function octetsOf(text: string): Uint8Array {
  const octets = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return utf8(text);
    octets[i] = code;
  }
  return octets;
}

function withoutEscapes(raw: string): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = raw.indexOf('\\'); at >= 0; at = raw.indexOf('\\', from)) {
    if (at > from) parts.push(utf8(raw.slice(from, at)));
    const next = raw[at + 1];
    if (next !== undefined && escapable.includes(next)) {
      parts.push(utf8(next));
      from = at + 2;
    } else if (isHexDigit(raw.charCodeAt(at + 1)) && isHexDigit(raw.charCodeAt(at + 2))) {
      parts.push(Uint8Array.of(Number.parseInt(raw.slice(at + 1, at + 3), 16)));
      from = at + 3;
    } else return undefined;
  }
  parts.push(utf8(raw.slice(from)));
  return new Uint8Array(Buffer.concat(parts));
}

function formatAva({ type, value }: Ava): string {
  // RFC 4514 §2.4: behind a dotted number stands the BER of the value, since a reader may not know its syntax.
  if (isNumericOid(type)) return `${type}=#${hex(berOctets(value))}`;
  return `${type}=${escapeValue(value)}`;
}

function berOctets(value: Uint8Array): Uint8Array {
  const { length } = value;
  const header = length < 0x80 ? [4, length] : [4, 0x84, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255];
  return new Uint8Array(Buffer.concat([Uint8Array.from(header), value]));
}

function escapeValue(value: Uint8Array): string {
  const text = decode(value);
  // Octets that are no text are written one by one.
  if (text === undefined) return Array.from(value, (octet) => `\\${octet.toString(16).padStart(2, '0')}`).join('');
  let escaped = text
    .replace(/["+,;<>\\]/g, '\\$&')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    .replace(/[\u0000-\u001f\u007f]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
  if (escaped.startsWith(' ') || escaped.startsWith('#')) escaped = `\\${escaped}`;
  // A lone space was escaped as the first one.
  return text.length > 1 && text.endsWith(' ') ? `${escaped.slice(0, -1)}\\ ` : escaped;
}

function skipSpaces(r: Reading): void {
  while (r.text[r.at] === ' ') r.at++;
}

function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  // No pattern: one for spaces at the end tries each space of a long run anew.
  while (text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}
