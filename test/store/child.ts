import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

/** A process of its own that runs a script of `children/`. */
export interface Child {
  readonly pid: number | undefined;
  /** What it printed, on both streams. */
  readonly output: string;
  /** Resolves with the exit status, undefined after a signal. */
  readonly ended: Promise<number | undefined>;
  /** Resolves when it has printed the text; rejects when it ends without. */
  said(text: string): Promise<void>;
  say(text: string): void;
  /** SIGKILL: nothing of it gets to run any more. */
  kill(): void;
}

export function child(t: ExecutionContext, script: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(`./children/${script}.ts`, import.meta.url));
  const process_ = spawn(process.execPath, ['--expose-gc', path, ...args]);
  t.teardown(() => process_.kill('SIGKILL'));
  let output = '';
  const waiting = new Set<() => void>();
  const heard = (chunk: Buffer) => {
    output += chunk.toString();
    for (const look of waiting) look();
  };
  process_.stdout.on('data', heard);
  process_.stderr.on('data', heard);
  // A killed process does not read what it was told last.
  process_.stdin.on('error', () => undefined);
  const ended = new Promise<number | undefined>((resolve) => process_.on('close', (status) => resolve(status ?? undefined)));
  return {
    pid: process_.pid,
    get output() {
      return output;
    },
    ended,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!output.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without ${text}: ${output}`)));
      }),
    say: (text) => void process_.stdin.write(`${text}\n`),
    kill: () => void process_.kill('SIGKILL'),
  };
}
