import { z } from 'zod';
import type { Operation } from '../operations/row.ts';

/** Where a document is about: as its reader sees it. */
export interface Described {
  /** Of the service and the realm, without a slash at its end: `https://id.example.com/realm/acme`. */
  readonly address: string;
  readonly version: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * The management API as an OpenAPI document, from the table of operations.
 *
 * @see OpenAPI Specification 3.1.1, whose schemas are those of JSON Schema 2020-12
 */
export function openApiOf(operations: readonly Operation[], { address, version }: Described): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of operations) {
    const path = row.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: described(row) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Atrium management API',
      version,
      description: 'Generated from the table of operations by which the service itself works.',
    },
    servers: [{ url: address }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    security: [],
    paths,
    components: {
      schemas: { Failure: failure },
      responses: {
        Failure: {
          description: 'Refused or failed: what is wrong, member by member.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      },
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'at+jwt',
          description: `An access token whose audience is ${address}/admin-api; admin:read to read, admin:write to write.`,
        },
      },
    },
  };
}

const failure: Json = {
  type: 'object',
  properties: {
    ok: { const: false },
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: { field: { type: 'string', description: 'The member that it is about.' }, message: { type: 'string' } },
        required: ['message'],
        additionalProperties: false,
      },
    },
    reference: { type: 'string', description: 'By which an operator finds it in the audit trail.' },
  },
  required: ['ok', 'errors', 'reference'],
  additionalProperties: false,
};

function described(row: Operation): Json {
  const { name, method, summary, more, scope, path, status = 200 } = row;
  const input = schemaOf(row.input, 'input');
  const properties = (input['properties'] ?? {}) as Readonly<Record<string, Json>>;
  const required = new Set((input['required'] ?? []) as readonly string[]);
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, member]) => member ?? ''));
  const hasBody = method !== 'GET' && method !== 'DELETE' && row.takes === undefined;
  const others = Object.keys(properties).filter((member) => !inPath.has(member));
  const inQuery = hasBody ? others.filter((member) => row.query?.includes(member)) : others;
  const inBody = hasBody ? others.filter((member) => !inQuery.includes(member)) : [];
  const parameters = [
    ...[...inPath].map((member) => parameter('path', member, true, properties[member])),
    ...inQuery.map((member) => parameter('query', member, required.has(member), properties[member])),
    ...headersOf(row),
  ];
  return {
    operationId: name,
    tags: [tagOf(row)],
    summary,
    ...(more === undefined ? {} : { description: more }),
    security: [{ accessToken: [scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(row, inBody, properties, required),
    responses: { [status]: successOf(row), default: { $ref: '#/components/responses/Failure' } },
  };
}

function parameter(place: 'path' | 'query', name: string, required: boolean, schema: Json = {}): Json {
  const { description, ...rest } = schema;
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest };
}

function headersOf({ editable, status }: Operation): readonly Json[] {
  const header = (name: string, description: string) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } });
  return [
    ...(editable === true ? [header('If-Match', 'The entity tag of what was read: a change of anything newer is refused with 412.')] : []),
    ...(status === 201 ? [header('Idempotency-Key', 'A call with a key that was used before is answered as that one was.')] : []),
  ];
}

function bodyOf(
  row: Operation,
  members: readonly string[],
  properties: Readonly<Record<string, Json>>,
  required: ReadonlySet<string>,
): Json {
  if (row.takes !== undefined) return { requestBody: { required: true, content: { [row.takes.type]: { schema: { type: 'string' } } } } };
  if (members.length === 0) return {};
  const needed = members.filter((member) => required.has(member));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member, properties[member]])),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  };
  return { requestBody: { required: needed.length > 0, content: { 'application/json': { schema } } } };
}

function successOf(row: Operation): Json {
  if (row.gives !== undefined) return { description: row.summary, content: { [row.gives.type]: { schema: { type: 'string' } } } };
  const output = schemaOf(row.output, 'output');
  const schema = {
    ...output,
    properties: { ok: { const: true }, ...(output['properties'] as object | undefined) },
    required: ['ok', ...((output['required'] ?? []) as readonly string[])],
  };
  return { description: row.summary, content: { 'application/json': { schema } } };
}

function schemaOf(shape: z.ZodObject, io: 'input' | 'output'): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as Record<string, unknown>;
  return schema;
}

function tagOf({ name }: Pick<Operation, 'name'>): string {
  return name.split('.', 1).join('');
}
