import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { testEnvironment } from '../support/atrium.ts';

/** A whole Atrium in a process of its own. */
export interface Server {
  readonly port: number;
  /** Its main thread, as a trace numbers it: it is the child of this process, with or without a tracer. */
  readonly thread: string;
  readonly ended: Promise<Ended>;
  /** What it said so far, both streams. */
  said(): string;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<Ended>;
  /** SIGTERM, and waits for an orderly end. */
  stop(): Promise<Ended>;
}

export interface Ended {
  readonly status: number | null;
  readonly said: string;
}

export interface ServerOptions {
  /** The folder of the code to run: the project's, or a copy of it. */
  readonly code: string;
  readonly dataDir: string;
  /** Threads that serve LDAP beside the main one. */
  readonly workers?: number;
  /** A program with arguments to run it under: strace. It must leave the service this process's own child. */
  readonly under?: readonly string[];
}

/** The service did not say that it is ready. */
export class NotStarted extends Error {}

const root = dirname(dirname(import.meta.dirname));
const startTimeoutMs = 60_000;
const endTimeoutMs = 30_000;
const running = new Set<ChildProcess>();
process.on('exit', killAll);

/** Ends every service that this process started: for a signal. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Starts one. @throws NotStarted with what it said */
export async function startServer({ code, dataDir, workers = 0, under = [] }: ServerOptions): Promise<Server> {
  const [program = process.execPath, ...args] = [...under, process.execPath, join(code, 'atrium.mjs'), 'serve'];
  const child = spawn(program, args, {
    env: {
      ...testEnvironment(dataDir),
      // A small log is carried over often, grams are put in place all the time, and larger commits take some turns, so that failures meet that, too.
      STS_PERSISTENCE_WAL_MIB: '1',
      STS_PERSISTENCE_TURN_CHANGES_MAX: '2',
      STS_PERSISTENCE_GRAMS_PENDING_MAX: '8',
      STS_LDAP_WORKERS: String(workers),
      STS_LOG_LEVEL: 'error',
      // What is compiled of a copy goes with the copy: nobody runs it again.
      ...(code === root ? {} : { NODE_COMPILE_CACHE: join(code, 'compiled') }),
      PATH: process.env['PATH'] ?? '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let said = '';
  let heard = Promise.withResolvers<void>();
  const hear = (chunk: Buffer) => {
    said += chunk.toString();
    heard.resolve();
    heard = Promise.withResolvers();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  // `close` comes when a tracer has ended, too: its log is then whole.
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      running.delete(child);
      resolve({ status, said });
      heard.resolve();
    });
  });
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    const result = await within(endTimeoutMs, ended);
    if (result !== undefined) return result;
    child.kill('SIGKILL');
    throw new Error(`it did not end after ${signal}: ${said}`);
  };

  const deadline = AbortSignal.timeout(startTimeoutMs);
  for (;;) {
    const port = /^ready ldap:\/\/localhost:(\d+) /m.exec(said)?.[1];
    if (port !== undefined) {
      const own = { port: Number(port), thread: String(child.pid), ended, said: () => said };
      return { ...own, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
    }
    if (!running.has(child)) throw new NotStarted(`the service does not start: ${said}`);
    if (deadline.aborted) {
      await end('SIGKILL');
      throw new NotStarted(`the service is not ready after ${startTimeoutMs} ms: ${said}`);
    }
    await within(startTimeoutMs, heard.promise);
  }
}

/** What a promise gives, or `undefined` when it takes longer. */
export async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = wait(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}
