import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { PageStep } from './page.ts';
import type { World } from './world.ts';
import { atriumOnPath } from './world.ts';

const outputMax = 4000;

export interface Ran {
  readonly status: number | null;
  /** Standard output and error as they came. */
  readonly said: string;
}

/** Runs a program to its end. Daemons that it leaves behind may keep its output open: only what is said before its end counts. */
export function runHere(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { input, environment = {}, folder = '/root' } = options;
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: systemPath, HOME: '/root', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10 * outputMax);
    });
  }
  child.stdin.on('error', () => undefined).end(input ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => {
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ status, said });
      });
    });
  });
}

interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Does what a page says, as root of the machine of the program. @throws Error at the first step that fails */
export async function applyStep(step: PageStep, world: World, root: string): Promise<void> {
  if (step.kind === 'entries') await world.change(step.text);
  else if (step.kind === 'file') writeStep(step);
  else {
    const { folder, atrium } = world;
    const there = { PATH: `${atriumOnPath(folder, root)}:${systemPath}`, STS_GLOBAL_DATA_DIR: atrium.dataDir };
    const options = step.kind === 'atrium' ? { folder, environment: there } : { folder };
    const { status, said } = await runHere('bash', ['-e', '-c', step.text], options);
    if (status !== 0) throw new Error(`ended with ${status}: ${step.text}\n${said.slice(-outputMax)}`);
  }
}

function writeStep({ path, place, text }: Extract<PageStep, { kind: 'file' }>): void {
  mkdirSync(dirname(path), { recursive: true });
  const held = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (held === undefined && place !== 'the whole file') throw new Error(`${path} is not there`);
  writeFileSync(path, place === 'at the top' ? text + held : place === 'at the end' ? held + text : text);
}

export const aptFile = '/etc/apt/apt.conf.d/zz-atrium';

/** Has apt find the packages that were fetched, and ask nothing. */
export const aptSettings = (archives: string) =>
  [
    `Dir::Cache::archives "${archives}";`,
    'APT::Get::Assume-Yes "true";',
    'APT::Install-Recommends "false";',
    'APT::Sandbox::User "root";',
    'Debug::NoLocking "true";',
    'Dpkg::Use-Pty "0";',
    'DPkg::Options { "--force-unsafe-io"; "--force-confold"; };',
    '',
  ].join('\n');

/** Has apt find the packages that were fetched, and ask nothing; and has the certificate that Debian makes for a machine, if an image left it out. */
export function prepareMachine(archives: string): void {
  writeFileSync(aptFile, aptSettings(archives));
  // Java's own list of authorities, and manuals.
  for (const path of ['/etc/ca-certificates/update.d/jks-keystore', '/var/lib/man-db/auto-update']) rmSync(path, { force: true });
  const maker = '/usr/sbin/make-ssl-cert';
  if (existsSync(maker) && !existsSync('/etc/ssl/certs/ssl-cert-snakeoil.pem')) spawnSync(maker, ['generate-default-snakeoil']);
}

/** Installs packages that the test needs and the page does not. @throws Error when apt fails */
export function installHere(packages: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('apt-get', ['-qq', 'install', ...packages], {
    encoding: 'utf8',
    env: { PATH: systemPath, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`.slice(-outputMax));
}
