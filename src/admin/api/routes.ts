import type { RouteRow } from '#catalogue';
import { Refusal } from '#catalogue';
import type { Reply, WebRequest, WebRoute } from '#web';
import type { OperationDeps } from '../operations/deps.ts';
import { type Failure, failureOf, filled } from '../operations/failure.ts';
import { perform } from '../operations/perform.ts';
import type { Call, Operation } from '../operations/row.ts';
import { Unfit } from '../operations/unfit.ts';
import { challenge, failed, gateFailure } from './answer.ts';
import type { Gate } from './gate.ts';

/** The route of an operation, as the metadata shows it. */
export function routeOf({ method, path, summary }: Operation): RouteRow {
  return { method, path, purpose: summary, source: 'specification document 1, "Management API operations"', coverage: 'full' };
}

/** The routes of the management API, a row each. */
export function apiRoutes(operations: readonly Operation[], deps: OperationDeps, gate: Gate): readonly WebRoute[] {
  return operations
    .filter(({ offered }) => offered?.(deps) ?? true)
    .map((row) => ({ row: routeOf(row), handle: (request) => answer(row, request, deps, gate) }));
}

async function answer(row: Operation, request: WebRequest, deps: OperationDeps, gate: Gate): Promise<Reply> {
  const { realm, origin, door, address, correlationId } = request;
  const visit = { door, address, correlationId };
  /** Refused before it was an operation of anybody. */
  const refused = (failure: Failure, subject: string): Reply => {
    const outcome = failure.status < 500 ? 'refused' : 'failed';
    const summary = `${row.method} ${row.path}: ${failure.means}`;
    deps.audit.record({ realm: realm.id, ...visit, subject, action: `admin.${row.name}`, outcome, error: failure.error, summary });
    const reply = failed(failure, correlationId);
    return { ...reply, headers: { ...reply.headers, ...challenge(failure.error, realm.id, row.scope) } };
  };
  let subject = '';
  try {
    const caller = await gate(request, row.scope);
    subject = caller.dn;
    const ifMatch = row.editable === true ? etagOf(request.header('if-match')) : undefined;
    const call: Call = {
      realm,
      origin,
      visit,
      caller,
      actor: deps.client.as({ dn: caller.dn, session: caller.session }),
      deps,
      ...(ifMatch === undefined ? {} : { ifMatch }),
      ...(row.takes === undefined
        ? {}
        : { body: request.stream([row.takes.type], Number(deps.settingsOf(realm.id)[row.takes.octetsMax])) }),
    };
    const given = await givenOf(row, request);
    const performed = await perform(row, call, given);
    switch (performed.kind) {
      case 'done':
        return {
          kind: 'json',
          status: row.status ?? 200,
          headers: headersOf(row, request, performed.output),
          body: { ok: true, ...performed.output },
        };
      case 'streamed':
        return { kind: 'stream', type: row.gives?.type ?? 'application/octet-stream', body: performed.stream };
      case 'failed':
        return failed(performed.failure, correlationId);
    }
  } catch (thrown) {
    const atGate = gateFailure(thrown);
    if (atGate !== undefined && thrown instanceof Refusal)
      return refused({ ...atGate, means: filled(atGate.error.means, thrown.detail) }, subject);
    return refused(failureOf(thrown), subject);
  }
}

/** Of what can be edited its entity tag; of what was made, where it is. */
function headersOf(
  row: Operation,
  { realm }: WebRequest,
  { etag, id }: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const isMade = row.status === 201 && row.once === undefined && typeof id === 'string';
  return {
    ...(typeof etag === 'string' && etag !== '' ? { ETag: `"${etag}"` } : {}),
    ...(isMade ? { Location: `${realm.prefix}${row.path}/${encodeURIComponent(id)}` } : {}),
  };
}

/** RFC 9110 §8.8.3: an entity tag stands in quotes; `*` asks for no more than that it is there. */
function etagOf(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const [, tag] = /^"([\x21\x23-\x7e]{1,200})"$/.exec(header.trim()) ?? [];
  if (tag === undefined) throw new Unfit({ message: 'If-Match takes one strong entity tag, as ETag gave it.' });
  return tag;
}

/** What was sent, as one object: path, query and body. A member that stands in two of them is refused. */
async function givenOf(row: Operation, request: WebRequest): Promise<Readonly<Record<string, unknown>>> {
  const inQuery = row.method === 'GET' || row.method === 'DELETE' || row.takes !== undefined;
  const body = inQuery ? undefined : await request.json(row.bodyOctetsMax);
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body)))
    throw new Unfit({ message: 'The body must be a JSON object.' });
  const given: [string, unknown][] = [...Object.entries(request.params), ...queryOf(row, request.query), ...Object.entries(body ?? {})];
  const twice = given.find(([name], at) => given.findIndex(([each]) => each === name) !== at);
  if (twice !== undefined) throw new Unfit({ field: twice[0], message: 'is given twice' });
  return Object.fromEntries(given);
}

/** Members that are lists may be given several times. */
function queryOf(row: Operation, query: URLSearchParams): readonly [string, unknown][] {
  const names = [...new Set(query.keys())];
  return names.map((name) => {
    const values = query.getAll(name);
    const isList = Object.hasOwn(row.input.shape, name) && takesList(row.input.shape[name]);
    return [name, values.length === 1 && !isList ? values[0] : values];
  });
}

function takesList(shape: unknown): boolean {
  const def = (shape as { readonly def?: { readonly type?: string; readonly innerType?: unknown } }).def;
  if (def?.type === 'array') return true;
  return def?.innerType !== undefined && takesList(def.innerType);
}
