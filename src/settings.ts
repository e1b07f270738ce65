import { type SettingRows, serviceSettings } from '#catalogue';
import type { Offer, Offers } from '#policy';
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
  ...stateSettings,
  ...storeSettings,
  ...webSettings,
} as const satisfies SettingRows;

/** Whether a realm in which such settings are in force has a server to send mail by. @param inForce  all of them, or those of which one is asked for */
export function canMail(inForce: object): boolean {
  return 'mail.smtpHost' in inForce && inForce['mail.smtpHost'] !== '';
}

/**
 * What can be done with each mechanism of the sign-in page where such settings are in force, and by which setting it cannot.
 *
 * @param inForce  all of them
 * @param linksLead  whether a link in a mail leads to this service
 */
export function offersIn(inForce: object, linksLead: boolean): Offers {
  const values: Readonly<Record<string, unknown>> = { ...inForce };
  const switchOf = (names: readonly string[]) => names.find((name) => values[name] === false);
  const [mfa, primary] = [switchOf(keySwitches.mfa), switchOf(keySwitches.primary)];
  const app = switchOf(['totp.enabled']);
  const mail = canMail(inForce) ? undefined : 'mail.smtpHost';
  return {
    password: { first: true, second: false, enrol: false },
    'security-key': offer({ first: primary === undefined, second: mfa === undefined, enrol: mfa === undefined }, mfa ?? primary),
    'authenticator-app': offer({ first: false, second: app === undefined, enrol: app === undefined }, app),
    'recovery-code': { first: false, second: true, enrol: false },
    'email-code': mailed(mail),
    'email-link': mailed(mail ?? (linksLead ? undefined : 'global.publicBaseUrl')),
  };
}

/** The same for those who do not listen to browsers themselves: whether links lead here is read from the settings. */
export function offersBy(inForce: object): Offers {
  const values: Readonly<Record<string, unknown>> = { ...inForce };
  const host = String(values['http.host'] ?? '');
  const isHere = /^(?:localhost|127\.[\d.]+|::1)$/.test(host) || (host === '' && values['global.mode'] === 'development');
  return offersIn(inForce, values['global.publicBaseUrl'] !== '' || (values['http.tlsPort'] !== undefined && isHere));
}

function mailed(off: string | undefined): Offer {
  return offer({ first: off === undefined, second: off === undefined, enrol: false }, off);
}

function offer(can: Omit<Offer, 'off'>, off: string | undefined): Offer {
  return off === undefined ? can : { ...can, off };
}

/** Whether people of such a realm are told by mail when what they sign in with has changed. */
export function tellsOfChanges(inForce: object): boolean {
  return canMail(inForce) && !('mail.tellOfChanges' in inForce && inForce['mail.tellOfChanges'] === false);
}
