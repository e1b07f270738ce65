import type { Commits } from './commits.ts';
import type { GramMerge } from './gram-merge.ts';
import type { Reader } from './reader.ts';
import type { BulkResult, Change, Expectation } from './types.ts';

interface Desk {
  readonly commits: Pick<Commits, 'push'>;
  readonly merge: Pick<GramMerge, 'isFull' | 'addedInBulk'>;
  readonly reader: Pick<Reader, 'keepUp'>;
}

/** A commit of very many new entries. Who brings more of them waits here, and nobody else, until what searches need of those before is in place. */
export async function commitInBulk(
  { commits, merge, reader }: Desk,
  expected: readonly Expectation[],
  changes: readonly Change[],
): Promise<BulkResult> {
  while (merge.isFull) await new Promise<void>((resolve) => setImmediate(resolve));
  const result = await commits.push(expected, changes, true);
  if (result.kind === 'committed') {
    merge.addedInBulk(changes.length);
    reader.keepUp();
  }
  return result;
}
