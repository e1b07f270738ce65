import { createSealer, type Sealer, type SealerKeys, sealerKeys } from '#keys';
import type { Settings } from './foundation.ts';

/** The keys of what the directory keeps sealed, as the settings give them. */
export function sealerKeysOf(settings: Pick<Settings, 'keys.kek' | 'keys.previousKek'>): SealerKeys {
  return sealerKeys(settings['keys.kek'], settings['keys.previousKek']);
}

export function sealerOf(settings: Pick<Settings, 'keys.kek' | 'keys.previousKek'>): Sealer {
  return createSealer(sealerKeysOf(settings));
}
