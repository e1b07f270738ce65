import type { SettingRows } from '#catalogue';
import { settings as attestation } from './attestation/settings.ts';
import { settings as recovery } from './recovery/settings.ts';
import { settings as totp } from './totp/settings.ts';
import { settings as webauthn } from './webauthn/settings.ts';

export { keySwitches } from './webauthn/settings.ts';

export const settings = { ...webauthn, ...attestation, ...totp, ...recovery } as const satisfies SettingRows;
