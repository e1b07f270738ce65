import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { ask, Connection } from './connection.ts';
import { search } from './requests.ts';

/** A server under measurement. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Who may write, for the rows that modify. */
  readonly adminDn: string;
  readonly adminPassword: string;
  /** From starting the program to its first answer. */
  readonly startS: number;
  /** Watches the event loop from now on, where the server has one; what comes back ends that. */
  readonly watchLoop?: () => Promise<() => Promise<LoopDelay>>;
  stop(): Promise<void>;
}

/** How late the event loop of a server was, in milliseconds. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** One of the two that are compared, with a database of its own on disk. */
export interface Peer {
  readonly name: 'Atrium' | 'slapd';
  /** Fills an empty database from LDIF; what was there before goes. */
  load(ldifFile: string): Promise<Spent>;
  /** Writes everything that the database holds as LDIF. The server must not run. */
  dump(ldifFile: string): Promise<Spent>;
  /** @param watched  so that its event loop can be watched, which costs a little at the start */
  start(threads: number, watched: boolean): Promise<Server>;
}

/** What a program needed from its start to its end. */
export interface Spent {
  readonly seconds: number;
  readonly processorMs: number;
  readonly peakMib: number;
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

const living = new Set<ChildProcess>();

function spawnQuiet(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}

/** Ends whatever runs, at once: for who is told to stop in the middle. */
export function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

const pollMs = 5;
const startMaxMs = 120_000;

/**
 * Starts a server and waits until it answers a request: who listens need not be able to answer yet.
 *
 * @returns `said` gives the last of what it wrote on standard error
 */
export async function startServer(
  command: string,
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; startS: number; said: () => string }> {
  const begunMs = performance.now();
  const child = spawnQuiet(command, args, env);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4096);
  });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${said}`);
    if (performance.now() - begunMs > startMaxMs) throw new Error(`${command} does not answer on port ${port}: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return { child, startS: (performance.now() - begunMs) / 1000, said: () => said };
}

/** Whether the root DSE can be read. RFC 4512 §5.1. */
async function answers(port: number): Promise<boolean> {
  try {
    using connection = await Connection.open(port);
    const { responses } = await ask(connection, {
      ...search('', { kind: 'present', description: 'objectClass' }, ['supportedLDAPVersion']),
      scope: 'base',
    });
    return responses.some(({ kind }) => kind === 'searchResultEntry');
  } catch {
    return false;
  }
}

export function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** What is to be done when a measurement is over. */
export interface Ends {
  /** What was put later is done earlier. */
  push(...ends: readonly (() => unknown)[]): void;
  /** Does all of it, once. */
  end(): Promise<void>;
}

/** Has it done as well when somebody ends the measurement by a signal: whatever runs is killed first. */
export function createEnds(): Ends {
  const stack = new AsyncDisposableStack();
  let over: Promise<void> | undefined;
  const end = () => {
    over ??= stack.disposeAsync();
    return over;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      killAll();
      void end().finally(() => process.exit(1));
    });
  }
  return {
    push: (...ends) => {
      for (const act of ends)
        stack.defer(async () => {
          await act();
        });
    },
    end,
  };
}

const watchMs = 20;

/** Runs a program to its end. Processor time and memory are those last seen before it ended. @throws Error when it fails */
export function runProgram(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Spent> {
  const begunMs = performance.now();
  const child = spawnQuiet(command, args, env);
  let said = '';
  let spent = { processorMs: 0, peakMib: 0 };
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4096);
  });
  const watch = setInterval(() => {
    const { pid = 0 } = child;
    // Between its end and our hearing of it a process has used nothing.
    spent = { processorMs: Math.max(spent.processorMs, processorMs(pid)), peakMib: Math.max(spent.peakMib, peakMib(pid)) };
  }, watchMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      clearInterval(watch);
      if (status === 0) resolve({ seconds: (performance.now() - begunMs) / 1000, ...spent });
      else reject(new Error(`${command} ended with ${status}: ${said}`));
    });
  });
}

let tickMs: number | undefined;

/** Processor time that a process has used, user and system, in milliseconds (proc(5): in clock ticks). 0 when it has ended. */
export function processorMs(pid: number): number {
  tickMs ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK']).toString());
  // The name of the program, in brackets, may itself hold spaces and brackets.
  const fields = procFile(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  return mib(pid, 'VmRSS');
}

/** That part of it which the process keeps for itself, without pages of files, which the system may take back. */
export function anonymousMib(pid: number): number {
  return mib(pid, 'RssAnon');
}

function peakMib(pid: number): number {
  return mib(pid, 'VmHWM');
}

function mib(pid: number, name: string): number {
  const kib = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(procFile(pid, 'status'))?.[1];
  return Math.round(Number(kib ?? 0) / 1024);
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
