import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** A server under measurement. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Who may write, for the rows that modify. */
  readonly adminDn: string;
  readonly adminPassword: string;
  stop(): Promise<void>;
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

const tryEveryMs = 50;
const triesMax = 200;

/** Waits until a port of this machine takes connections. */
export async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    if (await connects(port)) return;
    await new Promise((resolve) => setTimeout(resolve, tryEveryMs));
  }
  throw new Error(`nothing answers on port ${port}`);
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Starts a program and waits until a line of its output says that it may be used. */
export function startProgram(
  command: string,
  args: readonly string[],
  ready: RegExp,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChildProcess> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4096);
      if (ready.test(said)) resolve(child);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`${command} ended with ${status}: ${said}`)));
  });
}

export function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Processor time that a process has used, user and system, in milliseconds (proc(5): clock ticks of 10 ms). */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib ?? 0) / 1024);
}
