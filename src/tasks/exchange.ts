import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '#catalogue';
import { isTaskFile } from '#directory';
import { errors } from './errors.ts';

/** A file that is read, and stays the same one when somebody takes its name away. */
export interface GivenFile extends Disposable {
  readonly octets: number;
  /** Another one when it is another file, or was changed. */
  readonly mark: string;
  /** From its beginning. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** A file that is made. It has its name when it is whole, and not before. */
export interface MadeFile {
  write(octets: Uint8Array): Promise<void>;
  end(): Promise<void>;
  drop(): void;
}

/** The folder by which files come in and go out. Nobody gets out of it by a name, and what is a link is not followed. */
export interface Exchange {
  /** @throws Refusal `taskFile` */
  open(name: string): GivenFile;
  /** A small file in one piece; nothing where there is none. @throws Refusal `taskFile` when it is larger */
  small(name: string, octetsMax: number): Uint8Array | undefined;
  /** @throws Refusal `taskFile` when it is there already */
  make(name: string): MadeFile;
  /** Where a file that is not there yet would lie. @throws Refusal `taskFile` */
  free(name: string): string;
  /** An empty file for what a task keeps while it runs: it has no name, and goes with its descriptor. */
  scratch(name: string): number;
  /** Removes a file that was for one task alone; one that is not there is no matter. */
  remove(name: string): void;
  /** Removes LDIF that came over the management API and was last written to before a time, in milliseconds since 1970. @returns how many files */
  removeUploads(keeps: ReadonlySet<string>, beforeMs: number): number;
  /** Removes what is left of a file that was not made to its end. */
  forget(name: string): void;
}

/** As the management API names what is uploaded (`src/admin/operations/ldif-task.ts`). */
const upload = /^import-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.ldif$/;
const readOctets = 1_048_576;
const readSome = promisify(read);

/** A stream would close the file with whoever leaves it early. */
async function* chunksOf(file: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await readSome(file, Buffer.allocUnsafe(readOctets), 0, readOctets, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** @param folder  is made, for its owner alone, when it is not there */
export function openExchange(folder: string): Exchange {
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  function placeOf(name: string): string {
    if (!isTaskFile(name)) throw refuse(errors.taskFile, { file: name, why: 'that is no name within the folder' });
    if (!lstatSync(folder).isDirectory()) throw refuse(errors.taskFile, { file: name, why: 'exchange is no folder' });
    return join(folder, name);
  }
  const part = (name: string) => join(folder, `.${name}.part`);
  const tried = <T>(name: string, act: () => T): T => {
    try {
      return act();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      const why = code === 'ENOENT' ? 'there is no such file' : code === 'EEXIST' ? 'there is such a file' : code;
      throw refuse(errors.taskFile, { file: name, why });
    }
  };
  const free = (name: string): string => {
    const path = placeOf(name);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw refuse(errors.taskFile, { file: name, why: 'there is such a file' });
    return path;
  };

  return {
    open(name) {
      const path = placeOf(name);
      // Neither a link nor a pipe that nobody writes to.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const file = tried(name, () => openSync(path, flags));
      const stat = fstatSync(file);
      if (!stat.isFile()) {
        closeSync(file);
        throw refuse(errors.taskFile, { file: name, why: 'it is no ordinary file' });
      }
      return {
        octets: stat.size,
        mark: `${stat.ino} ${stat.size} ${stat.mtimeMs}`,
        chunks: () => chunksOf(file),
        [Symbol.dispose]: () => closeSync(file),
      };
    },
    small(name, octetsMax) {
      const path = placeOf(name);
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
      const file = tried(name, () => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
      try {
        const stat = fstatSync(file);
        if (!stat.isFile() || stat.size > octetsMax) throw refuse(errors.taskFile, { file: name, why: 'it is no small ordinary file' });
        return readFileSync(file);
      } finally {
        closeSync(file);
      }
    },
    free,
    make(name) {
      const path = free(name);
      rmSync(part(name), { force: true });
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const file = tried(name, () => openSync(part(name), flags, 0o600));
      const stream = createWriteStream(part(name), { fd: file, flush: true });
      let failure: Error | undefined;
      stream.on('error', (error) => {
        failure = error;
      });
      const told = (done: (callback: (error?: Error | null) => void) => void) =>
        new Promise<void>((resolve, reject) => {
          if (failure !== undefined) return reject(failure);
          done((error) => (error ? reject(error) : resolve()));
        });
      return {
        write: (octets) => told((callback) => stream.write(octets, callback)),
        async end() {
          await told((callback) => stream.end(callback));
          // A link, unlike a rename, takes nothing's place.
          tried(name, () => linkSync(part(name), path));
          rmSync(part(name), { force: true });
        },
        drop() {
          stream.destroy();
          rmSync(part(name), { force: true });
        },
      };
    },
    scratch(name) {
      placeOf(name);
      rmSync(part(name), { force: true });
      const file = tried(name, () =>
        openSync(part(name), constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600),
      );
      rmSync(part(name));
      return file;
    },
    remove: (name) => rmSync(placeOf(name), { force: true }),
    removeUploads(keeps, beforeMs) {
      const old = readdirSync(folder).filter((name) => {
        if (!upload.test(name) || keeps.has(name)) return false;
        const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
        return stat?.isFile() === true && stat.mtimeMs < beforeMs;
      });
      for (const name of old) rmSync(join(folder, name), { force: true });
      return old.length;
    },
    forget: (name) => {
      if (isTaskFile(name)) rmSync(part(name), { force: true });
    },
  };
}
