import { createReadStream } from 'node:fs';
import { refuse } from '#catalogue';
import { sha256 } from '#keys';
import { errors } from './errors.ts';

/** Passwords that many people have, and that are tried first. */
export interface CommonPasswords {
  has(password: string): boolean;
  readonly count: number;
  /** For threads that judge by the same list: `commonPasswordsIn`. */
  readonly shared: SharedArrayBuffer;
}

/** A line that is longer holds no password that anybody has in common with another. */
const lineOctetsMax = 512;
const hashOctets = 8;
const newline = 0x0a;

/**
 * Reads a list of passwords, one a line, as a stream. Of each a hash of eight octets is kept: a million take 8 MB, and the text of none stays.
 *
 * @param max  the most lines that it may have
 * @throws Refusal `commonPasswordsUnusable` for a file that cannot be read, or that has more
 */
export async function readCommonPasswords(path: string, max: number): Promise<CommonPasswords> {
  let hashes = new BigUint64Array(1024);
  let count = 0;
  const take = (line: Uint8Array) => {
    const end = line.at(-1) === 0x0d ? line.length - 1 : line.length;
    if (end === 0 || end > lineOctetsMax) return;
    if (count === max) throw refuse(errors.commonPasswordsUnusable, { why: `it has more than ${max} lines (security.commonPasswordsMax)` });
    if (count === hashes.length) {
      const larger = new BigUint64Array(count * 2);
      larger.set(hashes);
      hashes = larger;
    }
    hashes[count++] = hashOf(Buffer.from(line.subarray(0, end)).toString('utf8'));
  };
  try {
    for await (const line of linesOf(createReadStream(path))) take(line);
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string')
      throw refuse(errors.commonPasswordsUnusable, { why: `it cannot be read (${error.code})` });
    throw error;
  }
  const shared = new SharedArrayBuffer(count * hashOctets);
  const kept = new BigUint64Array(shared);
  kept.set(hashes.subarray(0, count));
  kept.sort();
  return commonPasswordsIn(shared);
}

/** The list that another thread has read. */
export function commonPasswordsIn(shared: SharedArrayBuffer): CommonPasswords {
  const hashes = new BigUint64Array(shared);
  return {
    count: hashes.length,
    shared,
    has(password) {
      const wanted = hashOf(password);
      let [low, high] = [0, hashes.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((hashes[middle] as bigint) < wanted) low = middle + 1;
        else high = middle;
      }
      return hashes[low] === wanted;
    },
  };
}

/** Whoever tries a list tries each password with another case, too. */
function hashOf(password: string): bigint {
  const hash = sha256(password.normalize('NFKC').toLowerCase());
  return Buffer.from(hash.buffer, hash.byteOffset, hashOctets).readBigUInt64LE();
}

/** Lines without their ends. Of one that is too long no more is kept than shows that it is. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0);
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield joined(rest, chunk.subarray(start, end));
      rest = new Uint8Array(0);
      start = end + 1;
    }
    rest = joined(rest, chunk.subarray(start));
  }
  yield rest;
}

function joined(rest: Uint8Array, more: Uint8Array): Uint8Array<ArrayBuffer> {
  const octets = new Uint8Array(Math.min(rest.length + more.length, lineOctetsMax + 2));
  octets.set(rest);
  octets.set(more.subarray(0, octets.length - rest.length), rest.length);
  return octets;
}
