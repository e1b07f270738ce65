import { senderOf } from './sender.ts';
import { findServer, type MailSettings, type ServerOptions } from './server.ts';

/**
 * What keeps a realm's mail from being handed over, or a password from being sent along, whatever the mail server says: in words for operators.
 *
 * @param settings  those in force in the realm
 * @param suffix  of the realm, as text
 * @returns nothing for a realm that sends no mail
 */
export function mailFaults(realm: string, suffix: string, settings: MailSettings, options: ServerOptions): readonly string[] {
  if (settings['mail.smtpHost'] === '') return [];
  const faults: string[] = [];
  const found = findServer(realm, settings, options);
  if (found.kind === 'unusable') faults.push(`${found.error.means}: ${found.why}`);
  else if (found.server.login !== undefined) {
    const { login, tls } = found.server;
    if (login.password === '') faults.push('mail.smtpUser is set and there is no password of it (mail.smtpPassword)');
    if (tls === 'none') faults.push('mail.smtpUser is set and never told: without TLS (mail.smtpTls none) no password is sent');
  }
  if (senderOf(settings, suffix) === undefined) faults.push('there is no address that it could come from (mail.from)');
  return faults;
}
