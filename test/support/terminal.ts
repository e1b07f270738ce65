import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

const cli = join(dirname(dirname(import.meta.dirname)), 'atrium.mjs');

/** A command on a terminal of its own (script, of util-linux). */
export interface OnTerminal {
  /** Resolves with all that the terminal showed when it shows the words behind what was waited for before. */
  until(words: string): Promise<string>;
  type(text: string): void;
  /** What it showed, and the exit status. */
  readonly ended: Promise<{ readonly status: number | null; readonly shown: string }>;
}

/** @param line  what stands behind `atrium`, for a shell; `columns` of the terminal */
export function onTerminal(line: string, environment: Readonly<Record<string, string>>, columns = 80): OnTerminal {
  const command = `stty cols ${columns}; exec '${process.execPath}' '${cli}' ${line}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let shown = '';
  let from = 0;
  let look = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text.replaceAll('\r\n', '\n');
    look();
  });
  const ended = new Promise<{ status: number | null; shown: string }>((resolve) =>
    child.once('close', (status) => resolve({ status, shown })),
  );
  return {
    until: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = shown.indexOf(words, from);
          if (at < 0) return;
          from = at + words.length;
          look = () => {};
          resolve(shown);
        };
        look();
        void ended.then(() => reject(new Error(`it ended before it showed ${words}: ${shown}`)));
      }),
    type: (text) => void child.stdin.write(text),
    ended,
  };
}
