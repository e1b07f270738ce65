import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A system call as strace wrote it down, its two halves put together when another thread's line came between. */
export interface Call {
  /** Lines of the log: what ended before another began happened before it. */
  readonly start: number;
  readonly end: number;
  /** The number that the system gives the thread. */
  readonly thread: string;
  readonly name: string;
  /** All between the brackets, strings in hex. */
  readonly args: string;
  /** What it returned, or -1. */
  readonly result: number;
  /** True when strace made it fail. */
  readonly injected: boolean;
}

/** What changes files and folders, what puts them on disk, and what is sent to clients. */
const traced = [
  'openat,open,creat,close',
  'pwrite64,pwritev,pwritev2,write,writev,sendto,sendmsg,copy_file_range,sendfile',
  'ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range,sync,syncfs,msync',
  'rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,mkdir,mkdirat,rmdir',
].join();

/** Longer than anything that is written at once: a log with a cut string would be worthless. */
const stringOctetsMax = 64 * 1024 * 1024;

/**
 * The program and arguments under which to start a service. It stays the child of who starts it (`-D`), and everything it writes is in the log
 * whole, in hex.
 *
 * @param injections  as in strace's manual, `fdatasync:error=EIO:when=3`
 */
export function straceTo(log: string, injections: readonly string[] = []): readonly string[] {
  const inject = injections.flatMap((each) => ['-e', `inject=${each}`]);
  return [
    'strace',
    '-D',
    '-f',
    '-yy',
    '-xx',
    '-qq',
    '--seccomp-bpf',
    '-s',
    String(stringOctetsMax),
    '-o',
    log,
    '-e',
    `trace=${traced}`,
    ...inject,
  ];
}

/** Reads the calls of a log, in the order in which they ended, but for those of `close`: these stand where they began. */
export async function* readCalls(log: string): AsyncGenerator<Call> {
  const callOf = callsInLines();
  for await (const text of createInterface({ input: createReadStream(log), crlfDelay: Number.POSITIVE_INFINITY })) {
    const call = callOf(text);
    if (call !== undefined) yield call;
  }
}

const unfinished = '<unfinished ...>';

/** @returns what is to be given the lines of a log one by one, and gives the call that ended with a line */
export function callsInLines(): (text: string) => Call | undefined {
  const begun = new Map<string, { readonly name: string; readonly args: string; readonly start: number }>();
  let line = 0;
  return (text) => {
    line++;
    const space = text.indexOf(' ');
    const thread = text.slice(0, space);
    const rest = text.slice(space).trimStart();
    if (rest.startsWith('+++') || rest.startsWith('---')) return undefined;
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest);
    if (rest.endsWith(unfinished)) {
      const open = rest.indexOf('(');
      const half = { name: rest.slice(0, open), args: rest.slice(open + 1, -unfinished.length).trimEnd(), start: line };
      // A descriptor is free as soon as a close has begun: another thread may have been given it before the line that ends the close.
      if (half.name === 'close') return { ...half, end: line, thread, result: 0, injected: false };
      begun.set(thread, half);
      return undefined;
    }
    if (resumed?.[1] === 'close') return undefined;
    const first = resumed === null ? undefined : begun.get(thread);
    begun.delete(thread);
    if (resumed !== null && first === undefined) throw new Error(`line ${line} of the trace ends what never began`);
    const open = rest.indexOf('(');
    const name = first?.name ?? rest.slice(0, open);
    const body = first === undefined ? rest.slice(open + 1) : `${first.args}${rest.slice(resumed?.[0].length)}`;
    // Strings are in hex: the first bracket that something equals is the call's own.
    const end = body.search(/\)\s+= /);
    const result = /= (-?\d+)/.exec(body.slice(end));
    // A call that the end of the process cut short: `= ?`.
    if (end < 0 || result === null) return undefined;
    return {
      start: first?.start ?? line,
      end: line,
      thread,
      name,
      args: body.slice(0, end),
      result: Number(result[1]),
      injected: body.endsWith('(INJECTED)'),
    };
  };
}

/** The octets of a string in hex, as strace prints them: `\x2f\x74`. */
export function octetsOf(hex: string): Buffer {
  if (hex.includes('...')) throw new Error('strace cut a string');
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

/** The strings among the arguments of a call, in order. */
export function stringsOf(args: string): Buffer[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, hex = '', cut]) => {
    if (cut !== undefined) throw new Error('strace cut a string');
    return octetsOf(hex);
  });
}

/** The descriptor that is a call's first argument. */
export function descriptorOf(args: string): number {
  return Number.parseInt(args, 10);
}
