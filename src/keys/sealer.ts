import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import { isSealed, type SealingKey, seal, sealingKey, unseal } from './seal.ts';

/** The keys of values that the directory keeps sealed, in a form that can be handed to another thread. */
export interface SealerKeys {
  /** Seals, and opens. */
  readonly current: SealingKey | undefined;
  /** Opens what was sealed before the key changed. */
  readonly previous: SealingKey | undefined;
}

/** A stored value, opened. */
export interface Unsealed {
  readonly value: Uint8Array;
  /** What it lay under: `nothing` for one that was written in development mode. */
  readonly under: 'nothing' | 'current' | 'previous';
}

/** Seals values for the entries that they belong to, each bound to its entryUUID and attribute. */
export interface Sealer {
  /** False without a key-encryption key: then nothing can be sealed. */
  readonly canSeal: boolean;
  /** @throws Refusal `kekMissing` (LDAP unwillingToPerform) without a key-encryption key */
  seal(uuid: string, attribute: string, value: Uint8Array): Uint8Array;
  /** @returns the value of what is stored; `undefined` for what no key at hand opens in this place */
  open(uuid: string, attribute: string, stored: Uint8Array): Unsealed | undefined;
}

/**
 * @param kek          `keys.kek`; empty for none
 * @param previousKek  `keys.previousKek`; empty for none
 */
export function sealerKeys(kek: string, previousKek: string): SealerKeys {
  const keyOf = (secret: string) => (secret === '' ? undefined : sealingKey(utf8(secret), 'sealed attributes'));
  return { current: keyOf(kek), previous: keyOf(previousKek) };
}

export function createSealer({ current, previous }: SealerKeys): Sealer {
  return {
    canSeal: current !== undefined,
    seal(uuid, attribute, value) {
      if (current === undefined) throw refuse(errors.kekMissing);
      return seal(current, value, placeOf(uuid, attribute));
    },
    open(uuid, attribute, stored) {
      if (!isSealed(stored)) return { value: stored, under: 'nothing' };
      const place = placeOf(uuid, attribute);
      for (const [key, under] of [
        [current, 'current'],
        [previous, 'previous'],
      ] as const) {
        const value = key && unseal(key, stored, place);
        if (value !== undefined) return { value, under };
      }
      return undefined;
    },
  };
}

/** Where a stored value belongs. */
function placeOf(uuid: string, attribute: string): string {
  return `${uuid.toLowerCase()} ${attribute.toLowerCase()}`;
}
