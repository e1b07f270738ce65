import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { diskFolder } from '../../support/disk.ts';
import { type Random, randomNumbers } from '../../support/people.ts';
import { checkService } from '../check.ts';
import type { Load } from '../load.ts';
import {
  administrator,
  checkAfterFailure,
  lanesCount,
  loadUntil,
  mustBeFaultless,
  type Round,
  type Seen,
  suffix,
  TortureFailure,
  wasAnswered,
} from '../round.ts';
import { startServer } from '../server.ts';
import { createWorld } from '../world.ts';

/** The answer to a change for which there is no room (LDAP unavailable). */
const notWritten = 52;
const diskMib = 64;
const refusalsWanted = 10;
const answersMax = 4000;
const answersAfter = 60;

/** Why no small disk can be made here. */
export function unavailable(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/proc/mounts')) return 'a tmpfs can be mounted by root on Linux only';
  const folder = mkdtempSync(join(diskFolder(), 'atrium-torture-'));
  try {
    mount(folder);
    execFileSync('umount', [folder]);
    return undefined;
  } catch {
    return 'no tmpfs may be mounted here';
  } finally {
    rmdirSync(folder);
  }
}

/**
 * A disk without room, again and again: changes are answered 52 and nothing of them is kept, reads go on, and when there is room changes
 * succeed. At the end SIGKILL, on the full disk or after.
 */
export async function full({ seed, code, workers, folder }: Round): Promise<Seen> {
  const random = randomNumbers(seed);
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  mount(disk);
  try {
    return await fill(random, { seed, code, workers, folder: disk });
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

async function fill(random: Random, { seed, code, workers, folder }: Round): Promise<Seen> {
  const world = createWorld(suffix, lanesCount);
  const dataDir = join(folder, 'data');
  const ballast = join(folder, 'ballast');
  const times = 1 + random.below(3);
  let answers = 0;
  const server = await startServer({ code, workers, dataDir });
  const through = async (load: Load) => {
    load.stop();
    await load.over;
    mustBeFaultless(load.faults);
    answers += load.answers;
  };
  try {
    await through(await loadUntil(world, server, seed, 1 + random.below(100)));
    for (let time = 1; time <= times; time++) {
      leaveRoom(ballast, folder, random.below(512 * 1024));
      const load = await loadUntil(world, server, seed + 2 * time, 1, [notWritten]);
      const refusals = () => load.codes.get(notWritten) ?? 0;
      while (refusals() < refusalsWanted && load.answers < answersMax && !load.isOver) await load.reached(load.answers + 1);
      if (time === times && random.chance(0.4)) {
        await server.kill();
        await through(load);
        break;
      }
      await through(load);
      if (refusals() < refusalsWanted) throw new TortureFailure(['the disk is full, and changes succeed']);
      const { faults } = await checkService(world, { port: server.port, ...administrator }, wasAnswered);
      mustBeFaultless(faults.map((fault) => `while the disk is full: ${fault}`));

      rmSync(ballast);
      await through(await loadUntil(world, server, seed + 2 * time + 1, answersAfter));
    }
  } finally {
    await server.kill();
  }
  rmSync(ballast, { force: true });
  await checkAfterFailure(world, code, dataDir, wasAnswered);
  return { answers, failures: times };
}

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMib}m`, 'tmpfs', folder], { stdio: 'ignore' });
}

/** Fills a disk up to so many octets, or wholly when the service takes the rest meanwhile. */
function leaveRoom(ballast: string, disk: string, octets: number): void {
  const descriptor = openSync(ballast, 'a');
  try {
    const piece = Buffer.alloc(4096);
    const { bavail, bsize } = statfsSync(disk);
    for (let free = bavail * bsize; free > octets + piece.length; free -= piece.length) writeSync(descriptor, piece);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(descriptor);
  }
}
