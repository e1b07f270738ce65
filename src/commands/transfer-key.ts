import { readFileSync, statSync } from 'node:fs';
import type { OptionRow } from '#catalogue';
import type { SealingKey } from '#keys';
import { transferKey } from '#transfer';
import { Misuse } from './exits.ts';

/** Of commands that carry sealed values from one directory to another. */
export const transferKeyFile: OptionRow = {
  value: 'KEYFILE',
  type: 'file',
  means: 'the key for sealed values on their way: at least 32 octets, in a file that its owner alone may read',
};

const octetsMin = 32;
const octetsMax = 4096;

/** @throws Misuse for a file that is none, that others may read, and for a key of another length */
export function readTransferKey(path: string | undefined): SealingKey | undefined {
  return path === undefined ? undefined : transferKey(readKeyFile(path));
}

/** The octets of the file. @throws Misuse as `readTransferKey` */
export function readKeyFile(path: string): Uint8Array {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) throw new Misuse(`${path} is not a file`);
  if ((stat.mode & 0o077) !== 0) throw new Misuse(`${path} can be read by others than its owner: chmod 600 ${path}`);
  if (stat.size < octetsMin || stat.size > octetsMax) throw new Misuse(`${path} is no key: it has ${octetsMin} to ${octetsMax} octets`);
  return readFileSync(path);
}
