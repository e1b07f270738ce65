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

/** An attribute whose values name entries, as the rule looks at it that follows these from entry to entry. */
export interface ChainedAttribute extends PartialAttribute {
  /** Whether the names lead to the one with this normal form. */
  chained(normal: Uint8Array): boolean;
}

export function isChained(attribute: PartialAttribute): attribute is ChainedAttribute {
  return 'chained' in attribute;
}

/** An attribute that no entry stores: only who names it looks at it, as in slapd. */
export interface WorkedAttribute extends PartialAttribute {
  readonly worked: true;
}

export function isWorked(attribute: PartialAttribute): attribute is WorkedAttribute {
  return 'worked' in attribute;
}

/** An entry as the directory works on it: parsed name, values as given and in order, keyed by lower-case description with options. */
export interface Entry {
  readonly uuid: string;
  readonly dn: Dn;
  /** The DN as text, case and spacing as given. */
  readonly dnText: string;
  readonly attributes: EntryAttributes;
}
