import { join, resolve } from 'node:path';
import { type Audit, createAudit, createLog, type Log } from '#audit';
import { type Chance, type Clock, systemChance, systemClock } from '#base';
import { createLiveSettings, type Environment, type GivenOrigins, type SettingProblem, type SettingValues } from '#catalogue';
import { systemTimers, type Timers } from '#jobs';
import { checkKek } from '#keys';
import { lockFolder, makeFolder, openAuditStore } from '#store';
import type { settings as rows } from '../settings.ts';
import { readVersion } from '../version.ts';
import type { Live } from './live-settings.ts';

/** All settings of the service, as the gathered rows type them. */
export type Settings = SettingValues<typeof rows>;

export interface AtriumOptions {
  /** The installation's folder, in which `schema/`, `ldif/` and `VERSION` lie. */
  readonly root: string;
  readonly environment: Environment;
  readonly clock?: Clock;
  readonly chance?: Chance;
  readonly timers?: Timers;
  readonly logStream?: NodeJS.WriteStream | NodeJS.WritableStream;
  /** Ends the process when the disk did not confirm a write. */
  readonly die?: () => never;
  /** Told of the audit trail before anything is recorded. */
  readonly heard?: (audit: Audit) => void;
}

/** What every part of the service is given. */
export interface Foundation {
  readonly root: string;
  readonly environment: Environment;
  readonly version: string;
  /** In force now: read when they are needed, since those of rows that say `runtime` change. */
  readonly settings: Settings;
  /** The same with where they come from, and what changes them. */
  readonly live: Live;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly timers: Timers;
  readonly log: Log;
  readonly audit: Audit;
  readonly die: () => never;
  /** What must be closed, in the order in which it was opened; it is closed in the opposite one. */
  readonly open: AsyncDisposableStack;
}

/**
 * Opens what everything else rests on: the log, the folder, the audit trail.
 *
 * @param owns  whether the folder is to be this process's alone; if not, another one has made and locked it
 */
export function openFoundation(
  options: AtriumOptions,
  {
    values,
    origins,
    warnings,
  }: { readonly values: Settings; readonly origins: GivenOrigins; readonly warnings: readonly SettingProblem[] },
  open: AsyncDisposableStack,
  { owns }: { readonly owns: boolean },
): Foundation {
  const live: Live = createLiveSettings(values, origins);
  const settings = live.values;
  const { root, clock = systemClock, chance = systemChance, timers = systemTimers, logStream = process.stderr } = options;
  const mode = settings['global.mode'];
  checkKek(settings['keys.kek'], mode);

  const format = settings['log.format'];
  const log = createLog({
    json: format === 'json' || (format === 'auto' && !('isTTY' in logStream && logStream.isTTY)),
    level: settings['log.level'],
    stream: logStream,
    clock,
    lengthMax: settings['audit.fieldLengthMax'],
  });
  open.defer(() => log.close());
  for (const { code, name, problem } of warnings) log.warn({ code, means: problem, sees: {}, state: 'live' }, `${name}: ${problem}`);
  const version = readVersion(root);
  if (version.problem !== undefined) log.warn(version.problem, version.problem.means);
  if (mode === 'development') log.info('development mode: passwords are not checked, any but "invalid" is accepted');

  const dataDir = resolve(root, settings['global.dataDir']);
  // In memory mode too: the sockets and the certificate are files whatever happens to entries.
  if (owns) makeFolder(dataDir);
  if (owns && settings['persistence.mode'] === 'sqlite') {
    const lock = lockFolder(dataDir, clock);
    open.defer(() => lock.release());
  }
  const rowsOfAudit = openAuditStore({ file: join(dataDir, 'audit.sqlite'), settings });
  open.defer(() => rowsOfAudit.close());
  const audit = createAudit({ sink: rowsOfAudit, log, clock, lengthMax: settings['audit.fieldLengthMax'] });
  open.defer(() => audit.close());
  options.heard?.(audit);

  const die = options.die ?? (() => process.exit(1));
  return {
    root,
    environment: options.environment,
    version: version.text,
    settings,
    live,
    dataDir,
    clock,
    chance,
    timers,
    log,
    audit,
    die,
    open,
  };
}
