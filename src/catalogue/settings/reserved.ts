import type { SettingRows } from './rows.ts';

/**
 * Settings that the specification's document 1 lists and whose room is not built yet. They are checked like any other, and giving one is answered
 * with a warning that it is not obeyed. A room that is built takes its rows along into its own table.
 */
export const reservedSettings = {
  'credentials.factorScanLimit': count(
    'STS_CREDENTIALS_FACTOR_SCAN_LIMIT',
    5000,
    1,
    'entries read for the roster of who holds which factor',
  ),
} as const satisfies SettingRows;

function count(env: string, standing: number, min: number, means: string, max = 1_000_000) {
  return { env, kind: 'integer', default: standing, min, max, applies: 'runtime', scope: 'realm', obeyed: false, means } as const;
}
