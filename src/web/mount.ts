import type { Next, Request, Response, Server } from 'restify';
import type { Log } from '#audit';
import type { RouteMethod, RouteRow } from '#catalogue';
import { type BodyLimits, readForm } from './body.ts';
import { readJson, streamBody } from './body-json.ts';
import { readCookies } from './cookies.ts';
import { foreignOriginOf, preflight } from './cors.ts';
import { type Csrf, csrfField } from './csrf.ts';
import { errors } from './errors.ts';
import type { MayAsk, RawRequest, WebRequest, WebRoute } from './exchange.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import { errorOf, type Sender } from './send.ts';

export interface MountOptions {
  readonly server: Server;
  readonly exchanges: Exchanges;
  readonly send: Sender;
  readonly csrf: Csrf;
  readonly limits: BodyLimits & { readonly depthMax: number };
  readonly log: Log;
  /** Of this service, beside its own: `global.corsOrigins`. */
  readonly origins: readonly string[];
}

/** Mounts routes from their rows. Whatever a handler does, the request is answered and the process goes on. */
export function mountRoutes(routes: readonly WebRoute[], options: MountOptions): void {
  const { server, exchanges, log, send } = options;
  const mounted =
    (answer: (exchange: Exchange, params: Params) => Promise<void>) => (request: Request, _response: Response, next: Next) => {
      const safely = async (): Promise<void> => {
        const exchange = exchanges.of(request);
        if (exchange === undefined) throw new Error('a request that did not come through the door');
        try {
          // A handler that throws at once rejects this promise too: Restify alone would let it end the process.
          await answer(exchange, request.params as Params);
        } catch (thrown) {
          const { error, means } = errorOf(thrown);
          if (error === errors.serverErrorUnclassified)
            log.error(error, describeBug(thrown), { path: exchange.path, correlationId: exchange.correlationId });
          send.refuse(exchange, error, means === undefined ? {} : { means });
        }
      };
      safely().then(
        () => next(false),
        () => next(false),
      );
    };
  for (const route of routes) {
    const { row } = route;
    const handler = mounted(async (exchange, params) => {
      if ('handle' in route) {
        send.reply(exchange, await route.handle(readRequest(exchange, params, options)));
        return;
      }
      send.prepare(exchange);
      const reply = await route.raw(rawRequest(exchange, params, options));
      if (reply !== undefined) send.reply(exchange, reply);
      else if (!exchange.response.headersSent) throw new Error('a handler that answers by itself did not');
    });
    mount(server, row, handler);
  }
  for (const [path, asked] of preflights(routes)) {
    server.opts(
      path,
      mounted(async (exchange) => {
        const { headers, refused } = await preflight(exchange, asked.methods, { ...asked, listed: options.origins });
        if (refused !== undefined) send.record(exchange, refused, 'refused');
        send.empty(exchange, 204, headers);
      }),
    );
  }
}

const methods: readonly RouteMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function mount(
  server: Server,
  { method, path, head }: RouteRow,
  mounted: (request: Request, response: Response, next: Next) => void,
): void {
  switch (method) {
    case 'GET':
      server.get(path, mounted);
      // Restify hands HEAD only to routes of its own; Node knows that no body is sent.
      if (head !== 'refused') server.head(path, mounted);
      return;
    case 'POST':
      server.post(path, mounted);
      return;
    case 'PUT':
      server.put(path, mounted);
      return;
    case 'PATCH':
      server.patch(path, mounted);
      return;
    case 'DELETE':
      server.del(path, mounted);
      return;
  }
}

type Params = Readonly<Record<string, string>>;

/** What pages of other origins may ask for, by path: a path has one answer for all of its methods. */
function preflights(routes: readonly WebRoute[]) {
  const byPath = new Map<string, { methods: string[]; isOpen: boolean; mayAsk: MayAsk | undefined }>();
  for (const route of routes) {
    const { path, method, cors } = route.row;
    if (cors === undefined || !('raw' in route)) continue;
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, { methods: [method], isOpen: cors === 'open', mayAsk: route.mayAsk });
    else known.methods.push(method);
  }
  return byPath;
}

function rawRequest(exchange: Exchange, params: Params, options: MountOptions): RawRequest {
  const { openForm: _, ...common } = readRequest(exchange, params, options);
  const { request, response } = exchange;
  return {
    ...common,
    request,
    response,
    foreignOrigin: foreignOriginOf(exchange),
    form: () => readForm(request, options.limits),
  };
}

function readRequest(exchange: Exchange, params: Params, { csrf, limits, send }: MountOptions): WebRequest {
  const { request, realm, query, target, door, secure, origin, address, correlationId } = exchange;
  return {
    method: methods.find((method) => method === request.method) ?? 'GET',
    isHead: request.method === 'HEAD',
    realm,
    path: target.split('?', 1).join(''),
    query,
    target,
    params,
    cookies: (name) => readCookies(request.headers.cookie, name),
    openForm: async (subjectOf) => {
      const form = await readForm(request, limits);
      const refused = csrf.judge(form.get(csrfField) ?? undefined, subjectOf(form));
      if (refused !== undefined) send.record(exchange, refused, 'refused');
      return { form, refused };
    },
    header: (name) => {
      const values = request.headersDistinct[name.toLowerCase()];
      return values?.length === 1 ? values[0] : undefined;
    },
    json: (octetsMax = limits.octetsMax) => readJson(request, { octetsMax, depthMax: limits.depthMax }),
    stream: (types, octetsMax) => streamBody(request, types, octetsMax),
    door,
    secure,
    origin,
    address,
    correlationId,
  };
}

/** Enough of a bug to find it. What was typed does not stand in stack frames. */
function describeBug(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a handler threw ${typeof thrown}`;
  const frames = (thrown.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return `${thrown.name}: ${thrown.message} ${frames
    .slice(0, 3)
    .map((line) => line.trim())
    .join(' ')}`;
}
