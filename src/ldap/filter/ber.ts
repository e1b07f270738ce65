import { type Cursor, close, Malformed, open, peekTag, readBoolean, readOctets, readString } from '../ber/read.ts';
import { type Arena, begin, end, writeBoolean, writeOctets, writeString } from '../ber/write.ts';
import { depthCeiling } from '../limits.ts';
import type { Filter } from './types.ts';

/** The context tags of Filter's choices (RFC 4511 §4.5.1). */
const tags = {
  and: 0xa0,
  or: 0xa1,
  not: 0xa2,
  equality: 0xa3,
  substrings: 0xa4,
  greaterOrEqual: 0xa5,
  lessOrEqual: 0xa6,
  present: 0x87,
  approx: 0xa8,
  extensible: 0xa9,
} as const;

const octetsTag = 0x04;

/** How much of a filter may still be read. */
interface Budget {
  depth: number;
  items: number;
}

/**
 * Reads a filter.
 *
 * @throws Malformed when it is none, is nested deeper than `depthMax` or has more than `filterItemsMax` components
 */
export function readFilter(c: Cursor, limits: { readonly depthMax: number; readonly filterItemsMax?: number }): Filter {
  return read(c, { depth: Math.min(limits.depthMax, depthCeiling), items: limits.filterItemsMax ?? Number.POSITIVE_INFINITY });
}

function read(c: Cursor, budget: Budget): Filter {
  if (budget.depth <= 0) throw new Malformed('filter is nested too deeply');
  if (--budget.items < 0) throw tooMany();
  const tag = peekTag(c);
  switch (tag) {
    case tags.equality:
      return { kind: 'equality', ...assertion(c, tag) };
    case tags.and:
      return { kind: 'and', filters: list(c, tag, budget) };
    case tags.or:
      return { kind: 'or', filters: list(c, tag, budget) };
    case tags.present:
      return { kind: 'present', description: readString(c, tag) };
    case tags.substrings:
      return substrings(c, budget);
    case tags.not: {
      const outer = open(c, tag);
      budget.depth--;
      const filter = read(c, budget);
      budget.depth++;
      if (c.at < c.end) throw new Malformed('not takes one filter');
      c.end = outer;
      return { kind: 'not', filter };
    }
    case tags.greaterOrEqual:
      return { kind: 'greaterOrEqual', ...assertion(c, tag) };
    case tags.lessOrEqual:
      return { kind: 'lessOrEqual', ...assertion(c, tag) };
    case tags.approx:
      return { kind: 'approx', ...assertion(c, tag) };
    case tags.extensible:
      return extensible(c);
  }
  throw new Malformed(tag < 0 ? 'filter expected' : `filter choice 0x${tag.toString(16)}`);
}

function tooMany(): Malformed {
  return new Malformed('filter has too many components');
}

function list(c: Cursor, tag: number, budget: Budget): Filter[] {
  const outer = open(c, tag);
  budget.depth--;
  const filters: Filter[] = [];
  // None at all is true for and, false for or (RFC 4526).
  while (c.at < c.end) filters.push(read(c, budget));
  budget.depth++;
  c.end = outer;
  return filters;
}

function assertion(c: Cursor, tag: number): { description: string; value: Uint8Array } {
  const outer = open(c, tag);
  const description = readString(c, octetsTag);
  const value = readOctets(c, octetsTag);
  close(c, outer);
  return { description, value };
}

/** RFC 4511 §4.5.1.7.2: initial only first, final only last, at least one substring. */
function substrings(c: Cursor, budget: Budget): Filter {
  const outer = open(c, tags.substrings);
  const description = readString(c, octetsTag);
  const sequence = open(c, 0x30);
  const any: Uint8Array[] = [];
  let initial: Uint8Array | undefined;
  let final: Uint8Array | undefined;
  if (peekTag(c) === 0x80) initial = readSubstring(c, 0x80);
  while (peekTag(c) === 0x81) {
    if (--budget.items < 0) throw tooMany();
    any.push(readSubstring(c, 0x81));
  }
  if (peekTag(c) === 0x82) final = readSubstring(c, 0x82);
  if (c.at < c.end) throw new Malformed('substrings out of order');
  if (initial === undefined && final === undefined && any.length === 0) throw new Malformed('no substrings');
  c.end = sequence;
  close(c, outer);
  return { kind: 'substrings', description, any, ...(initial && { initial }), ...(final && { final }) };
}

/** RFC 4517 §3.3.30: a substring has at least one character. */
function readSubstring(c: Cursor, tag: number): Uint8Array {
  const octets = readOctets(c, tag);
  if (octets.length === 0) throw new Malformed('empty substring');
  return octets;
}

function extensible(c: Cursor): Filter {
  const outer = open(c, tags.extensible);
  const rule = peekTag(c) === 0x81 ? readString(c, 0x81) : undefined;
  const description = peekTag(c) === 0x82 ? readString(c, 0x82) : undefined;
  const value = readOctets(c, 0x83);
  const dnAttributes = peekTag(c) === 0x84 && readBoolean(c, 0x84);
  close(c, outer);
  // RFC 4511 §4.5.1.7.7: without a rule there must be a type.
  if (rule === undefined && description === undefined) throw new Malformed('extensible match names neither rule nor type');
  return {
    kind: 'extensible',
    value,
    dnAttributes,
    ...(rule !== undefined && { rule }),
    ...(description !== undefined && { description }),
  };
}

/** Writes a filter. */
export function writeFilter(a: Arena, filter: Filter): void {
  if (filter.kind === 'present') {
    writeString(a, tags.present, filter.description);
    return;
  }
  const mark = begin(a, tags[filter.kind]);
  switch (filter.kind) {
    case 'and':
    case 'or':
      for (const one of filter.filters) writeFilter(a, one);
      break;
    case 'not':
      writeFilter(a, filter.filter);
      break;
    case 'equality':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'approx':
      writeString(a, octetsTag, filter.description);
      writeOctets(a, octetsTag, filter.value);
      break;
    case 'substrings': {
      writeString(a, octetsTag, filter.description);
      const sequence = begin(a, 0x30);
      if (filter.initial) writeOctets(a, 0x80, filter.initial);
      for (const one of filter.any) writeOctets(a, 0x81, one);
      if (filter.final) writeOctets(a, 0x82, filter.final);
      end(a, sequence);
      break;
    }
    case 'extensible':
      if (filter.rule !== undefined) writeString(a, 0x81, filter.rule);
      if (filter.description !== undefined) writeString(a, 0x82, filter.description);
      writeOctets(a, 0x83, filter.value);
      if (filter.dnAttributes) writeBoolean(a, 0x84, true);
      break;
  }
  end(a, mark);
}
