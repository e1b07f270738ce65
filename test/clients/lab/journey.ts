import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How one step of a client ended, as its program told it. */
export interface Step {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not offered';
  /** Why it failed, or what the root DSE did not list. */
  readonly why: string;
}

const outcomes = { ok: 'passed', no: 'failed', '--': 'not offered' } as const;
const timeoutDefaultMs = 120_000;
const outputMax = 4000;

/**
 * Runs one client's program. It prints a line a step, with tabs: `ok NAME`, `no NAME WHY` or `-- NAME WHAT`, and `end` when it is through.
 *
 * @param program      the interpreter
 * @param args         what it runs
 * @param environment  where the directory is
 * @param timeoutMs    after which it is ended
 * @returns its steps, and one that failed when it did not come to its end
 */
export async function runJourney(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  timeoutMs = timeoutDefaultMs,
): Promise<Step[]> {
  const child = spawn(program, args, {
    cwd: import.meta.dirname,
    // The machine's own settings for LDAP clients do not count.
    env: {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      HOME: '/nonexistent',
      LDAPNOINIT: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  const [status, signal] = await once(child, 'close');
  process.off('exit', kill);
  const lines = said.stdout.split('\n');
  const steps = lines.map(readStep).filter((step) => step !== undefined);
  if (lines.includes('end') && status === 0) return steps;
  const why = `ended with ${signal ?? status} before its end: ${said.stderr.trim().slice(-outputMax)}`;
  return [...steps, { name: 'the program', outcome: 'failed', why }];
}

function readStep(line: string): Step | undefined {
  const [mark = '', name, why = ''] = line.split('\t');
  const outcome = outcomes[mark as keyof typeof outcomes];
  return outcome === undefined || name === undefined ? undefined : { name, outcome, why };
}
