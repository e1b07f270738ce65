import type { ErrorRow } from '#catalogue';
import { errors } from './errors.ts';

/** An attempt to prove who somebody is that was not admitted: too many have failed for the name, or from the address. */
export interface Limit {
  /** Seconds until it is worth trying again. */
  readonly waitS: number;
  readonly of: 'identity' | 'address';
}

/** Which limit it was is for operators. Clients are told the time, and no more. */
export function limitRow({ of }: Pick<Limit, 'of'>): ErrorRow {
  return of === 'identity' ? errors.identityLimited : errors.addressLimited;
}
