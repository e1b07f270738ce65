import { adminSettings } from '#admin';
import { auditSettings } from '#audit';
import { reservedSettings, type SettingRows, serviceSettings } from '#catalogue';
import { clientSettings } from '#client';
import { credentialsSettings } from '#credentials';
import { directorySettings } from '#directory';
import { factorsSettings } from '#factors';
import { keysSettings } from '#keys';
import { listenerSettings } from '#listener';
import { mailSettings } from '#mail';
import { policySettings } from '#policy';
import { realmsSettings } from '#realms';
import { schemaSettings } from '#schema';
import { sessionsSettings } from '#sessions';
import { signinSettings } from '#signin';
import { stateSettings } from '#state';
import { storeSettings } from '#store';
import { webSettings } from '#web';

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
  ...policySettings,
  ...realmsSettings,
  ...schemaSettings,
  ...sessionsSettings,
  ...signinSettings,
  ...stateSettings,
  ...storeSettings,
  ...webSettings,
  ...reservedSettings,
} as const satisfies SettingRows;

/** Whether a realm in which such settings are in force has a server to send mail by. @param inForce  all of them, or those of which one is asked for */
export function canMail(inForce: object): boolean {
  return 'mail.smtpHost' in inForce && inForce['mail.smtpHost'] !== '';
}

/** Whether people of such a realm are told by mail when what they sign in with has changed. */
export function tellsOfChanges(inForce: object): boolean {
  return canMail(inForce) && !('mail.tellOfChanges' in inForce && inForce['mail.tellOfChanges'] === false);
}
