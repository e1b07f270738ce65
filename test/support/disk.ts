import { tmpdir } from 'node:os';

/** Names the system's folder for temporary files where the gate has given tests one in memory. */
export const diskFolderEnv = 'ATRIUM_DISK_FOLDER';

/** Where a folder is made in which something is proved about disks: files that are in memory alone have no durability to lose. */
export function diskFolder(): string {
  return process.env[diskFolderEnv] ?? tmpdir();
}
