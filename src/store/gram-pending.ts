import { type InsideKey, textOfKey } from './keys.ts';

/**
 * What a write leaves to be done: to put the grams of an added person in place would touch some sixty pages all over the file. Instead each change
 * leaves one row that says which keys went and which came; searches look through those that came, and `GramMerge` puts them in place later.
 */

/** Keys that an entry has no more, and that it has now. */
export interface MovedKeys {
  readonly went: readonly InsideKey[];
  readonly came: readonly InsideKey[];
}

/** What moved between two states of an entry, packed for its row; nothing when nothing did. */
export function packMoved(before: readonly InsideKey[], after: readonly InsideKey[]): Uint8Array | undefined {
  if (before.length === after.length && before.every((key, at) => isSame(key, after[at]))) return undefined;
  if (before.length === 0)
    return packed({ went: [], came: after.filter((key, at) => !after.slice(0, at).some((each) => isSame(each, key))) });
  const stale = new Map(before.map((key) => [textOf(key), key]));
  const came: InsideKey[] = [];
  for (const [text, key] of new Map(after.map((each) => [textOf(each), each]))) if (!stale.delete(text)) came.push(key);
  if (stale.size === 0 && came.length === 0) return undefined;
  return packed({ went: [...stale.values()], came });
}

function isSame(a: InsideKey, b: InsideKey | undefined): boolean {
  return b !== undefined && a.attribute === b.attribute && Buffer.compare(a.inside, b.inside) === 0;
}

function textOf({ attribute, inside }: InsideKey): string {
  return textOfKey({ attribute, key: inside });
}

const keyHeadOctets = 8;

function packed({ went, came }: MovedKeys): Uint8Array {
  const all = [...went, ...came];
  const octets = Buffer.allocUnsafe(all.reduce((sum, { inside }) => sum + keyHeadOctets + inside.length, 4));
  octets.writeUInt32LE(went.length);
  let at = 4;
  for (const { attribute, inside } of all) {
    octets.writeUInt32LE(attribute, at);
    octets.writeUInt32LE(inside.length, at + 4);
    octets.set(inside, at + keyHeadOctets);
    at += keyHeadOctets + inside.length;
  }
  return octets;
}

/** Reads what `packMoved` wrote; keys are views. */
export function unpackMoved(octets: Uint8Array): MovedKeys {
  const given = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  const went: InsideKey[] = [];
  const came: InsideKey[] = [];
  const count = given.readUInt32LE(0);
  for (let at = 4; at < given.length; ) {
    const start = at + keyHeadOctets;
    const end = start + given.readUInt32LE(at + 4);
    (went.length < count ? went : came).push({ attribute: given.readUInt32LE(at), inside: given.subarray(start, end) });
    at = end;
  }
  return { went, came };
}
