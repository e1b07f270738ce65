import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const tools = join(root, 'node_modules/.bin');
const running = new Set<ChildProcess>();

export interface Ended {
  readonly status: number | null;
  /** Standard output and error as they came. */
  readonly said: string;
}

/**
 * Runs one of the project's tools with the project's Node.
 *
 * @param heard  called with each piece of standard output, which is then not kept
 */
export function run(
  tool: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  heard?: (text: string) => void,
): Promise<Ended> {
  const child = spawn(join(tools, tool), args, {
    cwd: root,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (heard === undefined) said += text;
    else heard(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      running.delete(child);
      resolve({ status, said });
    });
  });
}

/** Ends what is running; for a signal. */
export function stopAll(): void {
  for (const child of running) child.kill('SIGTERM');
}

/** Settings of whoever runs the suite must not reach the services that tests start. Programs run by name find the pinned Node first. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('STS_'));
  return { ...Object.fromEntries(kept), PATH: `${tools}${delimiter}${process.env['PATH'] ?? ''}` };
}
