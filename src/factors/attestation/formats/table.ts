import type { Format } from '../statement.ts';
import { androidKey } from './android-key.ts';
import { androidSafetyNet } from './android-safetynet.ts';
import { apple } from './apple.ts';
import { compoundOf } from './compound.ts';
import { fidoU2f } from './fido-u2f.ts';
import { none } from './none.ts';
import { packed } from './packed.ts';
import { tpm } from './tpm.ts';

const single: Readonly<Record<string, Format>> = {
  packed,
  tpm,
  'android-key': androidKey,
  'android-safetynet': androidSafetyNet,
  'fido-u2f': fidoU2f,
  none,
  apple,
};

/** Every format of an attestation statement (WebAuthn Level 3 §8), by its identifier. */
export const formats: Readonly<Record<string, Format>> = { ...single, compound: compoundOf(single) };
