import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './round.ts';
import type { VariantName } from './variants/index.ts';

/** A text of the code, and another one in its place. */
export interface Patch {
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

interface Sabotage {
  readonly means: string;
  /** The variant that must see it. */
  readonly seenBy: VariantName;
  readonly patches: readonly Patch[];
}

/** What would break the promise. The torture is worth something only if it fails for each of these. */
export const sabotages = {
  'no-sync': {
    means: 'nothing is put on disk before it is answered',
    seenBy: 'power',
    patches: [
      {
        file: 'src/store/wal.ts',
        from: 'export const syncOnDisk: SyncFile = (descriptor, done) => fdatasync(descriptor, done);',
        to: 'export const syncOnDisk: SyncFile = (_descriptor, done) => void setImmediate(done, null);',
      },
    ],
  },
  'answer-early': {
    means: 'it is put on disk, but answered before that is done',
    seenBy: 'power',
    patches: [
      {
        file: 'src/store/commits.ts',
        from: 'this.#options.log.sync((error) => (error === null ? this.#synced(written) : this.die(error)));',
        to: 'this.#options.log.sync((error) => (error === null ? undefined : this.die(error)));\n    this.#synced(written);',
      },
    ],
  },
  'split-modify': {
    means: 'the changes of one modify are two transactions',
    seenBy: 'kill',
    patches: [
      {
        file: 'src/directory/operations/write.ts',
        from: '  const ready = decisionOn(call, op, permit);',
        // Only where each half is good for itself: without a failure nobody sees it.
        to: `  if (op.kind === 'modifyRequest' && op.changes.length > 3) {
    await write(call, { ...op, changes: op.changes.slice(0, 3) }, permit);
    return await write(call, { ...op, changes: op.changes.slice(3) }, permit);
  }
  const ready = decisionOn(call, op, permit);`,
      },
    ],
  },
  'split-transaction': {
    means: 'the updates of one transaction are committed one by one',
    seenBy: 'kill',
    patches: [
      {
        file: 'src/directory/transactions/settle.ts',
        from: '  await commit(engine, (look) => {\n    const all = decideAll(call, look(), ready);',
        to: '  for (const each of ready) await commit(engine, (look) => {\n    const all = decideAll(call, look(), [each]);',
      },
    ],
  },
} as const satisfies Record<string, Sabotage>;

export type SabotageName = keyof typeof sabotages;
export const sabotageNames = Object.keys(sabotages) as SabotageName[];

/** Copies the code into a folder, so that nobody who works on it meanwhile is tested half way. */
export function copyOfCode(folder: string): string {
  const copy = join(folder, 'code');
  for (const part of ['src', 'schema', 'ldif', 'VERSION', 'package.json', 'atrium.mjs']) {
    cpSync(join(projectRoot, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/**
 * Spoils a copy of the code.
 *
 * @throws Error when a patch does not apply any more: then it must be brought up to date, not left out
 */
export function sabotage(name: SabotageName, copy: string): void {
  applyPatches(`the sabotage ${name}`, sabotages[name].patches, copy);
}

/** Puts patches into a copy of the code. @throws Error when one does not apply, with what it is called */
export function applyPatches(what: string, patches: readonly Patch[], copy: string): void {
  for (const { file, from, to } of patches) {
    const path = join(copy, file);
    const pieces = readFileSync(path, 'utf8').split(from);
    if (pieces.length !== 2) throw new Error(`${what} does not fit ${file} any more: its place is there ${pieces.length - 1} times`);
    writeFileSync(path, pieces.join(to));
  }
}
