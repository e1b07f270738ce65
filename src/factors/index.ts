import { settings as attestationSettings } from './attestation/settings.ts';
import { settings as webauthnSettings } from './webauthn/settings.ts';

export const factorsSettings = { ...webauthnSettings, ...attestationSettings };
