import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { checkSetting, gather, readSettings, removedSettings, type SettingRow } from '#catalogue';
import { settings } from '../../src/settings.ts';
import { settingTables } from '../../src/tables.ts';

const rows: Readonly<Record<string, SettingRow>> = settings;

test('the settings of all rooms are one table, and no two rooms use a name', (t) => {
  t.deepEqual(Object.keys(gather(Object.values(settingTables))).sort(), Object.keys(rows).sort());
  t.throws(() => gather([{ 'a.b': 1 }, { 'a.b': 2 }]), { message: /a\.b/ });
});

test('every setting has a name of two parts, an environment name of its own, and says what it means', (t) => {
  const seen = new Set<string>(Object.values(removedSettings));
  for (const [name, row] of Object.entries(rows)) {
    t.regex(name, /^[a-z][A-Za-z0-9]*\.[a-z][A-Za-z0-9]*$/);
    // The specification names one that has no beginning of its own.
    t.regex(row.env, /^(?:STS_[A-Z0-9_]+|ADMIN_API_AUTH_REQUIRED)$/);
    t.false(seen.has(row.env), `${row.env} is used twice`);
    t.true(row.means.length > 0, name);
    seen.add(row.env);
  }
});

test('every default passes the check of its own row', (t) => {
  for (const [name, row] of Object.entries(rows)) {
    if (row.kind !== 'secret') t.is(checkSetting(row, row.default).kind, 'fit', name);
  }
});

test('with nothing given, every setting stands at its default', (t) => {
  const { values, problems, warnings } = readSettings(settings, { environment: {} });
  t.deepEqual([...problems, ...warnings], []);
  t.is(values['global.mode'], 'product');
  t.is(values['global.dataDir'], 'data');
});

/** What `gather`ing the specification's tables must give: name, environment name, default. */
const listed: readonly (readonly [name: string, env: string, standing: unknown])[] = [
  ['authn.sessionLifetimeS', 'STS_AUTHN_SESSION_LIFETIME_S', 3600],
  ['authn.maxSessions', 'STS_AUTHN_MAX_SESSIONS', 100000],
  ['authn.sessionIdleTimeoutS', 'STS_AUTHN_SESSION_IDLE_TIMEOUT_S', 0],
  ['authn.sessionSweepS', 'STS_AUTHN_SESSION_SWEEP_S', 30],
  ['authn.pendingTtlS', 'STS_AUTHN_PENDING_TTL_S', 600],
  ['authn.mfaStepTtlS', 'STS_AUTHN_MFA_STEP_TTL_S', 300],
  ['authn.unauthenticatedSessions', 'STS_AUTHN_UNAUTHENTICATED_SESSIONS', false],
  ['security.rateLimitWindowS', 'STS_SECURITY_RATE_WINDOW_S', 60],
  ['security.rateLimitPerIdentity', 'STS_SECURITY_RATE_PER_IDENTITY', 5],
  ['security.rateLimitPerAddress', 'STS_SECURITY_RATE_PER_ADDRESS', 20],
  ['security.activationTtlMinutes', 'STS_SECURITY_ACTIVATION_TTL_MINUTES', 1440],
  ['security.passwordResetTtlMinutes', 'STS_SECURITY_PASSWORD_RESET_TTL_MINUTES', 60],
  ['security.passwordHashLogN', 'STS_SECURITY_PASSWORD_HASH_LOG_N', 15],
  ['security.passwordHashR', 'STS_SECURITY_PASSWORD_HASH_R', 8],
  ['security.passwordHashP', 'STS_SECURITY_PASSWORD_HASH_P', 1],
  ['credentials.factorScanLimit', 'STS_CREDENTIALS_FACTOR_SCAN_LIMIT', 5000],
  ['appPasswords.maxPerPerson', 'STS_APP_PASSWORDS_MAX_PER_PERSON', 10],
  ['appPasswords.enabled', 'STS_APP_PASSWORDS_ENABLED', true],
  ['webauthn.enabled', 'STS_WEBAUTHN_ENABLED', true],
  ['webauthn.rpName', 'STS_WEBAUTHN_RP_NAME', 'Atrium'],
  ['webauthn.rpId', 'STS_WEBAUTHN_RP_ID', ''],
  ['webauthn.userVerification', 'STS_WEBAUTHN_USER_VERIFICATION', 'preferred'],
  ['webauthn.attestation', 'STS_WEBAUTHN_ATTESTATION', 'direct'],
  ['webauthn.timeoutMs', 'STS_WEBAUTHN_TIMEOUT_MS', 60000],
  ['webauthn.authenticatorAttachment', 'STS_WEBAUTHN_ATTACHMENT', 'any'],
  ['webauthn.residentKey', 'STS_WEBAUTHN_RESIDENT_KEY', 'discouraged'],
  ['webauthn.credProps', 'STS_WEBAUTHN_CRED_PROPS', true],
  ['webauthn.primaryAllowed', 'STS_WEBAUTHN_PRIMARY_ALLOWED', true],
  ['webauthn.mfaAllowed', 'STS_WEBAUTHN_MFA_ALLOWED', true],
  ['webauthn.maxKeysPerPerson', 'STS_WEBAUTHN_MAX_KEYS', 10],
  ['totp.issuer', 'STS_TOTP_ISSUER', ''],
  ['totp.algorithm', 'STS_TOTP_ALGORITHM', 'SHA1'],
  ['totp.digits', 'STS_TOTP_DIGITS', 6],
  ['totp.period', 'STS_TOTP_PERIOD', 30],
  ['totp.window', 'STS_TOTP_WINDOW', 1],
  ['totp.secretBytes', 'STS_TOTP_SECRET_BYTES', 20],
  ['totp.enrolmentTtlMinutes', 'STS_TOTP_ENROLMENT_TTL_MINUTES', 10],
  ['backupCodes.count', 'STS_BACKUP_CODES_COUNT', 10],
  ['backupCodes.length', 'STS_BACKUP_CODES_LENGTH', 10],
  ['backupCodes.groupSize', 'STS_BACKUP_CODES_GROUP_SIZE', 5],
  ['backupCodes.pendingTtlS', 'STS_BACKUP_CODES_PENDING_TTL_S', 900],
];
for (const [name, env, standing] of listed) {
  test(`a setting of the specification's tables is a row, with its environment name and default: ${name}`, (t) => {
    t.is(rows[name]?.env, env);
    t.deepEqual(rows[name]?.default, standing);
    t.is(rows[name]?.applies, 'runtime');
  });
}

test('settings that nothing obeys yet: the list only shrinks', (t) => {
  const committed = readFileSync(join(import.meta.dirname, 'not-obeyed.txt'), 'utf8')
    .split('\n')
    .filter(Boolean);
  const now = Object.keys(rows).filter((name) => rows[name]?.obeyed === false);
  t.deepEqual(
    now.filter((name) => !committed.includes(name)),
    [],
    'a setting that is not obeyed may not be added',
  );
  t.deepEqual(
    committed.filter((name) => !now.includes(name)),
    [],
    'a setting that is obeyed by now must leave the list',
  );
});
