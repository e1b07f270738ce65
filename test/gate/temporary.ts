import { readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const memory = '/dev/shm';
/** Far more than the files of tests that run side by side ever are. */
const roomOctetsMin = 2 * 2 ** 30;

/** What is known of the folder in memory. */
export interface Room {
  /** `/proc/mounts` as text. */
  readonly mounts: string;
  /** What may still be written there, and what memory the machine has for it. */
  readonly octets: readonly number[];
}

/**
 * Where the files of tests are, all of which are gone with the run: in memory, so that nothing waits for a disk. What is proved about disks is proved on
 * one all the same (`test/support/disk.ts`). Whoever names a folder in TMPDIR has it.
 */
export function temporaryFolder(): string {
  return process.env['TMPDIR'] === undefined && isRoomy(look()) ? memory : tmpdir();
}

/** False, too, where no program may be started from there, as in most containers. */
export function isRoomy({ mounts, octets }: Room): boolean {
  const [, , type, options = ''] =
    mounts
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, path]) => path === memory) ?? [];
  const flags = options.split(',');
  return type === 'tmpfs' && flags.includes('rw') && !flags.includes('noexec') && Math.min(...octets) >= roomOctetsMin;
}

function look(): Room {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return { mounts: readFileSync('/proc/mounts', 'utf8'), octets: [bavail * bsize, freemem()] };
  } catch {
    return { mounts: '', octets: [0] };
  }
}
