import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type LdifLimits, type LdifRecord, readLdif } from '#ldap';

/** What LDIF came to: records that are held, or a file of all of it where it is more than may be held. */
export type Gathered =
  | { readonly kind: 'held'; readonly records: readonly LdifRecord[] }
  | { readonly kind: 'spooled'; readonly file: string };

export interface GatherOptions {
  readonly limits: LdifLimits;
  readonly recordsMax: number;
  readonly octetsMax: number;
  /** Where a file may lie, and its name there. */
  readonly folder: string;
  readonly name: string;
}

/**
 * Reads LDIF. No more of it is held in memory than one transaction may have; what is longer goes into a file, for its owner alone.
 *
 * @throws LdifError
 */
export async function gather(
  body: AsyncIterable<Uint8Array>,
  { limits, recordsMax, octetsMax, folder, name }: GatherOptions,
): Promise<Gathered> {
  const source = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let octets = 0;
  // By hand: who stops reading records has not read all of the body.
  async function* some(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { done, value } = await source.next();
      if (done === true) return;
      chunks.push(value);
      octets += value.length;
      if (octets > octetsMax) return;
      yield value;
    }
  }
  const records: LdifRecord[] = [];
  try {
    for await (const record of readLdif(some(), limits)) {
      records.push(record);
      if (records.length > recordsMax) break;
    }
  } catch (error) {
    // The text is cut off where no more of it is held.
    if (octets <= octetsMax) throw error;
  }
  if (records.length <= recordsMax && octets <= octetsMax) return { kind: 'held', records };
  records.length = 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  }
  try {
    await pipeline(all(), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  return { kind: 'spooled', file: name };
}
