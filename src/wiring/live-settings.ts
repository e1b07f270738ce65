import type { Log } from '#audit';
import { type LiveSettings, settingErrors, storedSettingErrors } from '#catalogue';
import type { StoredSettings } from '#directory';
import { readServiceSettings } from '#policy';
import { settings as rows } from '../settings.ts';

/** All settings of the service while it runs. */
export type Live = LiveSettings<typeof rows>;

/**
 * Puts in force what the directory keeps of the service's settings. What does not fit counts as not kept, and the log says why.
 *
 * @see docs/decisions/0024-settings-at-run-time.md
 */
export function storedSettings(live: Live, log?: Pick<Log, 'warn'>): StoredSettings {
  const isPinned = (name: string) => live.origins.get(name) === 'environment';
  let before = '[]';
  return {
    isPinned,
    take(texts) {
      const said = JSON.stringify(texts);
      // A new schema has all of it read again.
      if (said === before) return;
      before = said;
      const { values, faults } = readServiceSettings(rows, texts, live.given['global.mode']);
      live.apply(values);
      for (const { name, why, isForDevelopment } of faults) {
        log?.warn(
          isForDevelopment === true ? storedSettingErrors.settingForDevelopmentIgnored : storedSettingErrors.settingIgnored,
          `${name} ${why}`,
        );
      }
      for (const name of values.keys()) {
        if (isPinned(name)) log?.warn(settingErrors.settingOverruled, `${name}: ${settingErrors.settingOverruled.means}`);
      }
    },
  };
}
