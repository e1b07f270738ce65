import { refuse } from '#catalogue';
import type { SealingKey } from '#keys';
import { transferKey } from '#transfer';
import { errors } from './errors.ts';
import type { Exchange } from './exchange.ts';

const octetsMin = 32;
const octetsMax = 4096;

/**
 * The key under which sealed values of a file go: the content of the file of the same name with `.key` behind it.
 *
 * @returns nothing where there is no such file
 * @throws Refusal `taskFile` for one that is too short, or too long
 */
export function keyFor(exchange: Exchange, name: string): SealingKey | undefined {
  const octets = exchange.small(`${name}.key`, octetsMax);
  if (octets === undefined) return undefined;
  if (octets.length < octetsMin) throw refuse(errors.taskFile, { file: `${name}.key`, why: `a key has at least ${octetsMin} octets` });
  return transferKey(octets);
}
