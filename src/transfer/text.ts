import { formatDn, formatLdifRecord, type LdifContent } from '#ldap';
import type { Schema } from '#schema';
import { canonicalAttributes, isWanted, type Wanted } from './canonical.ts';
import { createNaming, type NamedEntry } from './named.ts';

/** A realm as it stands at one moment. */
export interface RealmEntries extends Disposable {
  readonly id: string;
  readonly suffix: string;
  readonly schema: Schema;
  /** The definitions that were added at run time, by which what follows is read. */
  readonly definitions: LdifContent | undefined;
  /** Suffixes of realms that lie inside its tree and are not of it. */
  readonly inside: readonly string[];
  /** How many entries there are, more or less. */
  readonly count: number;
  /** In the order of their names, with all that is kept of them. */
  entries(): AsyncGenerator<NamedEntry>;
}

/** `absent` when there are no files of entries, `unknown` when no realm has that id. */
export type OpenedRealm =
  | { readonly kind: 'open'; readonly realm: RealmEntries }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly lines: readonly string[] };

/** A realm as LDIF, a record at a time, in the one order that there is for the same content. */
export async function* realmText({ schema, definitions, entries }: RealmEntries, wanted: Wanted): AsyncGenerator<string> {
  if (definitions !== undefined)
    yield formatLdifRecord({ ...definitions, attributes: canonicalAttributes(schema, definitions.attributes) });
  const nameOf = createNaming(schema);
  const isPart = isWanted(wanted);
  for await (const entry of entries()) {
    const attributes = canonicalAttributes(schema, entry.attributes, isPart);
    yield formatLdifRecord({ kind: 'content', line: 0, dn: formatDn(nameOf(entry)), attributes });
  }
}
