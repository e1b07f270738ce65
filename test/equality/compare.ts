import { text } from '#base';
import { type PartialAttribute, parseDn } from '#ldap';
import { describe, normalizeDn, type Schema } from '#schema';
import { comparable, type PlainAnswer } from '../directory/plain-search.ts';
import type { Answers, Found } from './client.ts';

/** In what an answer of Atrium differs from the plain evaluation's, to the octet but for the order. */
export function differsFromPlain(expected: PlainAnswer, { result, entries }: Answers): string | undefined {
  const found = entries.map(({ dn, attributes }) => [dn, JSON.stringify(comparable(attributes))] as const);
  const wanted = expected.entries.map(([dn, attributes]) => [dn, JSON.stringify(attributes)] as const);
  return difference('the plain evaluation', { code: expected.code, entries: wanted }, { code: result.code, entries: found });
}

/** In what an answer of Atrium differs from slapd's. slapd writes names, as entries and as values, in a form of its own: they are compared by meaning. */
export function differsFromSlapd(schema: Schema, slapd: Answers, atrium: Answers): string | undefined {
  const read = ({ result, entries }: Answers) => ({ code: result.code, entries: entries.map((entry) => meaningOf(schema, entry)) });
  return difference('slapd', read(slapd), read(atrium));
}

function meaningOf(schema: Schema, { dn, attributes }: Found): readonly [string, string] {
  const each = attributes.map(({ description, values }: PartialAttribute) => {
    const described = describe(schema, description);
    const isName = described?.type.syntax.oid === dnSyntax;
    return [
      described?.key ?? description,
      ...values.map((value) => (isName ? nameOf(schema, text(value) ?? '') : Buffer.from(value).toString('hex'))).sort(),
    ];
  });
  return [nameOf(schema, dn), JSON.stringify(each.sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)))];
}

/** RFC 4517 §3.3.9. */
const dnSyntax = '1.3.6.1.4.1.1466.115.121.1.12';
const names = new Map<string, string>();

function nameOf(schema: Schema, dn: string): string {
  let name = names.get(dn);
  if (name === undefined) {
    const parsed = parseDn(dn);
    const key = parsed && normalizeDn(schema, parsed);
    name = key === undefined ? `no name: ${dn}` : Buffer.from(key).toString('latin1');
    names.set(dn, name);
  }
  return name;
}

interface Told {
  readonly code: number;
  readonly entries: readonly (readonly [dn: string, attributes: string])[];
}

const toldMax = 5;

function difference(who: string, expected: Told, found: Told): string | undefined {
  const told: string[] = [];
  if (expected.code !== found.code) told.push(`result ${found.code}, by ${who} ${expected.code}`);
  const mine = new Map(found.entries);
  const theirs = new Map(expected.entries);
  if (mine.size !== found.entries.length) told.push('an entry came twice');
  for (const [dn, attributes] of theirs) {
    const other = mine.get(dn);
    if (other === undefined) told.push(`${dn} is missing`);
    else if (other !== attributes) told.push(`${dn}:\n    ${other}\n    by ${who} ${attributes}`);
  }
  for (const dn of mine.keys()) if (!theirs.has(dn)) told.push(`${dn} is too much`);
  return told.length === 0 ? undefined : `against ${who}: ${told.length} differences\n  ${told.slice(0, toldMax).join('\n  ')}`;
}
