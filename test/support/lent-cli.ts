import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { callCli } from './cli.ts';

interface Call {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

/**
 * Puts a program `atrium` into a folder whose commands run in this process: in the folder where it is called, with its environment and its standard
 * streams, one at a time. It ends as the command does. A shell sees no difference, and the command line need not be loaded for each call.
 */
export async function lendCli(bin: string): Promise<AsyncDisposable> {
  const socketPath = join(bin, 'calls');
  const server = createServer({ allowHalfOpen: true }, take).listen(socketPath);
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const program = join(import.meta.dirname, 'lent-cli.mjs');
  writeFileSync(join(bin, 'atrium'), `#!/bin/sh\nexec '${process.execPath}' '${program}' '${socketPath}' "$@"\n`, { mode: 0o755 });
  return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** The first line says what is called; what follows is its standard input. */
function take(socket: Socket): void {
  const stdin = new PassThrough();
  let head: Buffer | undefined = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    if (head === undefined) return void stdin.write(piece);
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\n');
    if (end < 0) return;
    stdin.write(head.subarray(end + 1));
    void answer(socket, stdin, JSON.parse(head.subarray(0, end).toString()) as Call);
    head = undefined;
  });
  socket.on('end', () => stdin.end());
}

async function answer(socket: Socket, stdin: PassThrough, { args, environment, folder }: Call): Promise<void> {
  const tell = (kind: 'stdout' | 'stderr' | 'status', value: unknown) => socket.write(`${JSON.stringify([kind, value])}\n`);
  const passing = (kind: 'stdout' | 'stderr') =>
    new Writable({
      write: (piece: Buffer, _encoding, done) => {
        tell(kind, piece.toString('base64'));
        done();
      },
    });
  const stderr = passing('stderr');
  const before = process.cwd();
  process.chdir(folder);
  try {
    tell('status', await callCli(args, environment, { stdin, stdout: passing('stdout'), stderr }));
  } catch (error) {
    // As Node ends a process.
    stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  } finally {
    process.chdir(before);
    socket.end();
  }
}
