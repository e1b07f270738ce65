import { errors as attestationErrors } from './attestation/errors.ts';
import { jobs as attestationJobs } from './attestation/jobs.ts';
import { settings as attestationSettings } from './attestation/settings.ts';
import { errors as webauthnErrors } from './webauthn/errors.ts';
import { settings as webauthnSettings } from './webauthn/settings.ts';

export { type Attestation, openAttestation } from './attestation/attestation.ts';
export { boundedFetch } from './attestation/fetch.ts';
export type { MetadataIndex } from './attestation/metadata/entry.ts';
export { installMetadata, judgeMetadata, type MetadataOptions, readSource } from './attestation/metadata/metadata.ts';
export { mdsSource } from './attestation/metadata/source.ts';
export { createRevocations } from './attestation/revocation.ts';
export { answerField, askingParts } from './webauthn/asking.ts';
export { ceremonyScript } from './webauthn/script.ts';
export { type Answered, type Ceremony, openWebauthn, type Webauthn, type WebauthnOptions } from './webauthn/webauthn.ts';
export const factorsSettings = { ...webauthnSettings, ...attestationSettings };
export const factorsErrors = { ...webauthnErrors, ...attestationErrors };
export const factorsJobs = attestationJobs;
