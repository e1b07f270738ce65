import type { Dn, PartialAttribute } from '#ldap';
import type { MatchingRule } from './types.ts';

/** An entry's attributes. Keys: canonical attribute name in lower case, options sorted behind it (`cn;lang-de`). */
export type EntryAttributes = ReadonlyMap<string, PartialAttribute>;

/** An attribute with so many values that they are not at hand: they are looked up one by one, or read when there is no other way. */
export interface LargeAttribute extends PartialAttribute {
  /** All of them: read when this is asked for. */
  readonly values: readonly Uint8Array[];
  /** The rule by which `holds` finds a value. */
  readonly rule: MatchingRule;
  /** Whether one of the values has this normal form. */
  holds(normal: Uint8Array): boolean;
  /** Values that a change brings, which no check has seen yet. They differ from all others. */
  readonly fresh: readonly Uint8Array[];
}

export function isLarge(attribute: PartialAttribute): attribute is LargeAttribute {
  return 'holds' in attribute;
}

/** An entry as the directory works on it: parsed name, values as given and in order, keyed by lower-case description with options. */
export interface Entry {
  readonly uuid: string;
  readonly dn: Dn;
  /** The DN as text, case and spacing as given. */
  readonly dnText: string;
  readonly attributes: EntryAttributes;
}
