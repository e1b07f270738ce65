#!/usr/bin/env node
import { dirname } from 'node:path';
import { systemClock } from '#base';
import { processEnvironment } from '#catalogue';
import { dispatch } from '#commands';
import { contextOf } from './wiring/command-context.ts';

/** One Ctrl-C arrives several times: from the terminal, and forwarded by npm and by the runner. Above the command, which runs for as long as the service does. */
const sameSignalMs = 1000;

// Whoever reads has gone, head(1) say, or the disk behind it is full: there is nobody to work for.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`atrium: standard output cannot be written: ${error.code}\n`);
  process.exit(1);
});

process.exitCode = await dispatch(
  process.argv.slice(2),
  contextOf({
    given: processEnvironment(),
    root: dirname(import.meta.dirname),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    untilSignal,
  }),
);

/** The first SIGTERM or SIGINT asks for an orderly end; a later one does not wait for it. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedMs: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const nowMs = systemClock.nowMs();
        if (askedMs !== undefined && nowMs - askedMs > sameSignalMs) process.exit(1);
        askedMs ??= nowMs;
        resolve();
      });
    }
  });
}
