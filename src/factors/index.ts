import { settings as attestationSettings } from './attestation/settings.ts';
import { settings as webauthnSettings } from './webauthn/settings.ts';

export { type Attestation, openAttestation } from './attestation/attestation.ts';
export { boundedFetch } from './attestation/fetch.ts';
export type { MetadataIndex } from './attestation/metadata/entry.ts';
export { installMetadata, judgeMetadata, type MetadataOptions, readSource } from './attestation/metadata/metadata.ts';
export { mdsSource } from './attestation/metadata/source.ts';
export { createRevocations } from './attestation/revocation.ts';
export const factorsSettings = { ...webauthnSettings, ...attestationSettings };
