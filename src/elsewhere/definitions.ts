import { text } from '#base';
import {
  type AttributeTypeDescription,
  type LdifRecord,
  type ObjectClassDescription,
  parseAttributeType,
  parseObjectClass,
  printAttributeType,
  printObjectClass,
} from '#ldap';
import { type Definition, readDefinitions, type Schema } from '#schema';
import { partsOf } from './draft.ts';
import type { Example, Tally } from './report.ts';
import type { Survey } from './survey.ts';

const nothing = new Uint8Array(0);

/** How LDIF of OpenLDAP's cn=config, and of schema files of others, names what defines. */
const defining = /^(?:olc)?(?:ldapsyntaxes|attributetypes|objectclasses|objectidentifier)$/;

/**
 * Takes the definitions out of a server's configuration (`slapcat -n 0`) or of a schema file in LDIF. All else in it is told to the tally: nothing of
 * it is carried over.
 *
 * @throws Refusal schemaInvalid; LdifError
 */
export async function configuredDefinitions(name: string, records: AsyncIterable<LdifRecord>, tally: Tally): Promise<Definition[]> {
  const lines: string[] = [];
  for await (const record of records) {
    if (record.kind !== 'content') continue;
    const place = { line: record.line, dn: record.dn };
    const classes = record.attributes.find(({ description }) => /^(structural)?objectclass$/i.test(description))?.values;
    let others = 0;
    for (const { description, values } of record.attributes) {
      const [type] = partsOf(description);
      // Base64, for a definition may have any octet in it, and one line is what is read.
      if (defining.test(type)) for (const value of values) lines.push(`${type}:: ${Buffer.from(value).toString('base64')}`);
      else if (type === 'olcaccess' || type === 'aci') tally.note('access', description, values.length, place);
      else others += values.length;
    }
    if (others > 0) tally.note('configuration', text(classes?.at(-1) ?? nothing) ?? '', others, place);
  }
  return readDefinitions({ name: /\.ldif$/i.test(name) ? name : `${name}.ldif`, text: lines.join('\n') });
}

interface Known {
  readonly types: Map<string, { readonly row: AttributeTypeDescription; readonly definition: Definition }>;
  readonly classes: Map<string, { readonly row: ObjectClassDescription; readonly definition: Definition }>;
}

/**
 * What of the given definitions the entries use and the directory does not have, with all that it rests upon. A definition that cannot be had is told to
 * the tally, and one that can be had in part without the rest.
 */
export function neededDefinitions(schema: Schema, given: readonly Definition[], { types, classes }: Survey, tally: Tally): Definition[] {
  const known = knownIn(given, tally);
  const added = new Map<object, Definition>();
  const refused = new Set<object>();
  const place = ({ file, line }: Definition): Example => ({ line, dn: file });
  const rule = (name: string | undefined) => (name !== undefined && schema.matchingRule(name) === undefined ? undefined : name);

  /** Whether there is, or will be, such a type. */
  function hasType(name: string): boolean {
    if (schema.attributeType(name) !== undefined) return true;
    const found = known.types.get(name.toLowerCase());
    if (found === undefined || refused.has(found)) return false;
    if (added.has(found)) return true;
    const { row, definition } = found;
    refused.add(found);
    const isSound =
      schema.attributeType(row.oid) === undefined &&
      (row.superior === undefined || hasType(row.superior)) &&
      (row.syntax === undefined ? row.superior !== undefined : schema.syntax(row.syntax) !== undefined);
    if (!isSound) {
      tally.note('definition', row.names[0] ?? row.oid, 0, place(definition));
      return false;
    }
    refused.delete(found);
    const rules = { equality: rule(row.equality), ordering: rule(row.ordering), substrings: rule(row.substrings) };
    const lost = (['equality', 'ordering', 'substrings'] as const).filter((each) => row[each] !== undefined && rules[each] === undefined);
    for (const each of lost) tally.note('definitionPart', `${row.names[0] ?? row.oid}: ${row[each]}`, 0, place(definition));
    const { equality: _e, ordering: _o, substrings: _s, ...rest } = row;
    const kept = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
    added.set(found, { ...definition, text: printAttributeType({ ...rest, ...kept }) });
    return true;
  }

  function hasClass(name: string): boolean {
    if (schema.objectClass(name) !== undefined) return true;
    const found = known.classes.get(name.toLowerCase());
    if (found === undefined || refused.has(found)) return false;
    if (added.has(found)) return true;
    const { row, definition } = found;
    refused.add(found);
    if (schema.objectClass(row.oid) !== undefined || !row.superiors.every(hasClass) || !row.must.every(hasType)) {
      tally.note('definition', row.names[0] ?? row.oid, 0, place(definition));
      return false;
    }
    refused.delete(found);
    const may = row.may.filter((each) => {
      const has = hasType(each);
      if (!has) tally.note('definitionPart', `${row.names[0] ?? row.oid}: ${each}`, 0, place(definition));
      return has;
    });
    added.set(found, { ...definition, text: printObjectClass({ ...row, may }) });
    return true;
  }

  for (const name of types) if (known.types.has(name)) hasType(name);
  for (const name of classes) if (known.classes.has(name)) hasClass(name);
  return [...added.values()];
}

function knownIn(given: readonly Definition[], tally: Tally): Known {
  const known: Known = { types: new Map(), classes: new Map() };
  for (const definition of given) {
    const { keyword, text: defined, file, line } = definition;
    const type = keyword === 'attributetype' ? parseAttributeType(defined) : undefined;
    const made = keyword === 'objectclass' ? parseObjectClass(defined) : undefined;
    if (type?.kind === 'parsed')
      for (const name of [type.value.oid, ...type.value.names]) setOnce(known.types, name, { row: type.value, definition });
    if (made?.kind === 'parsed')
      for (const name of [made.value.oid, ...made.value.names]) setOnce(known.classes, name, { row: made.value, definition });
    if (type?.kind === 'bad' || made?.kind === 'bad') tally.note('definition', defined.slice(0, shownMax), 0, { line, dn: file });
  }
  return known;
}

const shownMax = 80;

function setOnce<T>(map: Map<string, T>, name: string, value: T): void {
  if (!map.has(name.toLowerCase())) map.set(name.toLowerCase(), value);
}
