import { utf8 } from '#base';
import { walkAttributes, walkValues } from '#ldap';
import type { Change, EntryRecord } from '#store';
import type { CsnSource } from './csn.ts';

/**
 * Gives the changes of a commit that was decided before or elsewhere their numbers, at the moment when they are handed to the store: so the numbers ascend
 * as the commits do. The entries are this thread's own copies, and are written to.
 */
export function stamped(changes: readonly Change[], source: CsnSource): readonly Change[] {
  return changes.map((change) => {
    const csn = source.next();
    if (change.kind === 'delete') return { ...change, csn };
    return { ...change, entry: { ...change.entry, csn: putCsn(change.entry, csn) } };
  });
}

/** The CSN that a change gives its entry, or leaves behind where it deletes it. */
export function csnOfChange(change: Change): string {
  return change.kind === 'delete' ? change.csn : change.entry.csn;
}

/** Writes a CSN over the one that an entry has among its operational attributes. */
function putCsn({ operational }: EntryRecord, csn: string): string {
  const octets = utf8(csn);
  let isThere = false;
  walkAttributes(operational, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    if (!isCsn(operational, descriptionStart, descriptionEnd)) return;
    walkValues(operational, valuesStart, valuesEnd, (start, end) => {
      if (end - start !== octets.length) return;
      operational.set(octets, start);
      isThere = true;
    });
  });
  if (!isThere) throw new Error('an entry without room for its CSN was to be written');
  return csn;
}

const description = utf8('entryCSN');

function isCsn(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== description.length) return false;
  for (let i = 0; i < description.length; i++) if (bytes[start + i] !== description[i]) return false;
  return true;
}
