import { concat, text, utf8 } from '#base';
import { type Folding, prepareKey, prepareNumeric, preparePart, prepareSpaced, prepareTelephone, singleSpaced } from '../prepare.ts';
import { matchesPattern, printable } from '../syntaxes/patterns.ts';
import { syntaxOids as s, splitOptionalUid, standard } from '../syntaxes/table.ts';
import { normalTime } from '../syntaxes/time.ts';
import type { MatchingRule, Position } from '../types.ts';
import { firstComponent } from './first-component.ts';
import { normalInteger } from './integer.ts';
import { listKey, listPart, listSpaced } from './list.ts';

/** What some rules need to know of the schema that holds them. */
export interface RuleContext {
  /** The key of a DN given as text; `undefined` when it is none, or names unknown types. */
  dnKey(value: Uint8Array): Uint8Array | undefined;
  /** The numeric OID that a name stands for. */
  oidOf(nameOrOid: string): string | undefined;
}

type Normal = (value: Uint8Array) => Uint8Array | undefined;

const strings = [s.directoryString, s.printableString, s.countryString, s.telephoneNumber];
const definitions = [3, 16, 30, 31, 35, 37, 54].map((number) => `${standard}.${number}`);

/**
 * The matching rules of RFC 4517 §4.2 and RFC 4530 §2, slapd's for CSNs and case-exact IA5 substrings, and Active Directory's that follows names.
 *
 * @param context  answers what only the finished schema can
 */
export function ruleTable(context: RuleContext): readonly MatchingRule[] {
  const objectIdentifier: Normal = (value) => {
    const oid = context.oidOf(text(value) ?? '');
    return oid === undefined ? undefined : utf8(oid);
  };
  const uniqueMember: Normal = (value) => {
    const { name, uid } = splitOptionalUid(value);
    const key = context.dnKey(name);
    if (key === undefined || uid === undefined) return key;
    return concat([key, Uint8Array.of(0xff), uid]);
  };
  return [
    equality('2.5.13.0', 'objectIdentifierMatch', s.oid, objectIdentifier),
    { ...equality('2.5.13.1', 'distinguishedNameMatch', s.dn, context.dnKey), judges: true },
    equality('2.5.13.23', 'uniqueMemberMatch', s.nameAndOptionalUid, uniqueMember),
    { ...equality('1.2.840.113556.1.4.1941', 'inChainMatch', s.dn, context.dnKey, [s.dn, s.nameAndOptionalUid]), follows: true },
    {
      ...equality(
        '2.5.13.30',
        'objectIdentifierFirstComponentMatch',
        s.oid,
        (value) => firstComponent(value, objectIdentifier),
        definitions,
      ),
      assertion: objectIdentifier,
    },
    ...fixed,
  ];
}

const caseIgnore = (value: Uint8Array) => prepareKey(value, 'fold');
const caseExact = (value: Uint8Array) => prepareKey(value, 'exact');
const asGiven: Normal = (value) => value;
const ia5 =
  (normal: Normal): Normal =>
  (value) =>
    value.every((octet) => octet < 0x80) ? normal(value) : undefined;
/** RFC 4511 §4.5.1.7: what does not fit the rule's syntax is asked for in vain. It would otherwise be unequal to all, and its negation true of all. */
const fitting = (pattern: string, normal: Normal): Normal => {
  const fits = matchesPattern(pattern);
  return (value) => (fits(value) ? normal(value) : undefined);
};
const numeric = fitting('[0-9 ]+', prepareNumeric);
const telephone = fitting(`${printable}+`, prepareTelephone);
const time: Normal = (value) => {
  const normal = normalTime(text(value) ?? '');
  return normal === undefined ? undefined : utf8(normal);
};
const matching =
  (pattern: RegExp, normal: (given: string) => Uint8Array): Normal =>
  (value) => {
    const given = text(value) ?? '';
    return pattern.test(given) ? normal(given) : undefined;
  };
const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, (given) => Uint8Array.fromHex(given.replaceAll('-', '')));
const csn = matching(/^\d{14}\.\d{6}Z#[0-9a-f]{6}#[0-9a-f]{3}#[0-9a-f]{6}$/i, (given) => utf8(given.toLowerCase().replace('z', 'Z')));

const fixed: readonly MatchingRule[] = [
  equality('2.5.13.2', 'caseIgnoreMatch', s.directoryString, caseIgnore, strings),
  ordering('2.5.13.3', 'caseIgnoreOrderingMatch', s.directoryString, caseIgnore, strings),
  textParts('2.5.13.4', 'caseIgnoreSubstringsMatch', 'fold', strings),
  equality('2.5.13.5', 'caseExactMatch', s.directoryString, caseExact, strings),
  ordering('2.5.13.6', 'caseExactOrderingMatch', s.directoryString, caseExact, strings),
  textParts('2.5.13.7', 'caseExactSubstringsMatch', 'exact', strings),
  equality('2.5.13.8', 'numericStringMatch', s.numericString, numeric),
  ordering('2.5.13.9', 'numericStringOrderingMatch', s.numericString, numeric),
  plainParts('2.5.13.10', 'numericStringSubstringsMatch', numeric, [s.numericString]),
  equality('2.5.13.11', 'caseIgnoreListMatch', s.postalAddress, listKey),
  {
    ...plainParts('2.5.13.12', 'caseIgnoreListSubstringsMatch', listSpaced, [s.postalAddress]),
    substring: listPart,
    prefix: () => undefined,
    within: () => undefined,
  },
  equality('2.5.13.13', 'booleanMatch', s.boolean, matching(/^(?:TRUE|FALSE)$/, utf8)),
  { ...equality('2.5.13.14', 'integerMatch', s.integer, normalInteger), judges: true },
  ordering('2.5.13.15', 'integerOrderingMatch', s.integer, normalInteger),
  bits('1.2.840.113556.1.4.803', 'integerBitAndMatch', (value, mask) => (value & mask) === mask),
  bits('1.2.840.113556.1.4.804', 'integerBitOrMatch', (value, mask) => (value & mask) !== 0n),
  equality('2.5.13.16', 'bitStringMatch', s.bitString, matching(/^'[01]*'B$/, utf8)),
  equality('2.5.13.17', 'octetStringMatch', s.octetString, asGiven),
  ordering('2.5.13.18', 'octetStringOrderingMatch', s.octetString, asGiven),
  plainParts('2.5.13.19', 'octetStringSubstringsMatch', asGiven, [s.octetString]),
  equality('2.5.13.20', 'telephoneNumberMatch', s.telephoneNumber, telephone),
  plainParts('2.5.13.21', 'telephoneNumberSubstringsMatch', telephone, [s.telephoneNumber]),
  { ...equality('2.5.13.27', 'generalizedTimeMatch', s.generalizedTime, time), judges: true },
  ordering('2.5.13.28', 'generalizedTimeOrderingMatch', s.generalizedTime, time),
  {
    ...equality('2.5.13.29', 'integerFirstComponentMatch', s.integer, (value) => firstComponent(value, normalInteger), [`${standard}.17`]),
    assertion: normalInteger,
  },
  {
    ...equality('2.5.13.31', 'directoryStringFirstComponentMatch', s.directoryString, (value) => firstComponent(value, caseIgnore), []),
    assertion: caseIgnore,
  },
  equality('1.3.6.1.4.1.1466.109.114.1', 'caseExactIA5Match', s.ia5String, ia5(caseExact)),
  equality('1.3.6.1.4.1.1466.109.114.2', 'caseIgnoreIA5Match', s.ia5String, ia5(caseIgnore)),
  ia5Parts(textParts('1.3.6.1.4.1.1466.109.114.3', 'caseIgnoreIA5SubstringsMatch', 'fold', [s.ia5String])),
  ia5Parts(textParts('1.3.6.1.4.1.4203.1.2.1', 'caseExactIA5SubstringsMatch', 'exact', [s.ia5String])),
  equality('1.3.6.1.1.16.2', 'uuidMatch', s.uuid, uuid),
  ordering('1.3.6.1.1.16.3', 'uuidOrderingMatch', s.uuid, uuid),
  equality('1.3.6.1.4.1.4203.666.11.2.2', 'CSNMatch', s.csn, csn),
  ordering('1.3.6.1.4.1.4203.666.11.2.3', 'CSNOrderingMatch', s.csn, csn),
];

function equality(oid: string, name: string, syntax: string, normalize: Normal, appliesTo: readonly string[] = [syntax]): MatchingRule {
  const assertion = syntax === s.directoryString ? notEmpty(normalize) : normalize;
  return { oid, name, kind: 'equality', syntax, appliesTo, normalize, assertion };
}

/** RFC 4517 §3.3.6: a DirectoryString has a character at least, so that an assertion of nothing is Undefined. */
function notEmpty(normalize: Normal): Normal {
  return (value) => (value.length === 0 ? undefined : normalize(value));
}

/** Longer numbers hold no flags, and to reckon with them would take long. */
const bitDigitsMax = 40;

/** slapd's rules for flags, which are Active Directory's: negative numbers in two's complement. */
function bits(oid: string, name: string, has: (value: bigint, mask: bigint) => boolean): MatchingRule {
  const asGiven: Normal = (value) => (value.length <= bitDigitsMax && normalInteger(value) !== undefined ? value : undefined);
  const number = (value: Uint8Array) => BigInt(text(value) ?? '0');
  return {
    ...equality(oid, name, s.integer, asGiven),
    kind: 'extensible',
    satisfies: (normal, wanted) => has(number(normal), number(wanted)),
  };
}

function ordering(oid: string, name: string, syntax: string, normalize: Normal, appliesTo: readonly string[] = [syntax]): MatchingRule {
  return { ...equality(oid, name, syntax, normalize, appliesTo), kind: 'ordering' };
}

/** Substrings of text whose spaces count as RFC 4518 §2.6.1 says. */
function textParts(oid: string, name: string, folding: Folding, appliesTo: readonly string[]): MatchingRule {
  return {
    ...plainParts(oid, name, (value) => prepareSpaced(value, folding), appliesTo),
    substring: (part: Uint8Array, position: Position) => preparePart(part, position, folding),
    prefix: (initial: Uint8Array) => {
      const key = prepareKey(initial, folding);
      return key === undefined || (key.length === 1 && key[0] === 0x20) ? undefined : key;
    },
    // Up to the first space a key and the form in which substrings are found are the same; and nothing in printable ASCII joins what comes behind it.
    prefixTells: (initial: Uint8Array) => initial.every((octet) => octet > 0x20 && octet < 0x7f),
    within: (part: Uint8Array, position: Position) => {
      const spaced = preparePart(part, position, folding);
      return spaced && singleSpaced(spaced);
    },
  };
}

/** RFC 4511 §4.5.1.7.2: parts are of the syntax of the type's equality rule. */
function ia5Parts(rule: MatchingRule): MatchingRule {
  const substring: MatchingRule['substring'] = (part, position) => ia5((value) => rule.substring?.(value, position))(part);
  return { ...rule, substring };
}

/** Substrings of values that are prepared alike whole and in parts. */
function plainParts(oid: string, name: string, normalize: Normal, appliesTo: readonly string[]): MatchingRule {
  return {
    ...equality(oid, name, s.substringAssertion, normalize, appliesTo),
    kind: 'substrings',
    substring: (part: Uint8Array) => normalize(part),
    prefix: (initial: Uint8Array) => normalize(initial),
    prefixTells: () => true,
    within: (part: Uint8Array) => normalize(part),
  };
}
