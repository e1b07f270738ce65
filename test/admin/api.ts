import type { ExecutionContext } from 'ava';
import type { Operation } from '#admin';
import { operations } from '#admin';
import { startTestAtrium, type TestAtrium, type TestOptions } from '../support/atrium.ts';

/** A running service whose management API takes no tokens: the caller is the built-in administrator. */
export async function openApi(options: TestOptions = {}): Promise<TestAtrium> {
  return await startTestAtrium({
    ...options,
    settings: { STS_GLOBAL_MODE: 'development', ADMIN_API_AUTH_REQUIRED: 'false', ...options.settings },
  });
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // What came is held against its shape before a test looks at it.
  // biome-ignore lint/suspicious/noExplicitAny: a test names the members it looks at
  readonly body: any;
}

export interface Asked {
  readonly query?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Of a row that takes octets. */
  readonly octets?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly prefix?: string;
  readonly token?: string;
}

/** Calls an operation by its row, and holds whatever is answered against the row's shape. */
export async function call(t: ExecutionContext, atrium: TestAtrium, name: string, asked: Asked = {}): Promise<Answered> {
  const row = operations.find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no operation ${name}`);
  const path = row.path.replace(/:(\w+)/g, (_, member: string) => encodeURIComponent(asked.params?.[member] ?? ''));
  const url = `${atrium.addresses.http}${asked.prefix ?? ''}${path}?${new URLSearchParams(asked.query)}`;
  const response = await fetch(url, {
    method: row.method,
    headers: {
      ...(asked.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(asked.octets === undefined ? {} : { 'content-type': row.takes?.type ?? '' }),
      ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
      ...asked.headers,
    },
    ...(asked.json === undefined ? {} : { body: JSON.stringify(asked.json) }),
    ...(asked.octets === undefined ? {} : { body: asked.octets }),
  });
  if (response.ok && row.gives !== undefined) {
    t.is(response.headers.get('content-type'), row.gives.type);
    return { status: response.status, headers: response.headers, body: await response.text() };
  }
  const body: unknown = await response.json();
  fits(t, row, response.status, body);
  return { status: response.status, headers: response.headers, body };
}

/** Success as the row has it, failure as all have it. */
function fits(t: ExecutionContext, row: Operation, status: number, body: unknown): void {
  if (typeof body !== 'object' || body === null) {
    t.fail(`${row.name} answered no object`);
    return;
  }
  if (status < 300) {
    const { ok, ...output } = body as Record<string, unknown>;
    t.is(ok, true);
    t.is(status, row.status ?? 200);
    const parsed = row.output.safeParse(output);
    t.true(parsed.success, `${row.name}: ${parsed.error?.message}`);
    return;
  }
  const { ok, errors, reference, ...others } = body as Record<string, unknown>;
  t.is(ok, false);
  t.true(Array.isArray(errors) && errors.length > 0 && errors.every(isFieldError), JSON.stringify(body));
  t.is(typeof reference, 'string');
  t.deepEqual(others, {});
}

function isFieldError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { field, message, ...others } = error as Record<string, unknown>;
  return typeof message === 'string' && (field === undefined || typeof field === 'string') && Object.keys(others).length === 0;
}
