import { settings as attestationSettings } from './attestation/settings.ts';
import { settings as webauthnSettings } from './webauthn/settings.ts';

export { type Attestation, openAttestation } from './attestation/attestation.ts';
export { boundedFetch } from './attestation/fetch.ts';
export { createRevocations } from './attestation/revocation.ts';
export const factorsSettings = { ...webauthnSettings, ...attestationSettings };
