import { resolve } from 'node:path';
import { type ErrorRow, readSecretText, type SettingValues } from '#catalogue';
import { errors } from './errors.ts';
import type { settings as rows } from './settings.ts';

export type MailSettings = SettingValues<typeof rows>;

/** A mail server as it is connected to. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly tls: MailSettings['mail.smtpTls'];
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** PEM; those that Node brings along when absent. */
  readonly authorities: string | undefined;
  readonly timeoutMs: number;
}

export type FoundServer =
  | { readonly kind: 'server'; readonly server: MailServer }
  | { readonly kind: 'unusable'; readonly error: ErrorRow; readonly why: string };

export interface ServerOptions {
  /** The service's own settings. */
  readonly service: MailSettings;
  readonly dataDir: string;
}

const deciding = ['mail.smtpHost', 'mail.smtpPort', 'mail.smtpTls', 'mail.smtpUser'] as const;
const realmForm = /^[a-z0-9-]{1,63}$/;

/**
 * The mail server of a realm.
 *
 * The service's password is for the server and the user that the service itself is set to. A realm in which anything of that differs has one of its own, in a
 * file that the operator puts into `mail.realmPasswordFolder`: whoever may set a realm's settings can neither send the service's password elsewhere nor name a
 * file of their choice.
 *
 * @param settings  those in force in the realm
 */
export function findServer(realm: string, settings: MailSettings, { service, dataDir }: ServerOptions): FoundServer {
  const user = settings['mail.smtpUser'];
  const own = deciding.some((name) => settings[name] !== service[name]);
  const password =
    user === '' || !own ? service['mail.smtpPassword'] : readOwn(realm, resolve(dataDir, service['mail.realmPasswordFolder']));
  if (typeof password !== 'string') return { kind: 'unusable', error: errors.passwordUnreadable, why: password.why };
  const file = service['mail.smtpCaFile'] === '' ? undefined : readSecretText(service['mail.smtpCaFile']);
  if (file !== undefined && (file.kind === 'unreadable' || !file.text.includes('-----BEGIN CERTIFICATE-----')))
    return { kind: 'unusable', error: errors.authoritiesUnreadable, why: file.kind === 'unreadable' ? file.why : 'it holds none' };
  return {
    kind: 'server',
    server: {
      host: settings['mail.smtpHost'],
      port: settings['mail.smtpPort'],
      tls: settings['mail.smtpTls'],
      timeoutMs: settings['mail.smtpTimeoutMs'],
      login: user === '' ? undefined : { user, password },
      authorities: file?.text,
    },
  };
}

function readOwn(realm: string, folder: string): string | { readonly why: string } {
  if (!realmForm.test(realm)) return { why: 'the realm has no name that a file could have' };
  const file = readSecretText(resolve(folder, realm));
  if (file.kind === 'unreadable') return file;
  if (file.openToOthers) return { why: 'others than its owner may read its file; take those permissions away (chmod 600)' };
  return file.text === '' ? { why: 'its file is empty' } : file.text;
}
