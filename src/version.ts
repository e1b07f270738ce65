import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorRow } from '#catalogue';
import { errors } from './errors.ts';

export interface Version {
  /** `M.N`; `0.0` when it is not known. */
  readonly text: string;
  readonly problem?: ErrorRow;
}

/** @see specification document 2, "Versioning" */
export function readVersion(root: string): Version {
  let text: string;
  try {
    text = readFileSync(join(root, 'VERSION'), 'utf8').trim();
  } catch {
    return { text: '0.0', problem: errors.versionMissing };
  }
  return /^\d{1,5}\.\d{1,5}$/.test(text) ? { text } : { text: '0.0', problem: errors.versionMalformed };
}
