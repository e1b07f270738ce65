import {
  type Extensions,
  type Parsed,
  parseAttributeType,
  parseDitContentRule,
  parseDitStructureRule,
  parseNameForm,
  parseObjectClass,
  parseSyntax,
  printAttributeType,
  printDitContentRule,
  printDitStructureRule,
  printNameForm,
  printObjectClass,
  printSyntax,
} from '#ldap';

/** One kind of definition that a schema is made of (RFC 4512 §4.1). */
interface Kind {
  /** How slapd's schema files begin one. */
  readonly keyword: string;
  /** The attribute of the subschema subentry that holds them (RFC 4512 §4.2); `olc` in front of it is slapd's. */
  readonly attribute: string;
  /** A definition in its one way of writing, with what tells it from others: an OID, or a rule's number. */
  read(text: string): Parsed<Canonical>;
}

/** A definition by itself, whatever it names. */
export interface Canonical {
  readonly id: string;
  readonly names: readonly string[];
  readonly text: string;
  /** Its fields as the grammar names them. */
  readonly row: Readonly<Record<string, unknown>>;
}

interface Row {
  readonly oid?: string;
  readonly ruleId?: number;
  readonly names?: readonly string[];
  readonly extensions: Extensions;
}

function kind<T extends Row>(keyword: string, attribute: string, parse: (text: string) => Parsed<T>, print: (row: T) => string): Kind {
  return {
    keyword,
    attribute,
    read(text) {
      const parsed = parse(text);
      if (parsed.kind === 'bad') return parsed;
      const { oid, ruleId, names = [] } = parsed.value;
      return {
        kind: 'parsed',
        value: { id: oid ?? String(ruleId), names, text: print(parsed.value), row: Object.fromEntries(Object.entries(parsed.value)) },
      };
    },
  };
}

/** In the order in which they rest upon each other. */
export const kinds: readonly Kind[] = [
  kind('ldapsyntax', 'ldapSyntaxes', parseSyntax, printSyntax),
  kind('attributetype', 'attributeTypes', parseAttributeType, printAttributeType),
  kind('objectclass', 'objectClasses', parseObjectClass, printObjectClass),
  kind('ditcontentrule', 'dITContentRules', parseDitContentRule, printDitContentRule),
  kind('nameform', 'nameForms', parseNameForm, printNameForm),
  kind('ditstructurerule', 'dITStructureRules', parseDitStructureRule, printDitStructureRule),
];
