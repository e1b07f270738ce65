import { utf8 } from '#base';
import { decodeAttributes } from '#ldap';
import type { Change } from '#store';
import type { CsnSource } from './csn.ts';

/**
 * Gives the changes of a commit that another thread has decided their numbers, at the moment when they are handed to the store: so the numbers ascend
 * as the commits do. The entries are this thread's own copies, and are written to.
 */
export function stamped(changes: readonly Change[], source: CsnSource): readonly Change[] {
  return changes.map((change) => {
    const csn = source.next();
    if (change.kind === 'delete') return { ...change, csn };
    const value = decodeAttributes(change.entry.operational).find(({ description }) => description === 'entryCSN')?.values[0];
    const octets = utf8(csn);
    if (value?.length !== octets.length) throw new Error('an entry without room for its CSN was to be written');
    value.set(octets);
    return { ...change, entry: { ...change.entry, csn } };
  });
}
