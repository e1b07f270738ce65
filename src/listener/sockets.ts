import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';

/** How a Unix socket is guarded: by its own permissions, or by those of a folder that holds nothing else. */
export type Guard = 'file' | 'folder';

/** What `sun_path` holds, its final NUL left out. */
const pathOctetsMax = process.platform === 'linux' ? 107 : 103;

/**
 * Lets a server listen on a Unix socket that nobody but this user can ever open.
 *
 * Without a folder of its own the socket is bound inside one of mode 0700 and moved to its place when its own permissions stand: bound in its
 * place, it would be open to whoever the process's umask lets in until they do.
 *
 * @throws Error when something listens there, or what is there is no socket; a socket that a dead process left is replaced
 */
export async function listenOnPath(server: Server, path: string, guard: Guard): Promise<void> {
  const folder = dirname(path);
  if (guard === 'folder') {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  await removeDead(path);
  if (guard === 'folder') return bindSocket(server, path);

  const nursery = mkdtempSync(join(folder, '.s'));
  try {
    const born = join(nursery, 's');
    await bindSocket(server, born);
    renameSync(born, path);
  } finally {
    rmSync(nursery, { recursive: true, force: true });
  }
}

async function bindSocket(server: Server, path: string): Promise<void> {
  const octets = Buffer.byteLength(path);
  if (octets > pathOctetsMax) throw new Error(`${path} has ${octets} octets, and the path of a Unix socket at most ${pathOctetsMax}`);
  await listening(server, () => server.listen(path));
  chmodSync(path, 0o600);
}

/** Resolves when the server listens, rejects when it cannot. */
export function listening(server: Server, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => {
      server.removeListener('listening', begun);
      reject(error);
    };
    const begun = () => {
      server.removeListener('error', failed);
      resolve();
    };
    server.once('error', failed).once('listening', begun);
    start();
  });
}

/** Removes the socket of this path; it may be gone already. */
export function removeSocket(path: string): void {
  rmSync(path, { force: true });
}

async function removeDead(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('something that is no socket is there');
  if (await answers(path)) throw new Error('another process listens there');
  unlinkSync(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const tell = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => tell(true)).once('error', () => tell(false));
  });
}
