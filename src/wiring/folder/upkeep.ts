import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { systemClock } from '#base';
import { describeSettingProblem, type GivenOrigins, Refusal, readSettings } from '#catalogue';
import type { BackedUp, ExaminationOptions, Examined, OpenedLog, Repaired, Restored } from '#commands';
import { changeRecords, countPasswords, createIndexer, createJudge, createLargeRules, indexVersion, judgeLogged } from '#directory';
import { failedMailRows, mailFaults } from '#mail';
import { backUp, countKept, examineBeside, examineDirectory, openHistory, repairIndexes, restore } from '#store';
import { settings as rows } from '../../settings.ts';
import { begin } from '../begin.ts';
import type { AtriumOptions, Settings } from '../foundation.ts';
import { directoryFile, realmsOfDamaged, schemaOf, schemaOfDamaged, settingsOfDamaged, stateFile } from '../installation.ts';
import { sealerOf } from '../sealing.ts';

/**
 * Looks for damage in the files of a folder, each as it stands at one moment. Nothing is written, and a service may be running on it: this
 * process is one more reader of its files.
 */
export async function examineFolder(options: AtriumOptions, { tell, onProgress }: ExaminationOptions): Promise<Examined> {
  return await onFolder(options, ({ root, dataDir, settings: given, origins }) => {
    const schema = schemaOfDamaged({ root, settings: given });
    const settings = settingsOfDamaged({ root, settings: given, origins }, schema);
    const realms = realmsOfDamaged({ root, settings }, schema);
    const judge = createJudge(schema, realms, sealerOf(settings));
    const passwords = countPasswords();
    const seen = examineDirectory(join(dataDir, directoryFile), {
      indexer: createIndexer(schema),
      large: createLargeRules(schema),
      indexVersion,
      cacheMib: settings['persistence.pageCacheMib'],
      judge: (entry, ...place) => {
        passwords.see(entry);
        return judge(entry, ...place);
      },
      judgeLogged,
      tell,
      onProgress,
    });
    for (const kind of ['state', 'audit'] as const) {
      const path = join(dataDir, `${kind}.sqlite`);
      if (existsSync(path)) examineBeside(path, kind, tell);
    }
    const state = join(dataDir, stateFile);
    const mailsFailed = existsSync(state) ? countKept(state, failedMailRows, (options.clock ?? systemClock).nowMs(), tell) : 0;
    const faults = realms.all.flatMap(({ id, suffix, settings: own }) =>
      mailFaults(id, suffix.text, own as Settings, { service: settings, dataDir }).map((fault) => `Mail of the realm ${id}: ${fault}.`),
    );
    return { kind: 'examined', ...seen, passwords: passwords.counts, mailsFailed, mailFaults: faults } as const;
  });
}

/** Makes the indexes anew. The folder must be nobody else's meanwhile. */
export async function repairFolder(options: AtriumOptions): Promise<Repaired> {
  const there = await onFolder(options, () => ({ kind: 'there' }) as const);
  if (there.kind !== 'there') return there;
  const begun = await begin(options, async ({ root, dataDir, settings }) => {
    const schema = schemaOfDamaged({ root, settings });
    repairIndexes(join(dataDir, directoryFile), { indexer: createIndexer(schema), large: createLargeRules(schema), indexVersion });
  });
  if (begun.kind === 'refused') return begun;
  await begun.open.disposeAsync();
  return { kind: 'repaired' };
}

/** Opens the change log of a folder as it stands at this moment. A service may be running on the folder: this process only reads. */
export async function openChangeLog(options: AtriumOptions): Promise<OpenedLog> {
  return await onFolder(options, ({ root, dataDir, settings }) => {
    const schema = schemaOf({ root, settings });
    const { close, changes, ...history } = openHistory(join(dataDir, directoryFile));
    const read = function* (afterNumber: number) {
      for (const change of changes(afterNumber)) {
        const { number, csn, uuid: entryUuid } = change;
        yield { number, csn, entryUuid, records: changeRecords(schema, change) };
      }
    };
    return { kind: 'open', log: { ...history, changes: read, [Symbol.dispose]: close } } as const;
  });
}

/** Copies the entries as they stand at this moment into a new file. A service may be running on the folder: this process only reads. */
export async function backUpFolder(
  options: AtriumOptions,
  file: string,
  onProgress: (done: number, total: number) => void,
): Promise<BackedUp> {
  return await onFolder(
    options,
    async ({ dataDir }) => ({ kind: 'backedUp', ...(await backUp(join(dataDir, directoryFile), file, onProgress)) }) as const,
  );
}

/**
 * Puts a backup into a folder. The audit trail stays and tells of it; short-lived state does not, so that every session ends.
 *
 * @param replace  moves entries and state that are there into a folder of their own inside the data folder
 */
export async function restoreFolder(
  options: AtriumOptions,
  from: string,
  { replace, onProgress }: { readonly replace: boolean; readonly onProgress: (done: number, total: number) => void },
): Promise<Restored> {
  const begun = await begin(options, async ({ dataDir, clock, audit }): Promise<Restored> => {
    const files = { directory: join(dataDir, directoryFile), state: join(dataDir, stateFile) };
    const occupied = Object.values(files).some((path) => existsSync(path));
    if (occupied && !replace) return { kind: 'occupied' };
    const nowMs = clock.nowMs();
    const aside = join(dataDir, `replaced-${new Date(nowMs).toISOString().replaceAll(':', '-')}`);
    const restored = await restore({ ...files, from, aside, epochMin: Math.floor(nowMs / 1000), onProgress });
    const summary = `restored ${basename(from)}: ${restored.entries} entries up to change ${restored.number}; epoch ${restored.epoch} begins`;
    audit.record({ ...byService, action: 'directory.restore', outcome: 'success', summary });
    return { kind: 'restored', ...restored, aside: occupied ? aside : undefined };
  });
  if (begun.kind === 'refused') return begun;
  await begun.open.disposeAsync();
  return begun.made;
}

/** The operator at the command line, as audit rows name what the service does by itself. */
const byService = { realm: 'default', door: 'service', subject: '', correlationId: '', address: '' };

interface Folder {
  readonly root: string;
  readonly dataDir: string;
  readonly settings: Settings;
  readonly origins: GivenOrigins;
}

type Refused = { readonly kind: 'refused'; readonly lines: readonly string[] };

/** Does something with the files of a folder, without taking the folder. */
async function onFolder<T>(
  { root, environment }: AtriumOptions,
  act: (folder: Folder) => T | Promise<T>,
): Promise<T | Refused | { readonly kind: 'absent' }> {
  const { values, origins, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const dataDir = resolve(root, values['global.dataDir']);
  if (!existsSync(join(dataDir, directoryFile))) return { kind: 'absent' };
  try {
    return await act({ root, dataDir, settings: values, origins });
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', lines: [error.message] };
    throw error;
  }
}
