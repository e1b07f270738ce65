import { createLdifText } from '#ldap';
import type { Dump } from '#store';

/** Entries as LDIF. */
export interface DumpedText {
  readonly text: Uint8Array<ArrayBuffer>;
  readonly entries: number;
}

const textOctets = 524_288;

export interface Dumper {
  /** The text of entries by their row numbers, above one and up to another: what `exportEntries` gives, for files that are straight. */
  text(afterId: number, lastId: number): DumpedText;
  /** Gives the buffer of a text back that nobody needs any more. */
  reuse(buffer: ArrayBuffer): void;
}

/** @param operational  with what the directory keeps of entries by itself */
/** @param left  attributes that are left out, in lower case */
export function createDumper(dump: Dump, left: ReadonlySet<string> | undefined): Dumper {
  const ldif = createLdifText(textOctets, left);

  function large(afterId: number, lastId: number): number {
    const entries = dump.entries(afterId, lastId);
    for (const entry of entries) {
      const [dn, attributes, large] = entry;
      if (large === null) ldif.entry(dn, attributes);
      else {
        const { user, lists, more } = dump.large(entry);
        ldif.largeEntry(dn, user, lists, more);
      }
    }
    return entries.length;
  }

  return {
    text(afterId, lastId) {
      const records = dump.records(afterId, lastId);
      const entries = records === undefined ? large(afterId, lastId) : ldif.entries(records);
      return { text: ldif.take(), entries };
    },
    reuse: ldif.reuse,
  };
}
