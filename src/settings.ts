import { type SettingRows, serviceSettings } from '#catalogue';
import type { SwitchedOff } from '#policy';
import { settings as adminSettings } from './admin/settings.ts';
import { settings as auditSettings } from './audit/settings.ts';
import { settings as clientSettings } from './client/settings.ts';
import { settings as credentialsSettings } from './credentials/settings.ts';
import { settings as directorySettings } from './directory/settings.ts';
import { settings as factorsSettings, keySwitches } from './factors/settings.ts';
import { settings as keysSettings } from './keys/settings.ts';
import { settings as listenerSettings } from './listener/settings.ts';
import { settings as mailSettings } from './mail/settings.ts';
import { settings as oauthSettings } from './oauth/settings.ts';
import { settings as policySettings } from './policy/settings.ts';
import { settings as realmsSettings } from './realms/settings.ts';
import { settings as schemaSettings } from './schema/settings.ts';
import { settings as sessionsSettings } from './sessions/settings.ts';
import { settings as signinSettings } from './signin/settings.ts';
import { settings as stateSettings } from './state/settings.ts';
import { settings as storeSettings } from './store/settings.ts';
import { settings as webSettings } from './web/settings.ts';

/** Every setting there is. A test proves that no two rooms use a name. */
export const settings = {
  ...serviceSettings,
  ...adminSettings,
  ...auditSettings,
  ...clientSettings,
  ...credentialsSettings,
  ...directorySettings,
  ...factorsSettings,
  ...keysSettings,
  ...listenerSettings,
  ...mailSettings,
  ...oauthSettings,
  ...policySettings,
  ...realmsSettings,
  ...schemaSettings,
  ...sessionsSettings,
  ...signinSettings,
  ...stateSettings,
  ...storeSettings,
  ...webSettings,
} as const satisfies SettingRows;

/** Whether a realm in which such settings are in force has a server to send mail by. @param inForce  all of them, or those of which one is asked for */
export function canMail(inForce: object): boolean {
  return 'mail.smtpHost' in inForce && inForce['mail.smtpHost'] !== '';
}

/** Which second factors of the sign-in page are switched off where such settings are in force, and by which. @param inForce  all of them */
export function switchedOff(inForce: object): SwitchedOff {
  const values: Readonly<Record<string, unknown>> = { ...inForce };
  const key = keySwitches.mfa.find((name) => values[name] === false);
  const mail = canMail(inForce) ? {} : { 'email-code': 'mail.smtpHost', 'email-link': 'mail.smtpHost' };
  return {
    ...(key === undefined ? {} : { 'security-key': key }),
    ...(values['totp.enabled'] === false ? { 'authenticator-app': 'totp.enabled' } : {}),
    ...mail,
  };
}

/** Whether people of such a realm are told by mail when what they sign in with has changed. */
export function tellsOfChanges(inForce: object): boolean {
  return canMail(inForce) && !('mail.tellOfChanges' in inForce && inForce['mail.tellOfChanges'] === false);
}
