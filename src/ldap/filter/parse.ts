import { text as decode, utf8 } from '#base';
import { isAttributeType, parseDescription } from '../description.ts';
import { depthCeiling } from '../limits.ts';
import type { Filter } from './types.ts';

export type ParsedFilter =
  | { readonly kind: 'filter'; readonly filter: Filter }
  /** `at`: the offset in the text. */
  | { readonly kind: 'bad'; readonly why: string; readonly at: number };

/** Thrown and caught in this file only. */
class Unreadable extends Error {
  readonly at: number;
  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}

interface Reading {
  readonly text: string;
  at: number;
  depth: number;
  items: number;
}

/**
 * Parses the text of a filter. Spaces between the filters of a list are taken, since people write them; none are within an item.
 *
 * @param limits  nesting (`(a=b)` is 1), and components in all
 * @see RFC 4515 §3; RFC 4526 for `(&)` and `(|)`
 */
export function parseFilter(text: string, limits: { readonly depthMax: number; readonly filterItemsMax?: number }): ParsedFilter {
  const r: Reading = {
    text,
    at: 0,
    depth: Math.min(limits.depthMax, depthCeiling),
    items: limits.filterItemsMax ?? Number.POSITIVE_INFINITY,
  };
  try {
    const filter = readFilter(r);
    if (r.at !== text.length) throw new Unreadable('text behind the filter', r.at);
    return { kind: 'filter', filter };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: 'bad', why: error.message, at: error.at };
  }
}

function readFilter(r: Reading): Filter {
  if (r.depth <= 0) throw new Unreadable('nested too deeply', r.at);
  if (--r.items < 0) throw new Unreadable('too many components', r.at);
  expect(r, '(');
  const filter = readChoice(r);
  expect(r, ')');
  return filter;
}

function readChoice(r: Reading): Filter {
  switch (r.text[r.at]) {
    case '&':
      return { kind: 'and', filters: readList(r) };
    case '|':
      return { kind: 'or', filters: readList(r) };
    case '!': {
      const [filter, ...others] = readList(r);
      if (!filter || others.length > 0) throw new Unreadable('not takes one filter', r.at);
      return { kind: 'not', filter };
    }
  }
  return readItem(r);
}

function readList(r: Reading): Filter[] {
  r.at++;
  r.depth--;
  const filters: Filter[] = [];
  skipSpaces(r);
  while (r.text[r.at] === '(') {
    filters.push(readFilter(r));
    skipSpaces(r);
  }
  r.depth++;
  return filters;
}

/** attr filtertype assertionvalue, up to the closing parenthesis. */
function readItem(r: Reading): Filter {
  const start = r.at;
  const equals = r.text.indexOf('=', start);
  const stop = r.text.indexOf(')', start);
  if (stop < 0) throw new Unreadable('not closed', r.text.length);
  if (equals < 0 || equals > stop) throw new Unreadable('no filter type', start);
  r.at = stop;
  const value = { text: r.text.slice(equals + 1, stop), at: equals + 1 };
  switch (r.text[equals - 1]) {
    case ':':
      return readExtensible(r.text.slice(start, equals - 1), start, value);
    case '~':
      return { kind: 'approx', description: attribute(r, start, equals - 1), value: valueOctets(value) };
    case '>':
      return { kind: 'greaterOrEqual', description: attribute(r, start, equals - 1), value: valueOctets(value) };
    case '<':
      return { kind: 'lessOrEqual', description: attribute(r, start, equals - 1), value: valueOctets(value) };
  }
  const description = attribute(r, start, equals);
  if (value.text === '*') return { kind: 'present', description };
  if (value.text.includes('*')) return readSubstrings(description, value);
  return { kind: 'equality', description, value: valueOctets(value) };
}

interface Piece {
  readonly text: string;
  readonly at: number;
}

function readSubstrings(description: string, value: Piece): Filter {
  let at = value.at;
  const pieces = value.text.split('*').map((text) => {
    const piece = { text, at };
    at += text.length + 1;
    return piece;
  });
  const [first, last] = [pieces[0], pieces.at(-1)];
  const any = pieces.slice(1, -1).map((piece) => {
    if (piece.text === '') throw new Unreadable('empty substring', piece.at);
    return valueOctets(piece);
  });
  return {
    kind: 'substrings',
    description,
    any,
    ...(first?.text && { initial: valueOctets(first) }),
    ...(last?.text && { final: valueOctets(last) }),
  };
}

/** `attr [":dn"] [":" rule]` or `[":dn"] ":" rule`, without the `:=` behind it. */
function readExtensible(left: string, at: number, value: Piece): Filter {
  const [description, ...rest] = left.split(':');
  const dnAttributes = rest[0]?.toLowerCase() === 'dn';
  const [rule, ...more] = dnAttributes ? rest.slice(1) : rest;
  if (more.length > 0) throw new Unreadable('too many colons', at);
  if (description !== '' && (description === undefined || !parseDescription(description))) throw new Unreadable('no attribute', at);
  if (rule !== undefined && !isAttributeType(rule)) throw new Unreadable('no matching rule', at);
  if (description === '' && rule === undefined) throw new Unreadable('neither attribute nor matching rule', at);
  return {
    kind: 'extensible',
    value: valueOctets(value),
    dnAttributes,
    ...(description !== '' && { description }),
    ...(rule !== undefined && { rule }),
  };
}

function attribute(r: Reading, start: number, end: number): string {
  const text = r.text.slice(start, end);
  if (!parseDescription(text)) throw new Unreadable('no attribute', start);
  return text;
}

/** A value: `*`, `(`, `)`, `\` and NUL stand only escaped, as a backslash and two hexadecimal digits. */
function valueOctets({ text, at }: Piece): Uint8Array {
  const wrong = /[*(\0]|\\(?![0-9A-Fa-f]{2})/.exec(text);
  if (wrong) throw new Unreadable('character must be escaped', at + wrong.index);
  if (!text.includes('\\')) return utf8(text);
  const parts = text.split('\\').map((part, i) => {
    if (i === 0) return utf8(part);
    return Buffer.concat([Uint8Array.of(Number.parseInt(part.slice(0, 2), 16)), utf8(part.slice(2))]);
  });
  return new Uint8Array(Buffer.concat(parts));
}

/** The text of a filter (RFC 4515 §3). */
export function formatFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
      return `(&${filter.filters.map(formatFilter).join('')})`;
    case 'or':
      return `(|${filter.filters.map(formatFilter).join('')})`;
    case 'not':
      return `(!${formatFilter(filter.filter)})`;
    case 'equality':
      return `(${filter.description}=${valueText(filter.value)})`;
    case 'greaterOrEqual':
      return `(${filter.description}>=${valueText(filter.value)})`;
    case 'lessOrEqual':
      return `(${filter.description}<=${valueText(filter.value)})`;
    case 'approx':
      return `(${filter.description}~=${valueText(filter.value)})`;
    case 'present':
      return `(${filter.description}=*)`;
    case 'substrings': {
      const pieces = [filter.initial, ...filter.any, filter.final];
      return `(${filter.description}=${pieces.map((piece) => (piece ? valueText(piece) : '')).join('*')})`;
    }
    case 'extensible': {
      const rule = filter.rule === undefined ? '' : `:${filter.rule}`;
      return `(${filter.description ?? ''}${filter.dnAttributes ? ':dn' : ''}${rule}:=${valueText(filter.value)})`;
    }
  }
}

function valueText(value: Uint8Array): string {
  const text = decode(value);
  // Octets that are no text are written one by one.
  if (text === undefined) return Array.from(value, escaped).join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f*()\\]/g, (char) => escaped(char.charCodeAt(0)));
}

function escaped(octet: number): string {
  return `\\${octet.toString(16).padStart(2, '0')}`;
}

function expect(r: Reading, char: string): void {
  if (r.text[r.at] !== char) throw new Unreadable(`${char} expected`, r.at);
  r.at++;
}

function skipSpaces(r: Reading): void {
  while (r.text[r.at] === ' ') r.at++;
}
