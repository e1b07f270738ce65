/** What all descriptions of RFC 4512 §4.1 end with: private extensions, by their names in upper case (`X-ORIGIN`). */
export type Extensions = Readonly<Record<string, readonly string[]>>;

/** What all but one kind begin with. */
interface Described {
  readonly oid: string;
  readonly names: readonly string[];
  readonly description?: string;
  readonly obsolete: boolean;
  readonly extensions: Extensions;
}

export const usages = ['userApplications', 'directoryOperation', 'distributedOperation', 'dSAOperation'] as const;

/** RFC 4512 §4.1.1 */
export interface ObjectClassDescription extends Described {
  readonly superiors: readonly string[];
  readonly kind: 'abstract' | 'structural' | 'auxiliary';
  readonly must: readonly string[];
  readonly may: readonly string[];
}

/** RFC 4512 §4.1.2 */
export interface AttributeTypeDescription extends Described {
  readonly superior?: string;
  readonly equality?: string;
  readonly ordering?: string;
  readonly substrings?: string;
  readonly syntax?: string;
  /** The suggested bound on the length of values, from `{n}` behind the syntax. */
  readonly lengthMax?: number;
  readonly singleValue: boolean;
  readonly collective: boolean;
  readonly noUserModification: boolean;
  readonly usage: (typeof usages)[number];
}

/** RFC 4512 §4.1.3 */
export interface MatchingRuleDescription extends Described {
  readonly syntax: string;
}

/** RFC 4512 §4.1.4 */
export interface MatchingRuleUseDescription extends Described {
  readonly applies: readonly string[];
}

/** RFC 4512 §4.1.5 */
export interface SyntaxDescription {
  readonly oid: string;
  readonly description?: string;
  readonly extensions: Extensions;
}

/** RFC 4512 §4.1.6 */
export interface DitContentRuleDescription extends Described {
  readonly auxiliaries: readonly string[];
  readonly must: readonly string[];
  readonly may: readonly string[];
  readonly not: readonly string[];
}

/** RFC 4512 §4.1.7.1 */
export interface DitStructureRuleDescription extends Omit<Described, 'oid'> {
  readonly ruleId: number;
  readonly form: string;
  readonly superiors: readonly number[];
}

/** RFC 4512 §4.1.7.2 */
export interface NameFormDescription extends Described {
  readonly objectClass: string;
  readonly must: readonly string[];
  readonly may: readonly string[];
}

export type Parsed<T> =
  | { readonly kind: 'parsed'; readonly value: T }
  /** `at`: the offset in the text. */
  | { readonly kind: 'bad'; readonly why: string; readonly at: number };
