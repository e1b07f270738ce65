import { dirname, relative } from 'node:path';
import { type Call, descriptorOf, stringsOf } from './trace.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}
export type FileChange = Span &
  ({ readonly kind: 'write'; readonly offset: number; readonly data: Buffer } | { readonly kind: 'cut'; readonly length: number });

/** A file whatever its names: what was written to it, and when it was put on disk. */
export interface TracedFile {
  readonly changes: FileChange[];
  readonly syncs: Span[];
}

/** Names that come and go in a folder at once. */
export interface NameChange extends Span {
  readonly names: readonly (readonly [name: string, what: TracedFile | 'folder' | undefined])[];
}

export interface TracedFolder {
  readonly changes: NameChange[];
  readonly syncs: Span[];
}

/** Everything that happened below one folder, by path relative to it; the folder itself is ''. */
export interface Disk {
  readonly folders: Map<string, TracedFolder>;
  /** Begins and ends of what put something on disk: the instants that matter most. */
  readonly syncs: Span[];
}

type Open =
  | { readonly kind: 'file'; readonly file: TracedFile; position: number }
  | { readonly kind: 'folder'; readonly folder: TracedFolder };

/** Follows system calls and keeps what they did below a folder, which must be empty before the first. */
export function followDisk(root: string): { readonly disk: Disk; take(call: Call): void } {
  const folders = new Map<string, TracedFolder>([['', { changes: [], syncs: [] }]]);
  const disk: Disk = { folders, syncs: [] };
  const open = new Map<number, Open>();
  /** Names as a running system sees them. */
  const current = new Map<string, TracedFile | 'folder'>();

  const rootHex = [...Buffer.from(root)].map((octet) => `\\x${octet.toString(16).padStart(2, '0')}`).join('');
  /** What the service does to the folder by a way that is not followed would make the trace worthless. */
  const mustBeElsewhere = (call: Call) => {
    if (call.args.includes(rootHex)) throw new Error(`the trace has a call that nobody follows: ${call.name}, line ${call.end}`);
  };
  const opened = (call: Call): Open | undefined => {
    const target = open.get(descriptorOf(call.args));
    // A socket has no path in its place.
    if (target === undefined && call.args.startsWith(`${descriptorOf(call.args)}<${rootHex}`)) mustBeElsewhere(call);
    return target;
  };
  const inside = (path: Buffer | undefined): string | undefined => {
    const text = path?.toString() ?? '';
    if (text !== root && !text.startsWith(`${root}/`)) return undefined;
    return relative(root, text);
  };
  const rename = (call: Call, changes: readonly (readonly [path: string, what: TracedFile | 'folder' | undefined])[]) => {
    const byFolder = Map.groupBy(changes, ([path]) => (dirname(path) === '.' ? '' : dirname(path)));
    for (const [folder, named] of byFolder) {
      const names = named.map(([path, what]) => [path.slice(folder === '' ? 0 : folder.length + 1), what] as const);
      folders.get(folder)?.changes.push({ start: call.start, end: call.end, names });
    }
    for (const [path, what] of changes) {
      if (what === undefined) current.delete(path);
      else current.set(path, what);
    }
  };

  const openPath = (call: Call) => {
    const path = inside(stringsOf(call.args)[0]);
    if (path === undefined) return;
    const isFolder = path === '' || current.get(path) === 'folder';
    if (isFolder) {
      const folder = folders.get(path);
      if (folder !== undefined) open.set(call.result, { kind: 'folder', folder });
      return;
    }
    let file = current.get(path);
    if (file === undefined || file === 'folder') {
      if (!call.args.includes('O_CREAT')) throw new Error(`the trace opens a file that it never made: ${path}`);
      file = { changes: [], syncs: [] };
      rename(call, [[path, file]]);
    } else if (call.args.includes('O_TRUNC')) file.changes.push({ kind: 'cut', length: 0, start: call.start, end: call.end });
    open.set(call.result, { kind: 'file', file, position: 0 });
  };

  const write = (call: Call, at: number | undefined) => {
    const target = opened(call);
    if (target?.kind !== 'file' || call.result <= 0) return;
    const data = Buffer.concat(stringsOf(call.args)).subarray(0, call.result);
    const offset = at ?? target.position;
    if (at === undefined) target.position += data.length;
    target.file.changes.push({ kind: 'write', offset, data, start: call.start, end: call.end });
  };

  const sync = (call: Call) => {
    const target = opened(call);
    if (target === undefined) return;
    const span = { start: call.start, end: call.end };
    disk.syncs.push(span);
    (target.kind === 'file' ? target.file : target.folder).syncs.push(span);
  };

  /** Paths of a call relative to the folder; those that begin at a descriptor are put together with its path. */
  const paths = (call: Call): (string | undefined)[] => {
    const strings = stringsOf(call.args);
    if (!call.name.endsWith('at') && !call.name.endsWith('at2')) return strings.map(inside);
    return strings.map((path) =>
      path[0] === slash ? inside(path) : inside(Buffer.concat([folderOfDescriptor(call.args), Buffer.of(slash), path])),
    );
  };

  const take = (call: Call) => {
    if (call.result < 0) return;
    switch (call.name) {
      case 'openat':
      case 'open':
      case 'creat':
        openPath(call);
        return;
      case 'close':
        open.delete(descriptorOf(call.args));
        return;
      case 'pwrite64':
        write(call, Number(/, (\d+)$/.exec(call.args)?.[1]));
        return;
      case 'pwritev':
      case 'pwritev2':
        write(call, Number(/\], \d+, (\d+)/.exec(call.args)?.[1]));
        return;
      case 'write':
      case 'writev':
        write(call, undefined);
        return;
      case 'ftruncate': {
        const target = opened(call);
        const length = Number(/, (\d+)$/.exec(call.args)?.[1]);
        if (target?.kind === 'file') target.file.changes.push({ kind: 'cut', length, start: call.start, end: call.end });
        return;
      }
      case 'fsync':
      case 'fdatasync':
        sync(call);
        return;
      case 'mkdir':
      case 'mkdirat': {
        const [path] = paths(call);
        if (path === undefined) return;
        if (path !== '') rename(call, [[path, 'folder']]);
        folders.set(path, { changes: [], syncs: [] });
        return;
      }
      case 'unlink':
      case 'unlinkat':
      case 'rmdir': {
        const [path] = paths(call);
        if (path !== undefined && current.has(path)) rename(call, [[path, undefined]]);
        return;
      }
      case 'rename':
      case 'renameat':
      case 'renameat2':
      case 'link':
      case 'linkat': {
        const [from, to] = paths(call);
        const what = from === undefined ? undefined : current.get(from);
        // Sockets are not followed: they mean nothing on a disk.
        if (from === undefined || to === undefined || what === undefined) return;
        rename(
          call,
          call.name.startsWith('link')
            ? [[to, what]]
            : [
                [from, undefined],
                [to, what],
              ],
        );
        return;
      }
      case 'sendto':
      case 'sendmsg':
        return;
      default:
        mustBeElsewhere(call);
    }
  };
  return { disk, take };
}

const slash = 0x2f;

/** `21<\x2f\x74…>`: the path behind the descriptor that a call begins at. */
function folderOfDescriptor(args: string): Buffer {
  const hex = /^[^<,]*<((?:\\x[0-9a-f]{2})+)>/.exec(args)?.[1] ?? '';
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
