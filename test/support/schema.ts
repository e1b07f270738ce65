import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dn, type PartialAttribute, parseDn } from '#ldap';
import { collectAttributes, loadSchema, type Schema } from '#schema';

const folder = join(import.meta.dirname, '..', '..', 'schema');

/** The schema of the files in `schema/`. */
export function readTestSchema(): Schema {
  return loadSchema(
    readdirSync(folder)
      .sort()
      .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })),
  );
}

const encoder = new TextEncoder();

/** Attributes as they come in a request: `attributes({ cn: ['Ada'] })`. */
export function attributes(given: Readonly<Record<string, string | readonly string[]>>): PartialAttribute[] {
  return Object.entries(given).map(([description, values]) => ({
    description,
    values: (typeof values === 'string' ? [values] : values).map((value) => encoder.encode(value)),
  }));
}

/** An entry as checks and filters take it. */
export function entryOf(
  schema: Schema,
  dn: string,
  given: Readonly<Record<string, string | readonly string[]>>,
): { dn: Dn; attributes: Map<string, PartialAttribute> } {
  const parsed = parseDn(dn);
  if (parsed === undefined) throw new Error(`no DN: ${dn}`);
  return { dn: parsed, attributes: collectAttributes(schema, attributes(given)) };
}
