/** What values of an attribute may look like (RFC 4512 §4.1.5). */
export interface Syntax {
  readonly oid: string;
  readonly name: string;
  /** Whether the octets are a value of this syntax. */
  validate(value: Uint8Array): boolean;
  /** False for octets that no screen can show (`X-NOT-HUMAN-READABLE`). */
  readonly readable: boolean;
  /** OID of the syntax that it is by another name (`X-SUBST`). */
  readonly substitute?: string;
}

/** Where in a substrings assertion a part stands (RFC 4511 §4.5.1.7.2). */
export type Position = 'initial' | 'any' | 'final';

/**
 * How values are compared (RFC 4512 §4.1.3). Every rule brings a value into a normal form once; comparing is then comparing octets:
 * equality by equal octets, ordering by `compareBytes`, substrings by finding one normal form in the other.
 */
export interface MatchingRule {
  readonly oid: string;
  readonly name: string;
  /** `extensible`: neither of the three; no attribute has it, and only an extensible match names it. */
  readonly kind: 'equality' | 'ordering' | 'substrings' | 'extensible';
  /** OID of the syntax that assertions are given in. */
  readonly syntax: string;
  /** OIDs of the syntaxes whose attributes the rule can be used with. */
  readonly appliesTo: readonly string[];
  /** True of the rule that follows names from entry to entry: only who knows the other entries can tell (`ChainedAttribute`). */
  readonly follows?: true;
  /** True when just the values of its syntax have a normal form, so that nobody needs to look at a value twice. */
  readonly judges?: true;
  /** The normal form of a stored value; `undefined` when the octets do not fit the rule. */
  normalize(value: Uint8Array): Uint8Array | undefined;
  /** The normal form of an asserted value, for equality and ordering. Differs from `normalize` only for the FirstComponent rules. */
  assertion(value: Uint8Array): Uint8Array | undefined;
  /** Extensible only: whether a value, in normal form, has what is asserted. */
  satisfies?(normal: Uint8Array, wanted: Uint8Array): boolean;
  /** Substrings only: the normal form of one part of an assertion. */
  substring?(part: Uint8Array, position: Position): Uint8Array | undefined;
  /**
   * Substrings only: what the equality key of every value with this initial part begins with, for a search by range. A superset: verify
   * what it finds. `undefined` when no range can be named.
   */
  prefix?(initial: Uint8Array): Uint8Array | undefined;
  /** Substrings only: whether that is no superset, because every value whose equality key begins so has the initial part. */
  prefixTells?(initial: Uint8Array): boolean;
  /**
   * Substrings only: octets that stand in the equality key of every value with this part, for a search by what keys hold. A superset: verify
   * what it finds. `undefined` when none can be named.
   */
  within?(part: Uint8Array, position: Position): Uint8Array | undefined;
}

export type Usage = 'userApplications' | 'directoryOperation' | 'distributedOperation' | 'dSAOperation';

/** An attribute type with everything it inherits (RFC 4512 §2.5.1). */
export interface AttributeType {
  readonly oid: string;
  readonly names: readonly string[];
  /** The first name, or the OID of a type without one: how the directory writes it. */
  readonly name: string;
  /** `name` in lower case: the attribute's key in entries and indexes. */
  readonly key: string;
  readonly description: string | undefined;
  readonly obsolete: boolean;
  readonly superior: AttributeType | undefined;
  /** This type and all that derive from it: what an assertion about it is answered from. */
  readonly family: readonly AttributeType[];
  readonly equality: MatchingRule | undefined;
  readonly ordering: MatchingRule | undefined;
  readonly substrings: MatchingRule | undefined;
  readonly syntax: Syntax;
  readonly singleValue: boolean;
  readonly collective: boolean;
  readonly noUserModification: boolean;
  readonly usage: Usage;
  /** `X-ATRIUM-SECRET`: no door ever reads the values or filters on them; they are only judged. */
  readonly secret: boolean;
  /** `X-ATRIUM-SEALED`: the directory seals the values when it writes them. */
  readonly sealed: boolean;
  /** The definition in RFC 4512 §4.1.2 text, on one line. */
  readonly definition: string;
}

/** An object class with everything it inherits (RFC 4512 §2.4). */
export interface ObjectClass {
  readonly oid: string;
  readonly names: readonly string[];
  readonly name: string;
  readonly description: string | undefined;
  readonly obsolete: boolean;
  readonly kind: 'abstract' | 'structural' | 'auxiliary';
  readonly superiors: readonly ObjectClass[];
  /** This class and all above it, itself first. */
  readonly lineage: readonly ObjectClass[];
  /** Required attributes, inherited ones included. */
  readonly must: readonly AttributeType[];
  /** Allowed attributes, inherited ones included; those of `must` are not repeated. */
  readonly may: readonly AttributeType[];
  readonly definition: string;
}

/** What entries of one structural class may have beyond, and may not have of, what their classes say (RFC 4512 §4.1.6). */
export interface ContentRule {
  readonly name: string;
  readonly obsolete: boolean;
  /** The auxiliary classes that entries may have: no others. */
  readonly auxiliaries: ReadonlySet<ObjectClass>;
  readonly must: ReadonlySet<AttributeType>;
  readonly may: ReadonlySet<AttributeType>;
  readonly not: ReadonlySet<AttributeType>;
  readonly definition: string;
}

/** Everything the directory knows about its data. Names are looked up in any case, OIDs as they are. */
export interface Schema {
  attributeType(nameOrOid: string): AttributeType | undefined;
  objectClass(nameOrOid: string): ObjectClass | undefined;
  matchingRule(nameOrOid: string): MatchingRule | undefined;
  syntax(oid: string): Syntax | undefined;
  /** The rule for entries whose structural class this is. */
  contentRule(structural: ObjectClass): ContentRule | undefined;
  /** The OID that a name stands for, be it a class, a type or a rule; a numeric OID is returned as it is. */
  oidOf(nameOrOid: string): string | undefined;
  readonly attributeTypes: readonly AttributeType[];
  readonly objectClasses: readonly ObjectClass[];
  readonly matchingRules: readonly MatchingRule[];
  readonly syntaxes: readonly Syntax[];
  /** Definitions as clients read them (RFC 4512 §4.1.6, §4.1.7). */
  readonly contentRules: readonly string[];
  readonly nameForms: readonly string[];
  readonly structureRules: readonly string[];
}
