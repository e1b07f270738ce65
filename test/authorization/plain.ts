/**
 * A directory as plain texts: what the oracle reasons about. Names are written in one way only, in lower case and without spaces between their
 * parts, and no value of one holds a comma: two names are the same when their texts are.
 */
export interface PlainEntry {
  readonly dn: string;
  /** Under the names that the schema gives them first, with the values as they are stored; of operational attributes those that rules speak of. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export interface PlainRealm {
  readonly suffix: string;
  /** The built-in administrator. */
  readonly administrator: string;
}

export interface PlainWorld {
  /** The default realm first. */
  readonly realms: readonly PlainRealm[];
  /** By name. */
  readonly entries: ReadonlyMap<string, PlainEntry>;
  readonly anonymousRead: 'none' | 'public';
  /** Within a transaction, the one before it: rules, and who belongs to which group, are those of that one. */
  readonly before?: PlainWorld;
}

/** Who asks, and how they came in. */
export interface Asker {
  /** Somebody with an entry, nobody, or one of the two sockets by itself. */
  readonly kind: 'entry' | 'anonymous' | 'operators' | 'web';
  /** Of `entry`. */
  readonly dn?: string;
  /** The words of strength that hold, `session`, `two-factors` and `fresh:N` aside. */
  readonly cameInBy?: 'app-password' | 'own-password' | 'certificate' | 'operators';
  readonly session?: { readonly factors: number; readonly ageS: number };
  /** Who really came in, where they act for `dn` by proxied authorization; the strength is theirs. */
  readonly through?: string;
  readonly address: string;
  readonly loopback: boolean;
  readonly secure: boolean;
}

export function parentOf(dn: string): string {
  return dn.slice(dn.indexOf(',') + 1 || dn.length);
}

export function isWithin(dn: string, base: string): boolean {
  return dn === base || dn.endsWith(`,${base}`);
}

export function inScope(scope: 'base' | 'one' | 'sub' | 'children', dn: string, base: string): boolean {
  switch (scope) {
    case 'base':
      return dn === base;
    case 'one':
      return dn !== base && parentOf(dn) === base;
    case 'sub':
      return isWithin(dn, base);
    case 'children':
      return dn !== base && isWithin(dn, base);
  }
}

/** The realm that owns a name: the one with the longest suffix. */
export function realmOf({ realms }: PlainWorld, dn: string): PlainRealm | undefined {
  return realms.filter(({ suffix }) => isWithin(dn, suffix)).sort((a, b) => b.suffix.length - a.suffix.length)[0];
}

export function valuesOf(entry: PlainEntry, name: string): readonly string[] {
  return entry.attributes[name] ?? [];
}

/** The groups of a realm that somebody belongs to: those that name them, and, where it is wanted, those that name these. */
export function groupsOf(world: PlainWorld, dn: string, nested: boolean, realm: PlainRealm | undefined): ReadonlySet<string> {
  const { entries } = world;
  const found = new Set<string>();
  const reached = [dn];
  for (const each of reached) {
    for (const group of entries.values()) {
      if (
        found.has(group.dn) ||
        realmOf(world, group.dn) !== realm ||
        ![...valuesOf(group, 'member'), ...valuesOf(group, 'uniqueMember')].includes(each)
      )
        continue;
      found.add(group.dn);
      if (nested) reached.push(group.dn);
    }
  }
  return found;
}
