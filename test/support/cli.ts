import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type Context, dispatch } from '#commands';
import { contextOf } from '../../src/wiring/command-context.ts';
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
  const hearTo = (append: (text: string) => void) => (chunk: Buffer) => {
    append(chunk.toString());
    hear(chunk.toString());
    for (const look of waiting) look();
  };
  child.stdout.on(
    'data',
    hearTo((text) => (stdout += text)),
  );
  child.stderr.on(
    'data',
    hearTo((text) => (stderr += text)),
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

/** Runs a command to its end, in a process of its own. */
export function spawnCli(args: readonly string[], environment: Readonly<Record<string, string>>, input?: string): Promise<Ended> {
  return startCli(args, environment, input).ended;
}

/** The standard streams of a command. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Calls a command in this process. @returns its exit status */
export function callCli(args: readonly string[], environment: Readonly<Record<string, string>>, streams: Streams): Promise<number> {
  const never = () => new Promise<void>(() => undefined);
  const context = contextOf({
    given: environment,
    root,
    ...(streams as unknown as Pick<Context, keyof Streams>),
    untilSignal: never,
  });
  return dispatch(args, context);
}

/**
 * Runs a command to its end in this process: all of it but the start of the process, which costs more than most commands. Each command is run as a
 * process, too, by one of its examples (`test/commands/examples.test.ts`); a test whose subject is the process, or what ends it, calls `spawnCli`.
 */
export async function runCli(args: readonly string[], environment: Readonly<Record<string, string>>, input = ''): Promise<Ended> {
  const [stdout, stderr] = [keeping(), keeping()];
  const streams = { stdin: Readable.from([input], { objectMode: false }), stdout: stdout.stream, stderr: stderr.stream };
  const status = await callCli(args, environment, streams);
  // Some commands never wait: whoever calls one again and again until something else is over would not hear of it.
  await setImmediate();
  const ended = { status, stdout: stdout.said(), stderr: stderr.said() };
  hear(ended.stdout);
  hear(ended.stderr);
  return ended;
}

/** A stream that keeps what is written to it. */
function keeping() {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      pieces.push(Buffer.from(piece));
      done();
    },
  });
  return { stream, said: () => Buffer.concat(pieces).toString() };
}

function hear(text: string): void {
  observeLog(text);
  for (const line of text.split('\n')) observeAnswer(line);
}
