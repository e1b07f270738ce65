import type { SettingRows } from './rows.ts';

/**
 * Settings that the specification's document 1 lists and whose room is not built yet. They are checked like any other, and giving one is answered
 * with a warning that it is not obeyed. A room that is built takes its rows along into its own table.
 */
export const reservedSettings = {
  'authn.passwordAloneDoors': {
    env: 'STS_AUTHN_PASSWORD_ALONE_DOORS',
    kind: 'list',
    default: [],
    values: ['ldap', 'wstrust', 'scim', 'ssf', 'est'],
    applies: 'runtime',
    scope: 'realm',
    obeyed: false,
    means: 'doors that accept the password alone of a person who holds a second factor',
  },

  'credentials.factorScanLimit': count(
    'STS_CREDENTIALS_FACTOR_SCAN_LIMIT',
    5000,
    1,
    'entries read for the roster of who holds which factor',
  ),

  'appPasswords.enabled': toggle('STS_APP_PASSWORDS_ENABLED', true, 'app passwords may be made'),
  'appPasswords.maxPerPerson': count('STS_APP_PASSWORDS_MAX_PER_PERSON', 10, 0, 'app passwords a person may have'),
} as const satisfies SettingRows;

function count(env: string, standing: number, min: number, means: string, max = 1_000_000) {
  return { env, kind: 'integer', default: standing, min, max, applies: 'runtime', scope: 'realm', obeyed: false, means } as const;
}

function toggle(env: string, standing: boolean, means: string) {
  return { env, kind: 'boolean', default: standing, applies: 'runtime', scope: 'realm', obeyed: false, means } as const;
}
