import { type AuthenticatorApp, parseAuthenticatorApp } from './authenticator-app.ts';
import { type EmailFactor, emailFactorOf, naturalOf } from './email-factor.ts';
import { isKeyOf, parseSecurityKey, type SecurityKey } from './security-key.ts';

/** What a person holds beside a password. */
export interface Holdings {
  /** The oldest first. */
  readonly keys: readonly SecurityKey[];
  readonly app: AuthenticatorApp | undefined;
  /** `0` for a set that is used up, `undefined` for who has none. */
  readonly recoveryCodesLeft: number | undefined;
  readonly email: EmailFactor | undefined;
  /** A second factor is required of this person. */
  readonly mfaRequired: boolean;
}

/** What is asked of an entry to know what its person holds. */
export const factorAttributes: readonly string[] = [
  'mail',
  'stsCredentialId',
  'stsWebauthnCredential',
  'stsAuthenticatorApp',
  'stsRecoveryCodesLeft',
  'stsEmailFactor',
  'stsVerifiedMail',
  'stsEmailFailures',
  'stsEmailFirstFailures',
  'stsMfaRequired',
];

/** An entry that was read above the floor, or as the directory has it. */
export interface EntryValues {
  readonly all: (attribute: string) => readonly string[];
  readonly octets: (attribute: string) => readonly Uint8Array[];
}

/**
 * What an entry says that its person holds.
 *
 * A key counts only while its id stands in `stsCredentialId`, which is one entry's over all realms: a credential that was copied to another
 * entry signs nobody in there.
 *
 * @param entry  `factorAttributes` of it
 */
export function holdingsOf(entry: EntryValues): Holdings {
  const ids = entry.octets('stsCredentialId');
  const keys = entry.all('stsWebauthnCredential').flatMap((value) => parseSecurityKey(value) ?? []);
  const [app] = entry.all('stsAuthenticatorApp');
  return {
    keys: keys.filter((key) => ids.some((id) => isKeyOf(key, id))).toSorted((a, b) => a.addedMs - b.addedMs),
    app: app === undefined ? undefined : parseAuthenticatorApp(app),
    recoveryCodesLeft: naturalOf(entry.all('stsRecoveryCodesLeft')[0]),
    email: emailFactorOf(entry.all),
    mfaRequired: entry.all('stsMfaRequired')[0]?.toUpperCase() === 'TRUE',
  };
}
