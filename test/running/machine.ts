import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../clients/programs/steps.ts';

const outputMax = 4000;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A copy of this machine that systemd has booted. */
export interface Machine extends AsyncDisposable {
  /** Runs commands as root, as an administrator's shell would. @returns what they said. @throws Error with that when one of them fails */
  sh(commands: string): string;
  /** Puts a file there, or lines behind what it holds. */
  write(file: string, text: string, place: 'the whole file' | 'at the end'): void;
}

/**
 * Boots one; it is gone when it is disposed of, or with this process.
 *
 * @param shared  folders that can be read inside, each as FROM:TO
 */
export async function bootMachine(shared: readonly string[]): Promise<Machine> {
  const place = mkdtempSync(join(tmpdir(), 'atrium-booted-'));
  // Nothing is mounted on it out here.
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  const boot = spawn('unshare', ['--mount', 'sh', join(import.meta.dirname, 'boot.sh'), place, ...shared], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(boot.stdout.setEncoding('utf8'), 'data');
  const init = await until('the machine', async () => initOf(String(line).trim()));
  const run = (commands: string, input = '') => {
    const inside = ['--target', init, '--all', 'env', '-i', `PATH=${path}`, 'HOME=/root', 'LANG=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive'];
    const { status, stdout, stderr } = spawnSync('nsenter', [...inside, 'bash', '-e', '-c', commands], { encoding: 'utf8', input });
    const said = `${stdout}${stderr}`;
    if (status !== 0) throw new Error(`ended with ${status}: ${commands}\n${said.slice(-outputMax)}`);
    return said;
  };
  await until('systemd', async () => /running|degraded/.exec(run('systemctl is-system-running || true'))?.[0]);
  return {
    sh: run,
    write: (file, text, where) => void run(`mkdir -p ${dirname(file)}; cat ${where === 'at the end' ? '>>' : '>'} ${file}`, text),
    [Symbol.asyncDispose]: async () => {
      const ended = once(boot, 'exit');
      boot.stdin.end();
      await ended;
    },
  };
}

/** The first process inside, once it is systemd: what makes the machine has others before. */
function initOf(nspawn: string): string | undefined {
  const children = readFileSync(`/proc/${nspawn}/task/${nspawn}/children`, 'utf8').match(/\d+/g) ?? [];
  return children.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'systemd');
}
