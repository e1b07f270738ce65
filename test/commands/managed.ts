import { z } from 'zod';
import { commandMembersOf, type Operation, operations } from '#admin';
import type { ManagedRow } from '../../src/commands/managed-row.ts';
import { readTestSchema } from '../support/schema.ts';

/** What commands need of the rows of the operations that they are made of, by their words: what stands in src/commands/managed-rows.ts. */
export function managedRows(): Readonly<Record<string, ManagedRow>> {
  return Object.fromEntries(operations.flatMap((row) => (row.terminal === undefined ? [] : [[row.command, managed(row, row.terminal)]])));
}

function managed(row: Operation, { list, examples }: NonNullable<Operation['terminal']>): ManagedRow {
  const { name, method, path, scope, summary, more, console, editable = false } = row;
  const { properties = {} } = z.toJSONSchema(row.input, { io: 'input', unrepresentable: 'any' });
  return {
    ...{ operation: name, method, path, scope, means: summary },
    ...(more === undefined ? {} : { more }),
    members: commandMembersOf(row),
    ...(list === undefined ? {} : { list }),
    paged: 'after' in properties,
    ...(console?.danger === undefined ? {} : { asks: console.danger }),
    ...{ editable, creates: row.status === 201, examples },
  };
}

/** By all their names, in lower case, the attributes that the schema marks as secret or sealed. */
export function secretAttributes(): readonly string[] {
  const marked = readTestSchema().attributeTypes.filter(({ secret, sealed }) => secret || sealed);
  return marked.flatMap(({ oid, names }) => [oid, ...names.map((name) => name.toLowerCase())]).toSorted();
}
