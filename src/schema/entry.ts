import type { Dn, PartialAttribute } from '#ldap';

/** An entry's attributes. Keys: canonical attribute name in lower case, options sorted behind it (`cn;lang-de`). */
export type EntryAttributes = ReadonlyMap<string, PartialAttribute>;

/** An entry as the directory works on it: parsed name, values as given and in order, keyed by lower-case description with options. */
export interface Entry {
  readonly uuid: string;
  readonly dn: Dn;
  /** The DN as text, case and spacing as given. */
  readonly dnText: string;
  readonly attributes: EntryAttributes;
}
