import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeSettingProblem, readSettings } from '#catalogue';
import type { OpenedFolder } from '#commands';
import { createDirectory } from '#directory';
import { startListener } from '#listener';
import { createTurns } from '#state';
import { settings as rows } from '../settings.ts';
import { begin } from './begin.ts';
import { commonPasswordsOf, openDirectory, realmMaking } from './below.ts';
import type { AtriumOptions } from './foundation.ts';
import { directoryFile } from './installation.ts';
import { socketFolder } from './locate.ts';
import { openShared } from './shared-state.ts';

/** What a command listens on that asks the folder of a stopped service, in the folder of the web layer's socket: nobody else may enter that. */
const toolSocket = 'tool';

/**
 * Starts what stands below the LDAP interface on the folder of a stopped service, with a private socket in place of every endpoint: whoever
 * connects to it is an operator. The folder is this process's until it is closed. Where there is no directory nothing is made.
 */
export async function openStopped(options: AtriumOptions): Promise<OpenedFolder> {
  // Who runs a command reads its answer on the terminal, and not the log of a service.
  const environment = { ...options.environment, STS_LOG_LEVEL: 'error' };
  const { values, problems } = readSettings(rows, { environment });
  if (problems.length > 0) return { kind: 'refused', lines: problems.map(describeSettingProblem) };
  const file = join(resolve(options.root, values['global.dataDir']), directoryFile);
  if (values['persistence.mode'] === 'memory' || !existsSync(file)) return { kind: 'absent' };

  const begun = await begin({ ...options, environment }, async (foundation) => {
    const { settings, dataDir, audit, clock, chance, open } = foundation;
    const opened = openDirectory(foundation, { realms: await realmMaking(foundation), ...(await commonPasswordsOf(settings)) });
    // What a command does is told of when the service runs again.
    const { outbox, limits, networks } = openShared(foundation, opened);
    const directory = createDirectory({ ...opened, outbox, networks, attempts: createTurns(limits, clock) });
    const folder = join(dataDir, socketFolder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const operators = join(folder, toolSocket);
    const listener = await startListener({ directory, endpoints: { operators }, limits: settings, audit, clock, chance });
    open.defer(() => listener.stop());
    return operators;
  });
  if (begun.kind === 'refused') return begun;
  return { kind: 'open', socketPath: begun.made, close: () => begun.open.disposeAsync() };
}
