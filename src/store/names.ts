import { existsSync, linkSync, renameSync } from 'node:fs';
import { basename } from 'node:path';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import { inWords, reasonOf } from './reasons.ts';

/** File systems without hard links: memory sticks, some shares. */
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK']);

/** Gives a file its name unless another has it. */
export function placeNew(fresh: string, path: string): void {
  if (linked(fresh, path)) return;
  if (existsSync(path)) throw refuse(errors.backupFailed, { file: basename(path), why: inWords('EEXIST') });
  renameSync(fresh, path);
}

/** Gives a file a second name, where the file system knows such; false where not. */
export function linked(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch (error) {
    if (!linkless.has(reasonOf(error))) throw error;
    return false;
  }
}
