import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeSettingProblem, Refusal, readSettings } from '#catalogue';
import type { ExaminationOptions, Examined, Repaired } from '#commands';
import { createIndexer, createJudge, indexVersion } from '#directory';
import { examineBeside, examineDirectory, repairIndexes } from '#store';
import { schemaOf } from './below.ts';
import type { AtriumOptions, Settings } from './foundation.ts';
import { begin } from './main.ts';
import { settings as rows } from './tables.ts';

/** The file of entries in a data folder. */
const directoryFile = 'directory.sqlite';

/**
 * Looks for damage in the files of a folder, each as it stands at one moment. Nothing is written, and a service may be running on it: this
 * process is one more reader of its files.
 */
export function examineFolder(options: AtriumOptions, { tell, onProgress }: ExaminationOptions): Examined {
  return onFolder(options, ({ root, dataDir, settings }) => {
    const schema = schemaOf(root);
    const judge = createJudge(schema, settings['realms.defaultSuffix']);
    const seen = examineDirectory(join(dataDir, directoryFile), { indexer: createIndexer(schema), indexVersion, judge, tell, onProgress });
    for (const kind of ['state', 'audit'] as const) {
      const path = join(dataDir, `${kind}.sqlite`);
      if (existsSync(path)) examineBeside(path, kind, tell);
    }
    return { kind: 'examined', ...seen };
  });
}

/** Makes the indexes anew. The folder must be nobody else's meanwhile. */
export async function repairFolder(options: AtriumOptions): Promise<Repaired> {
  const there = onFolder(options, () => ({ kind: 'there' }) as const);
  if (there.kind !== 'there') return there;
  const begun = await begin(options, async ({ root, dataDir }) => {
    repairIndexes(join(dataDir, directoryFile), { indexer: createIndexer(schemaOf(root)), indexVersion });
  });
  if (begun.kind === 'refused') return begun;
  await begun.open.disposeAsync();
  return { kind: 'repaired' };
}

interface Folder {
  readonly root: string;
  readonly dataDir: string;
  readonly settings: Settings;
}

type Refused = { readonly kind: 'refused'; readonly lines: readonly string[] };

/** Does something with the files of a folder, without taking the folder. */
function onFolder<T>({ root, environment }: AtriumOptions, act: (folder: Folder) => T): T | Refused | { readonly kind: 'absent' } {
  const { values, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const dataDir = resolve(root, values['global.dataDir']);
  if (!existsSync(join(dataDir, directoryFile))) return { kind: 'absent' };
  try {
    return act({ root, dataDir, settings: values });
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}
