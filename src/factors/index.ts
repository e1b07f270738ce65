import { settings as webauthnSettings } from './webauthn/settings.ts';

export const factorsSettings = { ...webauthnSettings };
