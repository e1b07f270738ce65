import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runJourney, type Step } from '../lab/journey.ts';

const root = join(import.meta.dirname, '..', '..', '..');
/** Packages as Debian has them, kept from run to run. */
export const archives = join(root, 'node_modules', '.cache', 'atrium-clients');
const timeoutMs = 600_000;

/** Why no copy of this machine can be made; `undefined` where one can. */
export function whyNoMachine(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make a copy of the machine';
  if (!existsSync('/usr/bin/apt-get')) return 'this is no Debian';
  const tried = spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : `no namespaces may be made here (unshare): ${tried.stderr?.trim() ?? tried.error?.message}`;
}

/**
 * Fetches packages and what they need, without installing any: a copy of the machine has no network.
 *
 * @returns what apt said when it failed
 */
export function fetchPackages(packages: readonly string[]): string | undefined {
  mkdirSync(join(archives, 'partial'), { recursive: true });
  const apt = (...args: readonly string[]) => spawnSync('apt-get', ['-qq', '-y', ...args], { encoding: 'utf8' });
  const wanted = [...archiveOptions, 'install', '--download-only', '--no-install-recommends', ...packages];
  if (apt(...wanted).status === 0) return undefined;
  apt('update');
  const { status, stdout, stderr } = apt(...wanted);
  return status === 0 ? undefined : `${stdout}${stderr}`.trim();
}

// Nothing is installed, so that nobody has to be waited for.
const archiveOptions = ['-o', `Dir::Cache::archives=${archives}`, '-o', 'APT::Sandbox::User=root', '-o', 'Debug::NoLocking=true'];

interface CopyOptions {
  /** As `ldap.workers`. */
  readonly workers: string;
  /** Whether what the program asks is written down for `pages.test.ts`. */
  readonly record: boolean;
}

/**
 * Runs one program's test in a copy of this machine, which is gone afterwards.
 *
 * @returns its steps, or why there could be no copy
 */
export async function runInCopy(name: string, { workers, record }: CopyOptions): Promise<Step[] | { readonly skipped: string }> {
  const place = mkdtempSync(join(tmpdir(), 'atrium-machine-'));
  try {
    const inside = [process.execPath, join(import.meta.dirname, 'children', 'inside.ts'), name, archives];
    const shared = [...new Set([root, archives, dirname(process.execPath)])];
    const environment = {
      LAB_WORKERS: workers,
      LAB_RECORD: record ? join(import.meta.dirname, 'recorded', `${name}.jsonl`) : '',
      NODE_COMPILE_CACHE: join(archives, 'compiled'),
    };
    const unshare = ['--mount', '--pid', '--net', '--fork', '--kill-child', 'sh', join(import.meta.dirname, 'children', 'machine.sh')];
    const steps = await runJourney('unshare', [...unshare, place, ...shared, '--', ...inside], environment, timeoutMs);
    const [first] = steps;
    return steps.length === 1 && first?.why.startsWith('ended with 77') ? { skipped: first.why } : steps;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
