import { createLdifText } from '#ldap';
import type { Dump } from '#store';

/** Entries as LDIF. */
export interface DumpedText {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly entries: number;
}

const textOctets = 1_048_576;

/** Makes the text of entries by their row numbers, above one and up to another: what `exportEntries` gives, for files that are `straight`. */
export function createDumper(dump: Dump): (afterId: number, lastId: number) => DumpedText {
  const ldif = createLdifText(textOctets);
  return (afterId, lastId) => {
    const entries = dump.entries(afterId, lastId);
    for (const entry of entries) {
      const [dn, attributes, large] = entry;
      if (large === null) ldif.entry(dn, attributes);
      else {
        const { user, lists, more } = dump.large(entry);
        ldif.largeEntry(dn, user, lists, more);
      }
    }
    return { text: ldif.take(), entries: entries.length };
  };
}
