import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { describeSettingProblem, Refusal, readSettings, sizeThreadPool } from '#catalogue';
import type { Located } from '#commands';
import { type AtriumOptions, exchangeFolder, type Foundation, openFoundation, operatorsSocketOf } from './foundation.ts';
import { settings as rows } from './settings.ts';

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
    exchange,
    hashing: {
      queueMax: values['keys.hashQueueMax'],
      costMaxMiB: values['keys.hashCostMaxMiB'],
      foreignRoundsMax: values['keys.foreignRoundsMax'],
    },
  };
}

type Begun<T> =
  | { readonly kind: 'begun'; readonly made: T; readonly open: AsyncDisposableStack }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** Reads the settings and opens the foundation; what `make` opens on it is closed again when something is refused. */
export async function begin<T>(options: AtriumOptions, make: (foundation: Foundation) => Promise<T>): Promise<Begun<T>> {
  sizeThreadPool(availableParallelism() + 2);
  const { values, problems, warnings } = readSettings(rows, { environment: options.environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  await using open = new AsyncDisposableStack();
  try {
    const made = await make(openFoundation(options, values, warnings, open));
    return { kind: 'begun', made, open: open.move() };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}
