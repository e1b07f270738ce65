import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { findProgram, type Program, programs } from '../support/programs.ts';

const policy = '/usr/sbin/policy-rc.d';

export interface Installed<Name extends string = string> {
  /** What is still not there. */
  readonly missing: readonly Name[];
  /** What to run by hand to have it; absent when nothing is missing. */
  readonly command?: string;
  /** What the package manager said when it failed. */
  readonly said?: string;
}

/** Brings in the programs that tests need: `installMissing` for all of `programs`. */
export function installPrograms(): Installed<Program> {
  return installMissing(programs, (name) => findProgram(name) !== undefined);
}

/**
 * Brings in what is not there, as root on Debian; elsewhere it says what to run. Does nothing when all is there.
 *
 * @param wanted   the Debian packages that bring each thing
 * @param isThere  whether a thing can be used now
 */
export function installMissing<Name extends string>(
  wanted: Readonly<Record<Name, { readonly packages: readonly string[] }>>,
  isThere: (name: Name) => boolean,
): Installed<Name> {
  const look = () => (Object.keys(wanted) as Name[]).filter((name) => !isThere(name));
  const missing = look();
  if (missing.length === 0) return { missing };
  const packages = [...new Set(missing.flatMap((name) => wanted[name].packages))];
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return { missing, command: `sudo ${command}` };

  process.stdout.write(`  installing ${packages.join(', ')} …\n`);
  const said = withoutDaemons(() => install(packages));
  const left = look();
  return left.length === 0 ? { missing: left } : { missing: left, command, ...(said === undefined ? {} : { said }) };
}

/** Debian's slapd starts itself when it is installed, unless a policy says that nothing may be started (101). One that is there already stays. */
function withoutDaemons<Result>(act: () => Result): Result {
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return act();
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}

/** @returns what apt said when it failed */
function install(packages: readonly string[]): string | undefined {
  const apt = (...args: readonly string[]) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const wanted = ['install', '--no-install-recommends', ...packages];
  if (apt(...wanted).status === 0) return undefined;
  // The lists of a fresh machine are empty or old.
  const update = apt('update');
  const second = apt(...wanted);
  return second.status === 0 ? undefined : [update.stderr, second.stdout, second.stderr].join('\n').trim();
}
