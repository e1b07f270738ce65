import { LdifError } from './types.ts';

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/** Logical lines of a file that arrives in chunks. The current one is `bytes` from `start` to `end`. */
export interface Lines {
  bytes: Buffer;
  start: number;
  end: number;
  /** The number of the current line, which is that of its first physical line. */
  number: number;
  /** What has arrived, and from where on it was not read yet. */
  arrived: Buffer;
  at: number;
  /** The number of the physical line at `at`. */
  next: number;
  ended: boolean;
}

export function createLines(): Lines {
  const none = Buffer.alloc(0);
  return { bytes: none, start: 0, end: 0, number: 0, arrived: none, at: 0, next: 1, ended: false };
}

/** Adds what has arrived. It is copied, so that views of lines stay what they are. */
export function feed(lines: Lines, chunks: readonly Uint8Array[]): void {
  const rest = lines.arrived.subarray(lines.at);
  lines.arrived = Buffer.concat([rest, ...chunks]);
  lines.at = 0;
  if (lines.next === 1) skipMark(lines);
}

/** What editors write in front of a text to say how it is encoded is no part of its first line. */
function skipMark(lines: Lines): void {
  const [first, second, third] = lines.arrived;
  if (first === 0xef && second === 0xbb && third === 0xbf) lines.at = 3;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new LdifError(1, 'the text is UTF-16, and LDIF is UTF-8', true);
}

/**
 * Goes to the next logical line: a physical one and those folded behind it, joined.
 *
 * @returns whether there is one; `false` means that more must be fed, or that the file is over
 * @throws LdifError for a line of more than `lineOctetsMax` octets
 * @see RFC 2849, notes 2 and 3
 */
export function nextLine(lines: Lines, lineOctetsMax: number): boolean {
  const { arrived, at } = lines;
  const limit = at + lineOctetsMax;
  let stop = at;
  while (stop < arrived.length && arrived[stop] !== newline) stop++;
  // Whether a line is over is known only when the octet behind its end was seen: a space would go on with it.
  if (stop + 1 >= arrived.length && !lines.ended) {
    if (stop > limit) throw tooLong(lines);
    return false;
  }
  if (at >= arrived.length) return false;
  if (stop > limit) throw tooLong(lines);
  if (arrived[stop + 1] === space) return joinLine(lines, stop, lineOctetsMax);
  lines.bytes = arrived;
  lines.start = at;
  lines.end = stop > at && arrived[stop - 1] === carriageReturn ? stop - 1 : stop;
  lines.number = lines.next;
  lines.next += 1;
  lines.at = stop + 1;
  return true;
}

/** Joins a folded line, whose first physical line ends at `firstStop`. */
function joinLine(lines: Lines, firstStop: number, lineOctetsMax: number): boolean {
  const { arrived, at } = lines;
  const pieces: number[] = [at, firstStop];
  let octets = firstStop - at;
  let stop = firstStop;
  while (arrived[stop + 1] === space) {
    const from = stop + 2;
    stop = arrived.indexOf(newline, from);
    if (stop < 0) stop = arrived.length;
    octets += stop - from;
    if (octets > lineOctetsMax) throw tooLong(lines);
    if (stop + 1 >= arrived.length && !lines.ended) return false;
    pieces.push(from, stop);
  }
  const joined = Buffer.allocUnsafeSlow(octets);
  let end = 0;
  for (let i = 0; i < pieces.length; i += 2) {
    const from = pieces[i] as number;
    const to = pieces[i + 1] as number;
    end += arrived.copy(joined, end, from, to > from && arrived[to - 1] === carriageReturn ? to - 1 : to);
  }
  lines.bytes = joined;
  lines.start = 0;
  lines.end = end;
  lines.number = lines.next;
  lines.next += pieces.length / 2;
  lines.at = stop + 1;
  return true;
}

function tooLong(lines: Lines): LdifError {
  return new LdifError(lines.next, 'line is too long', true);
}
