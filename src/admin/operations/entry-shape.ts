import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { utf8 } from '#base';
import type { ClientEntry } from '#client';
import type { Modification, PartialAttribute } from '#ldap';

/** A value: text as text, other octets in base64. */
const valueShape = z.union([z.string().max(1_000_000), z.strictObject({ base64: z.base64().max(4_000_000) })]);
type Value = z.infer<typeof valueShape>;

const description = z
  .string()
  .max(200)
  .regex(/^[A-Za-z][A-Za-z0-9-]*(?:;[A-Za-z0-9-]+)*$|^\d+(?:\.\d+)+$/, 'is no name of an attribute');

/** Attributes of an entry, each with its values. */
export const attributesShape = z
  .record(description, z.array(valueShape).max(10_000))
  .describe('Attributes with their values; octets that are no text as { "base64": … }.');

/** What every answer about one entry has. */
export const entryMembers = {
  dn: z.string(),
  id: z.string().describe('The entryUUID, which never changes.'),
  etag: z.string().describe('The entryCSN: for If-Match.'),
};

/** The answer to whoever made or changed one. */
export const madeShape = z.strictObject(entryMembers);

export const entryAttributes: readonly string[] = ['entryUUID', 'entryCSN'];

export function entryMembersOf(entry: ClientEntry): { dn: string; id: string; etag: string } {
  return { dn: entry.dn, id: entry.one('entryUUID') ?? '', etag: entry.one('entryCSN') ?? '' };
}

/** All that an entry has, but for what stands in members of their own. */
export function attributesOfEntry({ attributes }: ClientEntry): Record<string, Value[]> {
  const told = attributes.filter(({ description: name }) => !['entryuuid', 'entrycsn'].includes(name.toLowerCase()));
  return Object.fromEntries(told.map(({ description: name, values }) => [name, values.map(textOrOctets)]));
}

function textOrOctets(octets: Uint8Array): Value {
  return isUtf8(octets) ? Buffer.from(octets).toString('utf8') : { base64: Buffer.from(octets).toString('base64') };
}

/** Attributes that were sent, as octets; those without values are left out. */
export function givenAttributes(given: Readonly<Record<string, readonly Value[]>>): PartialAttribute[] {
  return Object.entries(given).flatMap(([name, values]) =>
    values.length === 0 ? [] : [{ description: name, values: values.map(octetsOf) }],
  );
}

/** Each attribute that was sent in place of what the entry has of it; one without values takes it away. */
export function replacements(given: Readonly<Record<string, readonly Value[]>>): Modification[] {
  return Object.entries(given).map(([name, values]) => ({
    operation: 'replace',
    attribute: { description: name, values: values.map(octetsOf) },
  }));
}

function octetsOf(value: Value): Uint8Array {
  return typeof value === 'string' ? utf8(value) : new Uint8Array(Buffer.from(value.base64, 'base64'));
}

/** One attribute in place of what there is of it. */
export function replacing(name: string, ...values: readonly string[]): Modification {
  return { operation: 'replace', attribute: { description: name, values: values.map(utf8) } };
}
