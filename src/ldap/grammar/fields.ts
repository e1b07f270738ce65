/** How the value behind a keyword is written (RFC 4512 §4.1). */
type Shape = 'names' | 'text' | 'flag' | 'oid' | 'oids' | 'syntax' | 'usage' | 'ruleIds' | 'classKind';

export interface Field {
  readonly keyword: string;
  readonly property: string;
  readonly shape: Shape;
  readonly required?: true;
}

const head: readonly Field[] = [
  { keyword: 'NAME', property: 'names', shape: 'names' },
  { keyword: 'DESC', property: 'description', shape: 'text' },
  { keyword: 'OBSOLETE', property: 'obsolete', shape: 'flag' },
];

const mustAndMay: readonly Field[] = [
  { keyword: 'MUST', property: 'must', shape: 'oids' },
  { keyword: 'MAY', property: 'may', shape: 'oids' },
];

/** The fields of each kind, in the order of their grammar. Reading and printing are both drawn from this table. */
export const grammars = {
  objectClass: [
    ...head,
    { keyword: 'SUP', property: 'superiors', shape: 'oids' },
    { keyword: 'ABSTRACT', property: 'kind', shape: 'classKind' },
    { keyword: 'STRUCTURAL', property: 'kind', shape: 'classKind' },
    { keyword: 'AUXILIARY', property: 'kind', shape: 'classKind' },
    ...mustAndMay,
  ],
  attributeType: [
    ...head,
    { keyword: 'SUP', property: 'superior', shape: 'oid' },
    { keyword: 'EQUALITY', property: 'equality', shape: 'oid' },
    { keyword: 'ORDERING', property: 'ordering', shape: 'oid' },
    { keyword: 'SUBSTR', property: 'substrings', shape: 'oid' },
    { keyword: 'SYNTAX', property: 'syntax', shape: 'syntax' },
    { keyword: 'SINGLE-VALUE', property: 'singleValue', shape: 'flag' },
    { keyword: 'COLLECTIVE', property: 'collective', shape: 'flag' },
    { keyword: 'NO-USER-MODIFICATION', property: 'noUserModification', shape: 'flag' },
    { keyword: 'USAGE', property: 'usage', shape: 'usage' },
  ],
  matchingRule: [...head, { keyword: 'SYNTAX', property: 'syntax', shape: 'oid', required: true }],
  matchingRuleUse: [...head, { keyword: 'APPLIES', property: 'applies', shape: 'oids', required: true }],
  syntax: [{ keyword: 'DESC', property: 'description', shape: 'text' }],
  ditContentRule: [
    ...head,
    { keyword: 'AUX', property: 'auxiliaries', shape: 'oids' },
    ...mustAndMay,
    { keyword: 'NOT', property: 'not', shape: 'oids' },
  ],
  ditStructureRule: [
    ...head,
    { keyword: 'FORM', property: 'form', shape: 'oid', required: true },
    { keyword: 'SUP', property: 'superiors', shape: 'ruleIds' },
  ],
  nameForm: [
    ...head,
    { keyword: 'OC', property: 'objectClass', shape: 'oid', required: true },
    { keyword: 'MUST', property: 'must', shape: 'oids', required: true },
    { keyword: 'MAY', property: 'may', shape: 'oids' },
  ],
} as const satisfies Record<string, readonly Field[]>;

export type GrammarName = keyof typeof grammars;
