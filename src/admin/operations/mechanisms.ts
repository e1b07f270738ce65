import { z } from 'zod';
import { configurationOf, ownOf, rowsFrom, settingShape, shownIn } from './config-shape.ts';
import { type Operation, operation } from './row.ts';

/** The settings of one way to sign in, as they are in force in the realm. */
function settingsOf(name: string, path: `/admin-api/${string}`, prefixes: readonly string[], what: string): Operation {
  return operation({
    name,
    method: 'GET',
    path,
    scope: 'admin:read',
    summary: `show the settings of ${what} in the realm`,
    more: 'They are changed by config.set.',
    input: z.strictObject({}),
    output: z.strictObject({ realm: z.string(), settings: z.array(settingShape) }),
    audit: `settings of ${what} read`,
    command: `${path.slice('/admin-api/'.length)} show`,
    terminal: {
      list: { of: 'settings', columns: ['name', 'value', 'from', 'changeable'] },
      examples: [{ line: `atrium ${path.slice('/admin-api/'.length)} show` }],
    },
    run: async (call) => {
      const own = await ownOf(call, call.realm);
      const rows = rowsFrom(configurationOf(call.deps).rows, prefixes);
      return { realm: call.realm.id, settings: rows.map(([each, row]) => shownIn(call.deps, call.realm, own, each, row)) };
    },
  });
}

export const mechanisms: readonly Operation[] = [
  settingsOf('webauthn.settings', '/admin-api/webauthn', ['webauthn.'], 'security keys'),
  settingsOf('totp.settings', '/admin-api/totp', ['totp.'], 'authenticator apps'),
  settingsOf('backup-codes.settings', '/admin-api/backup-codes', ['backupCodes.'], 'recovery codes'),
];
