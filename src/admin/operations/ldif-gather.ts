import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type LdifLimits, type LdifRecord, readLdif } from '#ldap';

/** What LDIF came to: records, or more of it than one transaction may have. */
export type Gathered =
  | { readonly kind: 'held'; readonly records: readonly LdifRecord[]; readonly ldif: AsyncIterable<Uint8Array> }
  | { readonly kind: 'large'; readonly begun: readonly LdifRecord[]; readonly ldif: AsyncIterable<Uint8Array> };

export interface GatherOptions {
  readonly limits: LdifLimits;
  readonly recordsMax: number;
  readonly octetsMax: number;
  /** Of one record as it is sent to the directory. */
  readonly messageOctetsMax: number;
}

/**
 * Reads LDIF. No more of it is held in memory than one transaction may have; of what is longer `begun` has what was read, and
 * the rest is still to come. `ldif` is all of it, and can be read once.
 *
 * @throws LdifError
 */
export async function gather(
  body: AsyncIterable<Uint8Array>,
  { limits, recordsMax, octetsMax, messageOctetsMax }: GatherOptions,
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
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
  }
  const records: LdifRecord[] = [];
  let isLarge = false;
  try {
    for await (const record of readLdif(some(), limits)) {
      records.push(record);
      isLarge = records.length > recordsMax || octetsOf(record) > messageOctetsMax;
      if (isLarge) break;
    }
  } catch (error) {
    // The text is cut off where no more of it is held.
    if (octets <= octetsMax) throw error;
  }
  return isLarge || octets > octetsMax ? { kind: 'large', begun: records, ldif: all() } : { kind: 'held', records, ldif: all() };
}

/** Puts LDIF into a file of that folder, for its owner alone. What broke off leaves none. */
export async function spool(ldif: AsyncIterable<Uint8Array>, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  try {
    await pipeline(ldif, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Around each value, and around what else a request has. */
const aroundOctets = 16;
const headOctets = 4096;

/** About as many as its message has (RFC 4511), rather more. */
function octetsOf(record: LdifRecord): number {
  const given =
    record.kind === 'content' || record.kind === 'add'
      ? record.attributes
      : record.kind === 'modify'
        ? record.changes.map(({ attribute }) => attribute)
        : [];
  let octets = headOctets + Buffer.byteLength(record.dn);
  for (const { description, values } of given) {
    octets += aroundOctets + description.length;
    for (const { length } of values) octets += aroundOctets + length;
  }
  return octets;
}
