import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { testEnvironment } from '../support/atrium.ts';
import { diskFolder } from '../support/disk.ts';
import { checkService } from './check.ts';
import { checkFolder } from './folder.ts';
import { type Load, startLoad } from './load.ts';
import type { Step } from './model.ts';
import { type Server, startServer } from './server.ts';
import type { World } from './world.ts';

/** What one round is given. */
export interface Round {
  readonly seed: number;
  /** The folder of the code to run: the project's, or a sabotaged copy. */
  readonly code: string;
  /** Threads that serve LDAP beside the main one, until it fails. */
  readonly workers: number;
  /** An empty folder for what the round needs; it is removed after the round. */
  readonly folder: string;
}

/** What one round saw, when all was as it must be. */
export interface Seen {
  readonly answers: number;
  readonly failures: number;
}

/** Something was not as it must be. */
export class TortureFailure extends Error {
  constructor(faults: readonly string[]) {
    super(faults.slice(0, faultsShown).join('\n') + (faults.length > faultsShown ? `\n… and ${faults.length - faultsShown} more` : ''));
  }
}

const faultsShown = 6;

export const projectRoot = dirname(dirname(import.meta.dirname));
export const suffix = 'dc=example,dc=com';
export const lanesCount = 4;

const { STS_ADMIN_BOOTSTRAP_PASSWORD: password = '' } = testEnvironment('');
export const administrator = { dn: `uid=admin,ou=people,${suffix}`, password };

/** Where the data folder is on a disk that loses power: the service makes the folders above it, and their names must last, too. */
export const placeOnDisk = join('var', 'atrium');

/** Runs something in a folder of its own that is gone afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeFolder();
  try {
    return await run(folder);
  } finally {
    dropFolder(folder);
  }
}

export const makeFolder = (): string => mkdtempSync(join(diskFolder(), 'atrium-torture-'));
export const dropFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Changes everything at once until so many are answered. The service and the load go on. */
export async function loadUntil(
  world: World,
  server: Server,
  seed: number,
  answers: number,
  excused: readonly number[] = [],
): Promise<Load> {
  const load = await startLoad({ world, port: server.port, ...administrator, seed, excused });
  await load.reached(answers);
  return load;
}

export const wasAnswered = ({ code, shownBy }: Step) => code !== undefined || shownBy.length > 0;

/** @throws TortureFailure when there are faults */
export function mustBeFaultless(faults: readonly string[]): void {
  if (faults.length > 0) throw new TortureFailure(faults);
}

/**
 * Starts a service on a folder that a failure left, holds what it shows against the model, ends it, and holds the parts of the folder
 * against each other.
 *
 * @throws TortureFailure
 */
export async function checkAfterFailure(world: World, code: string, dataDir: string, answered: (step: Step) => boolean): Promise<void> {
  const server = await startServer({ code, dataDir });
  try {
    const { faults } = await checkService(world, { port: server.port, ...administrator }, answered);
    mustBeFaultless(faults);
    const { status, said } = await server.stop();
    if (status !== 0) throw new TortureFailure([`the service ended with ${status}: ${said}`]);
  } catch (error) {
    if (error instanceof TortureFailure) throw error;
    throw new TortureFailure([`${error instanceof Error ? error.message : String(error)}\n${server.said()}`]);
  } finally {
    await server.kill();
  }
  mustBeFaultless(await checkFolder(dataDir, world.used));
}
