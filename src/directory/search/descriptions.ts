/** What was decided for an attribute description, found by its octets: no string is made for a description that was met before. */
export interface Decisions<T> {
  of(bytes: Uint8Array, start: number, end: number): T;
}

interface Decided<T> {
  readonly octets: Uint8Array;
  readonly value: T;
}

/** A directory has some hundred descriptions; options could make more of them than are worth remembering. */
const decidedMax = 1024;

/** @param decide  asked once for each description (RFC 4512 §2.5) */
export function createDecisions<T>(decide: (description: string) => T): Decisions<T> {
  const byHash = new Map<number, Decided<T>[]>();
  let count = 0;

  return {
    of(bytes, start, end) {
      let hash = end - start;
      for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
      const alike = byHash.get(hash);
      if (alike !== undefined) for (const each of alike) if (isAt(each.octets, bytes, start, end)) return each.value;
      const octets = bytes.slice(start, end);
      // Descriptions are ASCII (RFC 4512 §1.4).
      const value = decide(Buffer.from(octets).toString('latin1'));
      if (count < decidedMax) {
        count++;
        if (alike === undefined) byHash.set(hash, [{ octets, value }]);
        else alike.push({ octets, value });
      }
      return value;
    },
  };
}

function isAt(octets: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (octets.length !== end - start) return false;
  for (let i = 0; i < octets.length; i++) if (octets[i] !== bytes[start + i]) return false;
  return true;
}
