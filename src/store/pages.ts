import type { ChangeRecord } from './types.ts';

/** Pages of a change that does not stand alone: of entry, log and some index rows. */
const pagesOfChange = 32;
/** Octets of an entry's change on one page: it is written to the entry and to the log. */
const octetsOfPage = 4096;
/** Of a value of a list: its slice and its index row. */
const pagesOfValue = 2;
/** Of a piece of merging, at most. */
export const pagesOfPiece = 512;

/** About how many pages changes have written. */
export function pagesOf(written: readonly (readonly ChangeRecord[])[]): number {
  let pages = 0;
  for (const changes of written) {
    for (const { change } of changes) {
      pages += pagesOfChange;
      if (change.kind === 'amend')
        pages += pagesOfValue * change.lists.reduce((sum, { removed, added }) => sum + removed.length + added.length, 0);
      if (change.kind === 'put') pages += (change.entry.user.length + change.entry.operational.length) / octetsOfPage;
    }
  }
  return pages;
}
