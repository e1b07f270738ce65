import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';
import { operations } from '#admin';
import { call, openApi } from './api.ts';

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

const document = async (): Promise<Record<string, Record<string, Record<string, { operationId: string }>>>> =>
  (await (await fetch(`${atrium.addresses.http}/admin-api/openapi.json`)).json()) as never;

test('GET /admin-api/openapi.json: OpenAPI 3.1 that a public validator finds valid, with every operation that there is', async (t) => {
  const described = await document();
  const validator = new Validator();
  const result = await validator.validate(described);
  t.true(result.valid, JSON.stringify(result.errors));
  t.is(validator.version, '3.1');
  const named = Object.values(described['paths'] ?? {}).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  t.deepEqual(named.toSorted(), operations.map(({ name }) => name).toSorted());
});

test('a client that is generated from the document lists, makes, reads, changes and deletes', async (t) => {
  const definition = (await document()) as unknown as Document;
  const client = await new OpenAPIClientAxios({ definition }).init();
  const on = (name: string, ...given: readonly unknown[]) => {
    const method = client[name];
    if (typeof method !== 'function') throw new Error(`the client has no ${name}`);
    return (
      method as (
        ...given: readonly unknown[]
      ) => Promise<{ status: number; data: Record<string, unknown>; headers: Record<string, string> }>
    )(...given);
  };
  const made = await on('users.create', null, { uid: 'generated', name: 'Generated Client' });
  t.is(made.status, 201);
  const read = await on('users.read', { user: 'generated' });
  t.is(read.data['id'], made.data['id']);
  const header = { headers: { 'If-Match': read.headers['etag'] } };
  t.is((await on('users.change', { user: 'generated' }, { attributes: { title: ['x'] } }, header)).status, 200);
  await t.throwsAsync(() => on('users.change', { user: 'generated' }, { attributes: { title: ['y'] } }, header), { message: /412/ });
  t.is(((await on('users.list', { q: 'generated', limit: 1 })).data['users'] as unknown[]).length, 1);
  t.is((await on('users.disable', null, { user: 'generated' })).data['changed'], true);
  t.is((await on('users.delete', { user: 'generated' })).status, 200);
});

test('every operation is called by a test, by the helper that holds its answer against its shape', (t) => {
  const root = join(import.meta.dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const called = new Set(
    files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bcall\(\s*t,\s*\w+,\s*'([\w.-]+)'/g)].map(([, name]) => name),
    ),
  );
  t.true(called.size > 10);
  t.deepEqual(
    operations.map(({ name }) => name).filter((name) => !called.has(name)),
    [],
  );
});

test('Idempotency-Key: the same call again is answered as the first was, and makes nothing', async (t) => {
  const headers = { 'idempotency-key': '"8e03978e-40d5-43dd"' };
  const json = { uid: 'once', name: 'Once Only' };
  const first = await call(t, atrium, 'users.create', { json, headers });
  const second = await call(t, atrium, 'users.create', { json, headers });
  t.is(second.status, 201);
  t.deepEqual(second.body, first.body);
  t.is(second.headers.get('location'), first.headers.get('location'));
  t.is(second.headers.get('idempotency-replayed'), 'true');
  t.is((await call(t, atrium, 'users.create', { json })).status, 409);
  t.is((await call(t, atrium, 'users.create', { json: { ...json, uid: 'other' }, headers })).status, 422);
  t.is((await call(t, atrium, 'users.create', { json, headers: { 'idempotency-key': 'a'.repeat(300) } })).status, 400);
});

test('Idempotency-Key: of two at one moment one makes it; what was refused may be tried again; what is told once is not told again', async (t) => {
  const headers = { 'idempotency-key': 'twice' };
  const both = await Promise.all(
    [1, 2].map(() => call(t, atrium, 'groups.create', { json: { name: 'twice', members: ['admin'] }, headers })),
  );
  t.deepEqual(both.map(({ status }) => status).filter((status) => status === 201).length >= 1, true);
  t.true(both.every(({ status }) => status === 201 || status === 409));
  const again = { 'idempotency-key': 'again' };
  t.is((await call(t, atrium, 'groups.create', { json: { name: 'again', members: ['nobody'] }, headers: again })).status, 400);
  t.is((await call(t, atrium, 'groups.create', { json: { name: 'again', members: ['nobody'] }, headers: again })).status, 400);
  const json = { user: 'admin', name: 'program', scopes: ['ldap'] };
  const told = { 'idempotency-key': 'told' };
  t.is((await call(t, atrium, 'users.create-app-password', { json, headers: told })).status, 201);
  t.is((await call(t, atrium, 'users.create-app-password', { json, headers: told })).status, 409);
  t.is((await call(t, atrium, 'users.app-passwords', { query: { user: 'admin' } })).body.appPasswords.length, 1);
});
