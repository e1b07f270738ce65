import { join, resolve } from 'node:path';
import { describeSettingProblem, readSettings } from '#catalogue';
import type { Located } from '#commands';
import { settings as rows } from '../settings.ts';
import type { AtriumOptions, Settings } from './foundation.ts';

/** The folder of files that tasks take in and give out, inside the data folder. */
export const exchangeFolder = 'exchange';

/** The folder of sockets, inside the data folder: nobody else may enter it. */
export const socketFolder = 'run';

/** Where authenticator metadata are kept, inside the data folder. */
export const metadataFolder = 'metadata';

/** Where a service with these settings is, without starting or opening anything. */
export function locate({ root, environment }: AtriumOptions): Located {
  const { values, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const exchange = resolve(root, values['global.dataDir'], exchangeFolder);
  return {
    kind: 'located',
    suffix: values['realms.defaultSuffix'],
    administratorUid: values['admin.bootstrapUsername'],
    operatorsSocket: operatorsSocketOf(root, values),
    managementSocket: managementSocketOf(resolve(root, values['global.dataDir']), values),
    exchange,
    hashing: {
      queueMax: values['keys.hashQueueMax'],
      costMaxMiB: values['keys.hashCostMaxMiB'],
      foreignRoundsMax: values['keys.foreignRoundsMax'],
    },
  };
}

/** The path of the operators' socket: as given, or inside the data folder. `undefined` when it is switched off. */
export function operatorsSocketOf(root: string, settings: Settings): string | undefined {
  const path = settings['ldap.socket'];
  return path === '' ? undefined : resolve(root, settings['global.dataDir'], path);
}

/** The path of the operators' socket of the management API, beside that of the web layer. `undefined` when operators have none for LDAP either. */
export function managementSocketOf(dataDir: string, settings: Settings): string | undefined {
  return settings['ldap.socket'] === '' ? undefined : join(dataDir, socketFolder, 'api');
}
