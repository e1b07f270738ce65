import { text } from '#base';
import type { Syntax } from '../types.ts';
import { isGuide } from './guide.ts';
import { descr, isElement, matchesPattern, numericOid, printable } from './patterns.ts';
import { isSubtreeSpecification } from './subtree.ts';
import { isUtcTime, normalTime } from './time.ts';

/** What some syntaxes need to know of the schema that holds them. */
export interface SyntaxContext {
  /** Whether the text is a DN of attribute types that the schema knows. */
  isDn(value: Uint8Array): boolean;
  /** Whether the text is a definition of RFC 4512 §4.1. */
  isDefinition(kind: DefinitionKind, text: string): boolean;
}

export type DefinitionKind =
  | 'attributeType'
  | 'objectClass'
  | 'syntax'
  | 'matchingRule'
  | 'matchingRuleUse'
  | 'contentRule'
  | 'structureRule'
  | 'nameForm';

/** The arc of RFC 4517's syntaxes. */
export const standard = '1.3.6.1.4.1.1466.115.121.1';

/** OIDs that other parts of the schema ask for by name. */
export const syntaxOids = {
  bitString: `${standard}.6`,
  boolean: `${standard}.7`,
  countryString: `${standard}.11`,
  dn: `${standard}.12`,
  directoryString: `${standard}.15`,
  generalizedTime: `${standard}.24`,
  ia5String: `${standard}.26`,
  integer: `${standard}.27`,
  nameAndOptionalUid: `${standard}.34`,
  numericString: `${standard}.36`,
  oid: `${standard}.38`,
  octetString: `${standard}.40`,
  postalAddress: `${standard}.41`,
  printableString: `${standard}.44`,
  telephoneNumber: `${standard}.50`,
  substringAssertion: `${standard}.58`,
  uuid: '1.3.6.1.1.16.1',
  csn: '1.3.6.1.4.1.4203.666.11.2.1',
} as const;

const telephone = `${printable}+`;
const faxParameter = 'twoDimensional|fineResolution|unlimitedLength|b4Length|a3Width|b4Width|uncompressed';
const deliveryMethod = 'any|mhs|physical|telex|teletex|g3fax|g4fax|ia5|videotex|telephone';
const postalLine = '(?:[^$\\\\]|\\\\24|\\\\5[Cc])+';
const bits = "'[01]*'B";

/**
 * The syntaxes of RFC 4517, RFC 4523, RFC 2307 and RFC 4530 that the schema files use.
 *
 * @param context  answers what only the finished schema can
 */
export function syntaxTable(context: SyntaxContext): readonly Syntax[] {
  const definition = (number: number, name: string, kind: DefinitionKind): Syntax =>
    row(`${standard}.${number}`, name, (value) => {
      const given = text(value);
      return given !== undefined && context.isDefinition(kind, given);
    });
  return [
    definition(3, 'Attribute Type Description', 'attributeType'),
    definition(16, 'DIT Content Rule Description', 'contentRule'),
    definition(17, 'DIT Structure Rule Description', 'structureRule'),
    definition(30, 'Matching Rule Description', 'matchingRule'),
    definition(31, 'Matching Rule Use Description', 'matchingRuleUse'),
    definition(35, 'Name Form Description', 'nameForm'),
    definition(37, 'Object Class Description', 'objectClass'),
    definition(54, 'LDAP Syntax Description', 'syntax'),
    row(`${standard}.45`, 'SubtreeSpecification', (value) => {
      const given = text(value);
      return given !== undefined && isSubtreeSpecification(given, context.isDn);
    }),
    row(syntaxOids.dn, 'DN', context.isDn),
    row(syntaxOids.nameAndOptionalUid, 'Name And Optional UID', (value) => context.isDn(splitOptionalUid(value).name)),
    ...plain,
    ...binary,
  ];
}

/** Syntaxes that old schema files name, and of which nothing checks more than slapd does: that the value is text. */
function isText(value: Uint8Array): boolean {
  return value.length > 0 && text(value) !== undefined;
}

const plain: readonly Syntax[] = [
  row(syntaxOids.bitString, 'Bit String', matchesPattern(bits)),
  row(syntaxOids.boolean, 'Boolean', matchesPattern('TRUE|FALSE')),
  row(syntaxOids.countryString, 'Country String', matchesPattern(`${printable}{2}`)),
  row(`${standard}.13`, 'Data Quality', isText),
  row(`${standard}.14`, 'Delivery Method', matchesPattern(`(?:${deliveryMethod})(?: *\\$ *(?:${deliveryMethod}))*`)),
  row(syntaxOids.directoryString, 'Directory String', isText),
  row(`${standard}.19`, 'DSA Quality', isText),
  row(`${standard}.21`, 'Enhanced Guide', (value) => isGuide(text(value) ?? '', true)),
  row(`${standard}.22`, 'Facsimile Telephone Number', matchesPattern(`${telephone}(?:\\$(?:${faxParameter}))*`)),
  row(syntaxOids.generalizedTime, 'Generalized Time', (value) => normalTime(text(value) ?? '') !== undefined),
  row(`${standard}.25`, 'Guide', (value) => isGuide(text(value) ?? '', false)),
  row(syntaxOids.ia5String, 'IA5 String', (value) => value.every((octet) => octet < 0x80)),
  row(syntaxOids.integer, 'INTEGER', matchesPattern('0|-?[1-9]\\d*')),
  row(syntaxOids.numericString, 'Numeric String', matchesPattern('[0-9 ]+')),
  row(syntaxOids.oid, 'OID', matchesPattern(`${descr}|${numericOid}`)),
  row(`${standard}.39`, 'Other Mailbox', matchesPattern(`${printable}+\\$[\\x00-\\x7f]*`)),
  row(`${standard}.42`, 'Protocol Information', isText),
  row(`${standard}.43`, 'Presentation Address', isText),
  row(syntaxOids.postalAddress, 'Postal Address', matchesPattern(`${postalLine}(?:\\$${postalLine})*`)),
  row(syntaxOids.printableString, 'Printable String', matchesPattern(`${printable}+`)),
  row(syntaxOids.substringAssertion, 'Substring Assertion', (value) => readSubstringAssertion(text(value) ?? '') !== undefined),
  row(syntaxOids.telephoneNumber, 'Telephone Number', matchesPattern(telephone)),
  row(
    `${standard}.51`,
    'Teletex Terminal Identifier',
    matchesPattern(`${printable}+(?:\\$(?:graphic|control|misc|page|private):(?:[^$\\\\]|\\\\24|\\\\5[Cc])*)*`),
  ),
  row(`${standard}.52`, 'Telex Number', matchesPattern(`${printable}+\\$${printable}+\\$${printable}+`)),
  row(`${standard}.53`, 'UTC Time', (value) => isUtcTime(text(value) ?? '')),
  row('1.3.6.1.1.1.0.0', 'NIS netgroup triple', matchesPattern("\\((?:-|[!-'+-~]*)(?:,(?:-|[!-'+-~]*)){2}\\)")),
  row('1.3.6.1.1.1.0.1', 'Boot parameter', matchesPattern('[^=:]+=[^=:]*:.+')),
  row(syntaxOids.uuid, 'UUID', matchesPattern('[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}')),
  // Time with microseconds, change count, replica, modification, as slapd writes it (draft-chu-ldap-csn).
  row(syntaxOids.csn, 'CSN', matchesPattern('\\d{14}\\.\\d{6}Z#[0-9A-Fa-f]{6}#[0-9A-Fa-f]{3}#[0-9A-Fa-f]{6}')),
];

/** Octets that have no text form: only their outermost shape is checked (RFC 4523 §2, ITU-T T.871). */
const binary: readonly Syntax[] = [
  row(`${standard}.4`, 'Audio', () => true, false),
  row(`${standard}.5`, 'Binary', () => true, false),
  row(`${standard}.8`, 'X.509 Certificate', (value) => isElement(value, 0x30), false),
  row(`${standard}.9`, 'X.509 Certificate List', (value) => isElement(value, 0x30), false),
  row(`${standard}.10`, 'X.509 Certificate Pair', (value) => isElement(value, 0x30), false),
  row(`${standard}.23`, 'Fax', () => true, false),
  row(`${standard}.28`, 'JPEG', (value) => value[0] === 0xff && value[1] === 0xd8 && value[2] === 0xff, false),
  row(syntaxOids.octetString, 'Octet String', () => true),
  row(`${standard}.49`, 'X.509 Supported Algorithm', (value) => isElement(value, 0x30), false),
  row('1.3.6.1.4.1.4203.666.11.10.2.1', 'X.509 AttributeCertificate', (value) => isElement(value, 0x30), false),
  row('1.2.840.113549.1.8.1.1', 'PKCS#8 PrivateKeyInfo', (value) => isElement(value, 0x30), false),
];

function row(oid: string, name: string, validate: (value: Uint8Array) => boolean, readable = true): Syntax {
  return { oid, name, validate, readable };
}

/** The name and the bit string of a Name And Optional UID (RFC 4517 §3.3.21). */
export function splitOptionalUid(value: Uint8Array): { name: Uint8Array; uid: Uint8Array | undefined } {
  const given = text(value) ?? '';
  const found = new RegExp(`#(${bits})$`).exec(given);
  if (found === null) return { name: value, uid: undefined };
  // The octets in front of the bit string are what remains: all of it is ASCII.
  const at = value.length - found[0].length;
  return { name: value.subarray(0, at), uid: value.subarray(at + 1) };
}

/** The parts of a Substring Assertion, `*` and `\` written as `\2A` and `\5C` (RFC 4517 §3.3.30). */
export function readSubstringAssertion(given: string): { initial?: string; any: string[]; final?: string } | undefined {
  if (!/^(?:[^*\\]|\\2[Aa]|\\5[Cc]|\*)+$/s.test(given)) return undefined;
  const parts = given.split('*').map((part) => part.replace(/\\2a/gi, '*').replace(/\\5c/gi, '\\'));
  if (parts.length < 2) return undefined;
  const initial = parts[0] as string;
  const final = parts[parts.length - 1] as string;
  const any = parts.slice(1, -1);
  if (any.includes('')) return undefined;
  return { ...(initial === '' ? {} : { initial }), any, ...(final === '' ? {} : { final }) };
}
