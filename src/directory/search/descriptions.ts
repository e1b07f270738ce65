/** What was decided for an attribute description, found by its octets: no string is made for a description that was met before. */
export interface Decisions<T> {
  of(bytes: Uint8Array, start: number, end: number): T;
}

interface Decided<T> {
  readonly octets: Uint8Array;
  readonly value: T;
  /** What was asked for after it the last time: most entries have the same attributes in the same order. */
  next: Decided<T> | undefined;
}

/** A directory has some hundred descriptions; options could make more of them than are worth remembering. */
const decidedMax = 1024;

/** @param decide  asked once for each description (RFC 4512 §2.5) */
export function createDecisions<T>(decide: (description: string) => T): Decisions<T> {
  const byHash = new Map<number, Decided<T>[]>();
  let count = 0;
  let last: Decided<T> | undefined;

  function find(bytes: Uint8Array, start: number, end: number): Decided<T> | undefined {
    const hash = signatureOf(bytes, start, end);
    const alike = byHash.get(hash);
    if (alike !== undefined) for (const each of alike) if (isAt(each.octets, bytes, start, end)) return each;
    if (count === decidedMax) return undefined;
    count++;
    const octets = bytes.slice(start, end);
    const decided = { octets, value: decide(textOf(octets)), next: undefined };
    if (alike === undefined) byHash.set(hash, [decided]);
    else alike.push(decided);
    return decided;
  }

  return {
    of(bytes, start, end) {
      const next = last?.next;
      if (next !== undefined && isAt(next.octets, bytes, start, end)) {
        last = next;
        return next.value;
      }
      const found = find(bytes, start, end);
      if (found === undefined) return decide(textOf(bytes.subarray(start, end)));
      if (last !== undefined) last.next = found;
      last = found;
      return found.value;
    },
  };
}

/** Length and three octets tell nearly all descriptions apart. */
function signatureOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const middle = bytes[start + (length >> 1)] as number;
  return (length & 0xff) | ((bytes[start] as number) << 8) | (middle << 16) | ((bytes[end - 1] as number) << 24);
}

/** Descriptions are ASCII (RFC 4512 §1.4). */
function textOf(octets: Uint8Array): string {
  return Buffer.from(octets).toString('latin1');
}

function isAt(octets: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (octets.length !== end - start) return false;
  for (let i = 0; i < octets.length; i++) if (octets[i] !== bytes[start + i]) return false;
  return true;
}
