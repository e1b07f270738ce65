import { text } from '#base';
import type { Filter, SearchRequest } from '#ldap';
import { describe, type Schema } from '#schema';

/**
 * What slapd answers in its own way, and why it is not compared with it. All of it is still compared with the plain evaluation.
 */
export const leftOut = {
  approx: 'approximate matches: slapd compares by sound (RFC 4511 §4.5.1.7.6 leaves it to the server), Atrium as for equality',
  operational: 'operational attributes: each server makes its own entryUUID, times and names of them',
  spaces:
    'parts of substrings that begin or end with a space: slapd takes the space away or leaves it by itself, Atrium prepares it by RFC 4518 §2.6.1',
  classRule:
    'objectClass by a rule that is named: slapd does not find a class that an entry lists, RFC 4517 §4.2.26 does, and without a name both find classes above',
  sharp:
    'what could be an ß: slapd folds the case of single letters, Atrium by RFC 4518 §2.2 also the letter that becomes two, so that STRASSE finds Straße',
  order:
    'what stands in front in the order of letters: slapd takes İ for one letter, Atrium by RFC 4518 §2.2 for an i with a dot behind it',
  gecos: 'gecos: of any script here, of ASCII in the schema that comes with slapd',
  memberOf: 'memberOf: slapd has it only with an overlay, which keeps it instead of working it out',
} as const;

export type LeftOut = keyof typeof leftOut;

/** Why a search is not compared with slapd's answer, or nothing. */
export function whyLeftOut(schema: Schema, { filter, attributes }: SearchRequest): LeftOut | undefined {
  for (const name of attributes) {
    if (name === '+') return 'operational';
    const why = ofName(schema, name);
    if (why !== undefined) return why;
  }
  return ofFilter(schema, filter);
}

function ofFilter(schema: Schema, filter: Filter): LeftOut | undefined {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.map((each) => ofFilter(schema, each)).find((why) => why !== undefined);
    case 'not':
      return ofFilter(schema, filter.filter);
    case 'approx':
      return 'approx';
    case 'present':
      return ofName(schema, filter.description);
    case 'equality':
    case 'greaterOrEqual':
    case 'lessOrEqual':
      return hasSharp(filter.value) ? 'sharp' : ofName(schema, filter.description);
    case 'substrings': {
      const parts = [filter.initial, ...filter.any, filter.final].filter((part) => part !== undefined);
      if (parts.some(endsInSpace)) return 'spaces';
      return parts.some((part) => hasSharp(part) || endsInSharp(part)) ? 'sharp' : ofName(schema, filter.description);
    }
    case 'extensible':
      // Without a name it looks at the operational ones too.
      if (filter.description === undefined) return 'operational';
      if (hasSharp(filter.value)) return 'sharp';
      if (filter.rule === 'caseIgnoreOrderingMatch') return 'order';
      if (filter.rule !== undefined && describe(schema, filter.description)?.type.key === 'objectclass') return 'classRule';
      return ofName(schema, filter.description);
  }
}

function endsInSpace(part: Uint8Array): boolean {
  return part[0] === space || part.at(-1) === space;
}

function hasSharp(value: Uint8Array): boolean {
  return /ss|ß|ẞ/i.test(text(value) ?? '');
}

/** Half of an ß that became two letters. */
function endsInSharp(part: Uint8Array): boolean {
  return /^s|s$/i.test(text(part) ?? '');
}

const space = 0x20;

function ofName(schema: Schema, name: string): LeftOut | undefined {
  const described = describe(schema, name);
  if (described === undefined) return undefined;
  if (described.type.key === 'memberof') return 'memberOf';
  if (described.type.key === 'gecos') return 'gecos';
  return described.type.usage === 'userApplications' ? undefined : 'operational';
}
