import { createReadStream, statSync } from 'node:fs';
import { type LdifFault, type LdifLimits, type LdifRecord, readLdif, readLdifOn } from '#ldap';
import type { Context } from './command.ts';
import { Misuse } from './exits.ts';

/** A record is held in memory, so these bound what a file can make of it. */
export const ldifLimits: LdifLimits = { lineOctetsMax: 67_108_864, recordOctetsMax: 134_217_728, valuesMax: 1_000_000 };

const readOctets = 1_048_576;

export interface LdifSource {
  readonly records: AsyncIterable<LdifRecord>;
  /** The same, with what cannot be read. For one of the two. */
  readonly withFaults: AsyncIterable<LdifRecord | LdifFault>;
  /** Octets read so far. */
  readonly done: () => number;
  /** Octets in all; `undefined` for standard input. */
  readonly total: number | undefined;
}

/**
 * Opens a file of LDIF, or standard input for `-`.
 *
 * @param looseNames  takes names of attributes with underscores, as some servers write them
 * @throws Misuse when there is no such file
 */
export function openLdif(path: string, { stdin }: Context, looseNames = false): LdifSource {
  const stat = path === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path !== '-' && stat?.isFile() !== true) throw new Misuse(`${path} is not a file`);
  let done = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of path === '-' ? stdin : createReadStream(path, { highWaterMark: readOctets })) {
      done += chunk.length;
      yield chunk;
    }
  }
  const limits = { ...ldifLimits, looseNames };
  // A generator that nobody asks reads nothing.
  return { records: readLdif(chunks(), limits), withFaults: readLdifOn(chunks(), limits), done: () => done, total: stat?.size };
}
