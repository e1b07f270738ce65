import { auditErrors, auditSettings } from '#audit';
import { type ErrorRow, listedErrors, reservedSettings, type SettingRows, serviceSettings, settingErrors } from '#catalogue';
import { credentialsErrors, credentialsSettings } from '#credentials';
import { keysErrors, keysSettings } from '#keys';
import { policySettings } from '#policy';
import { storeErrors, storeSettings } from '#store';

/** Every setting there is. `gather` in the tests proves that no two rooms use a name. */
export const settings = {
  ...serviceSettings,
  ...auditSettings,
  ...credentialsSettings,
  ...keysSettings,
  ...policySettings,
  ...storeSettings,
  ...reservedSettings,
} as const satisfies SettingRows;

/** The same rows by the room that keeps them. */
export const settingTables: Readonly<Record<string, SettingRows>> = {
  audit: auditSettings,
  catalogue: { ...serviceSettings, ...reservedSettings },
  credentials: credentialsSettings,
  keys: keysSettings,
  policy: policySettings,
  store: storeSettings,
};

/** Every refusal and failure that a room can raise, by room and name. */
export const errorTables: Readonly<Record<string, Readonly<Record<string, ErrorRow>>>> = {
  audit: auditErrors,
  catalogue: settingErrors,
  credentials: credentialsErrors,
  keys: keysErrors,
  store: storeErrors,
};

const raised: readonly ErrorRow[] = Object.values(errorTables).flatMap((table) => Object.values(table));
const raisedCodes = new Set<string>(raised.map(({ code }) => code));

/** Every error code that is described by itself. A room's row stands in place of the one that the specification's list has for its code. */
export const errorRows: readonly ErrorRow[] = [...raised, ...listedErrors.filter(({ code }) => !raisedCodes.has(code))];
