import type { RouteRow } from '#catalogue';
import { bindRoutes, type Handler, type Reply, type WebRequest, type WebRoute } from '#web';
import type { OperationDeps } from '../operations/deps.ts';
import { type Failure, failureOf } from '../operations/failure.ts';
import { type Performed, perform } from '../operations/perform.ts';
import type { Call, Caller, Operation } from '../operations/row.ts';
import { streamed } from '../operations/streamed.ts';
import { Unfit } from '../operations/unfit.ts';
import { routes as ownRoutes } from '../routes.ts';
import { challengeFor, failed, gateFailure } from './answer.ts';
import type { Gate } from './gate.ts';
import { type Idempotency, keyOf, openIdempotency } from './idempotency.ts';
import { openApiOf } from './openapi.ts';

/** The route of an operation, as the metadata shows it. */
export function routeOf({ method, path, summary }: Operation): RouteRow {
  return { method, path, purpose: summary, source: 'specification document 1, "Management API operations"', coverage: 'full' };
}

/** What the management API is made of. */
export interface ApiOptions {
  readonly operations: readonly Operation[];
  readonly deps: OperationDeps;
  readonly version: string;
}

/** A door at which it is offered. */
export interface ApiDoor {
  readonly gate: Gate;
  /** Of the operators' door, which the trail names so: where browsers reach the service, since who comes through it does not say. */
  readonly operators?: { readonly origin: () => string | undefined };
}

interface ApiParts extends ApiDoor, Pick<ApiOptions, 'deps'> {
  readonly idempotency: Idempotency;
}

/** The management API, whose routes a door has: a row each, and the document that describes them. */
export function createApi({ operations, deps, version }: ApiOptions): (door: ApiDoor) => readonly WebRoute[] {
  const offered = operations.filter((row) => row.offered?.(deps) ?? true);
  const idempotency = openIdempotency(deps.state, deps.clock, deps.log);
  // Nothing in it is of anybody: whoever is to write a client has no token yet.
  const openapi: Handler = ({ origin, realm }) => ({
    kind: 'json',
    body: openApiOf(offered, { address: `${origin}${realm.prefix}`, version }),
  });
  return (door) => [
    ...bindRoutes(ownRoutes, { openapi }),
    ...offered.map((row) => ({ row: routeOf(row), handle: (request: WebRequest) => answer(row, request, { ...door, deps, idempotency }) })),
  ];
}

async function answer(row: Operation, request: WebRequest, { deps, gate, idempotency, operators }: ApiParts): Promise<Reply> {
  const { realm, address, correlationId } = request;
  const origin = operators?.origin() ?? request.origin;
  const visit = { door: operators === undefined ? request.door : 'operators', address, correlationId };
  let subject = '';
  /** Refused before it was an operation of anybody. */
  const refused = (failure: Failure, thrown: unknown): Reply => {
    const outcome = failure.status < 500 ? 'refused' : 'failed';
    const summary = `${row.method} ${row.path}: ${failure.means}`;
    deps.audit.record({ realm: realm.id, ...visit, subject, action: `admin.${row.name}`, outcome, error: failure.error, summary });
    const reply = failed(failure, correlationId);
    return { ...reply, headers: { ...reply.headers, ...challengeFor(thrown, realm.id, row.scope) } };
  };
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
    const run = async (): Promise<Reply> => replyOf(row, request, await perform(row, call, given));
    const key = row.status === 201 ? keyOf(request.header('idempotency-key')) : undefined;
    return key === undefined ? await run() : await answerOnce({ row, request, key, caller, given }, idempotency, run);
  } catch (thrown) {
    return refused(gateFailure(thrown) ?? failureOf(thrown), thrown);
  }
}

interface Once {
  readonly row: Operation;
  readonly request: WebRequest;
  readonly key: string;
  readonly caller: Caller;
  readonly given: unknown;
}

/** A call that carries a key: performed once, and answered alike as often as it comes. */
async function answerOnce({ row, request, ...keyed }: Once, idempotency: Idempotency, run: () => Promise<Reply>): Promise<Reply> {
  const made = await idempotency.once<Reply>({ ...keyed, row, realm: request.realm.id }, keyed.given, async () => {
    const value = await run();
    const isMade = value.kind === 'json' && value.status === 201 && typeof value.body === 'object' && value.body !== null;
    return { value, ...(isMade ? { made: { ...value.body } } : {}) };
  });
  if (!('ok' in made)) return made as Reply;
  return { kind: 'json', status: 201, headers: { ...headersOf(row, request, made), 'Idempotency-Replayed': 'true' }, body: made };
}

function replyOf(row: Operation, request: WebRequest, performed: Performed): Reply {
  switch (performed.kind) {
    case 'done':
      return {
        kind: 'json',
        status: row.status ?? 200,
        headers: headersOf(row, request, performed.output),
        body: { ok: true, ...performed.output },
      };
    case 'streamed':
      return streamed(row, request.realm, performed);
    case 'failed':
      return failed(performed.failure, request.correlationId);
  }
}

/** Of what can be edited its entity tag; of what was made, where it is. */
function headersOf(row: Operation, { realm }: WebRequest, output: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const { id } = output;
  const [own] = tagIn(output);
  const tags = own === undefined ? Object.values(output).flatMap(tagIn) : [own];
  const isMade = row.status === 201 && row.once === undefined && typeof id === 'string';
  const place = row.location?.(output) ?? `${row.path}/${encodeURIComponent(String(id))}`;
  return {
    // Where two things are told at once, each has its own beside it.
    ...(tags.length === 1 ? { ETag: `"${tags[0]}"` } : {}),
    ...(isMade ? { Location: realm.prefix + place } : {}),
  };
}

function tagIn(thing: unknown): readonly string[] {
  if (typeof thing !== 'object' || thing === null || !('etag' in thing)) return [];
  return typeof thing.etag === 'string' && thing.etag !== '' ? [thing.etag] : [];
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
