import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { observeAnswer, observeLog } from './observed.ts';

const root = dirname(dirname(import.meta.dirname));
const cli = join(root, 'atrium.mjs');

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that is running. */
export interface RunningCli {
  readonly child: ChildProcess;
  /** Resolves when standard output holds the words; rejects when the command ends before. */
  until(words: string): Promise<string>;
  readonly ended: Promise<Ended>;
}

/** Starts `atrium` with an environment of its own: nothing of the tests' own settings reaches it. */
export function startCli(args: readonly string[], environment: Readonly<Record<string, string>>, input?: string): RunningCli {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input ?? '');
  let stdout = '';
  let stderr = '';
  const waiting = new Set<() => void>();
  const hear = (append: (text: string) => void) => (chunk: Buffer) => {
    append(chunk.toString());
    observeLog(chunk.toString());
    for (const line of chunk.toString().split('\n')) observeAnswer(line);
    for (const look of waiting) look();
  };
  child.stdout.on(
    'data',
    hear((text) => (stdout += text)),
  );
  child.stderr.on(
    'data',
    hear((text) => (stderr += text)),
  );
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  const until = (words: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (!stdout.includes(words)) return;
        waiting.delete(look);
        resolve(stdout);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended before it said ${words}: ${stdout}${stderr}`)));
    });
  return { child, until, ended };
}

/** Runs a command to its end. */
export function runCli(args: readonly string[], environment: Readonly<Record<string, string>>, input?: string): Promise<Ended> {
  return startCli(args, environment, input).ended;
}
