import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';

const kekOctetsMin = 32;

/**
 * Checks the key-encryption key before the service starts.
 *
 * @param kek  the value of `keys.kek`; its bytes are those of its UTF-8
 * @throws Refusal `kekTooShort` (STS-KEYS-0002): under 32 bytes, or empty in product mode
 */
export function checkKek(kek: string, mode: 'product' | 'development'): void {
  if (kek === '' && mode === 'development') return;
  const octets = utf8(kek).length;
  if (octets < kekOctetsMin) throw refuse(errors.kekTooShort, { octets });
}
