import type { Sealer, SealingKey } from '#keys';
import { formatDn, formatLdifRecord, type LdifContent } from '#ldap';
import type { Schema } from '#schema';
import { canonicalAttributes, isWanted, type Wanted } from './canonical.ts';
import { createNaming, type NamedEntry } from './named.ts';
import { type LeftOut, resealed } from './sealing.ts';

/** A realm as it stands at one moment. */
export interface RealmEntries extends Disposable {
  readonly id: string;
  readonly suffix: string;
  readonly schema: Schema;
  /** Opens sealed values. */
  readonly stored: Sealer;
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

/**
 * A realm as LDIF, a record at a time, in the one order that there is for the same content.
 *
 * @param way  the key under which sealed values go
 * @param leftOut  what had to be left out of what was wanted
 */
export async function* realmText(
  { schema, stored, definitions, entries }: RealmEntries,
  wanted: Wanted,
  way: SealingKey | undefined,
  leftOut: LeftOut,
): AsyncGenerator<string> {
  if (definitions !== undefined)
    yield formatLdifRecord({ ...definitions, attributes: canonicalAttributes(schema, definitions.attributes) });
  const nameOf = createNaming(schema);
  const isPart = isWanted(wanted);
  for await (const entry of entries()) {
    const { attributes } = wanted.secrets ? resealed(schema, entry, { stored, way }, leftOut) : entry;
    const dn = formatDn(nameOf(entry));
    yield formatLdifRecord({ kind: 'content', line: 0, dn, attributes: canonicalAttributes(schema, attributes, isPart) });
  }
}
