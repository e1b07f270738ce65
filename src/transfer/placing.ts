import { text } from '#base';
import { refuse } from '#catalogue';
import { type Dn, formatDn, parseDn } from '#ldap';
import { isWithin, type Schema } from '#schema';
import { errors } from './errors.ts';
import { createMapping, type Mapping } from './mapping.ts';
import type { NamedEntry } from './named.ts';
import { keyOfName, notContent } from './realms.ts';

/** The realm that entries of a file are for. */
export interface Destination {
  readonly id: string;
  readonly suffix: string;
  readonly schema: Schema;
  /** Suffixes of realms that lie inside its tree and are not of it. */
  readonly inside: readonly string[];
  /** Whether a file with the realm's own names may have other realms, too, and tasks: who takes the entries judges these. */
  readonly isWhole?: boolean;
}

/** Puts the entries of one file where they belong in a realm, one behind the other. */
export interface Placing {
  /**
   * @returns nothing for what is no content of a realm: entries of other realms, tasks
   * @throws Refusal `transferRefused` with the line for an entry that is not of this realm; `suffixUntold`, for the file
   */
  place(entry: NamedEntry): NamedEntry | undefined;
  /** In place of an entry that cannot be read: where it would have been the first, nothing that only the first one tells is taken from the next. */
  miss(): void;
  /** What was put below another suffix, in a line; nothing where the names are the realm's own. */
  told(): string | undefined;
}

/** The names of a file are below the realm's own suffix, or one that its first entry tells. */
export function createPlacing({ id, suffix, schema, inside, isWhole = false }: Destination): Placing {
  const own = keyOfName(schema, suffix);
  const edges = inside.map((each) => keyOfName(schema, each));
  const leftOut = id === 'default' ? notContent(schema, suffix) : [];
  const isOwn = (key: Uint8Array) => isWithin(key, own) && !edges.some((edge) => isWithin(key, edge));
  let from: string | undefined;
  let isFirst = true;
  let mapping: Mapping | undefined;
  return {
    place(entry) {
      from ??= isOwn(entry.key) ? suffix : toldBy(entry, isFirst);
      if (isWhole && from === suffix) return entry;
      mapping ??= createMapping(schema, from, suffix);
      const placed = mapping.entry(entry);
      if (!isOwn(placed.key)) {
        const { line, dn } = entry;
        throw refuse(errors.transferRefused, { line, dn, why: `it is not of the realm of ${suffix}, nor below ${from}` });
      }
      return leftOut.some((key) => isWithin(placed.key, key)) ? undefined : placed;
    },
    miss() {
      isFirst = false;
    },
    told() {
      if (from === undefined || from === suffix || mapping === undefined) return undefined;
      const counts = [...mapping.mapped].map(([name, count]) => `${name} ${count.toLocaleString('en')}`);
      return `names below ${from} were put below ${suffix}; in values: ${counts.join(', ') || 'none'}`;
    },
  };
}

/** What stands directly below the suffix of a realm, and not above its suffix. */
const standing = new Set(['people', 'groups']);
/** What names people, groups and the like, and no suffix. */
const leaves = new Set(['uid', 'cn']);

/**
 * The suffix of a file whose first entry is this: the entry itself, or what stands behind ou=people and ou=groups. A person may not be taken for a
 * suffix: as such they would be said to be there already, and be left out.
 *
 * @param isFirst  whether nothing stands in front of it
 * @throws Refusal `suffixUntold`
 */
function toldBy({ line, dn }: NamedEntry, isFirst: boolean): string {
  const name: Dn = parseDn(dn) ?? [];
  const type = (rdn: Dn[number] | undefined) => (rdn?.length === 1 ? rdn[0]?.type.toLowerCase() : undefined);
  const at = name.findLastIndex(
    (rdn) => type(rdn) === 'ou' && standing.has((text(rdn[0]?.value ?? new Uint8Array(0)) ?? '').toLowerCase()),
  );
  if (at >= 0 && at + 1 < name.length) return formatDn(name.slice(at + 1));
  if (!isFirst || leaves.has(type(name[0]) ?? '')) throw refuse(errors.suffixUntold, { line, dn });
  return dn;
}
