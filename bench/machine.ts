import { execFileSync, spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname } from 'node:path';

/** What kind of machine it was: nothing that tells which. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly fileSystem: string;
  readonly node: string;
  readonly slapd: string;
}

export function describeMachine(folder: string): Machine {
  const processors = cpus();
  // -V says the version on standard error.
  const said = spawnSync('/usr/sbin/slapd', ['-VV'], { encoding: 'utf8' }).stderr;
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    fileSystem: fileSystemOf(folder),
    node: process.version,
    slapd: /slapd ([\w.+~-]+)/.exec(said)?.[1] ?? 'unknown',
  };
}

// statfs(2).
const fileSystems = new Map([
  [0x01021994, 'tmpfs'],
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x794c7630, 'overlayfs'],
  [0x2fc12fc1, 'zfs'],
]);

function fileSystemOf(folder: string): string {
  const { type } = statfsSync(folder);
  return fileSystems.get(type) ?? `0x${type.toString(16)}`;
}

/** What was measured: the commit, and whether files differ from it. Without git, none. */
export function describeCommit(): { readonly commit: string; readonly changed: boolean } {
  const root = dirname(import.meta.dirname);
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'schema', 'bench', 'package.json');
    return { commit: git('rev-parse', '--short', 'HEAD'), changed: changed !== '' };
  } catch {
    return { commit: 'none', changed: true };
  }
}
