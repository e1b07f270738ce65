import type { Next, Request, Response, Server } from 'restify';
import type { Log } from '#audit';
import { type BodyLimits, readForm } from './body.ts';
import { readCookies } from './cookies.ts';
import { type Csrf, csrfField } from './csrf.ts';
import { errors } from './errors.ts';
import type { WebRequest, WebRoute } from './exchange.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import { errorOf, type Sender } from './send.ts';

export interface MountOptions {
  readonly server: Server;
  readonly exchanges: Exchanges;
  readonly send: Sender;
  readonly csrf: Csrf;
  readonly limits: BodyLimits;
  readonly log: Log;
}

/** Mounts routes from their rows. Whatever a handler does, the request is answered and the process goes on. */
export function mountRoutes(routes: readonly WebRoute[], options: MountOptions): void {
  const { server, exchanges, log, send } = options;
  for (const { row, handle } of routes) {
    const safely = async (request: Request): Promise<void> => {
      const exchange = exchanges.of(request);
      if (exchange === undefined) throw new Error('a request that did not come through the door');
      try {
        // A handler that throws at once rejects this promise too: Restify alone would let it end the process.
        send.reply(exchange, await handle(readRequest(exchange, request.params as Record<string, string>, options)));
      } catch (thrown) {
        const { error, means } = errorOf(thrown);
        if (error === errors.serverErrorUnclassified)
          log.error(error, describeBug(thrown), { path: exchange.path, correlationId: exchange.correlationId });
        send.refuse(exchange, error, means === undefined ? {} : { means });
      }
    };
    const mounted = (request: Request, _response: Response, next: Next) => {
      safely(request).then(
        () => next(false),
        () => next(false),
      );
    };
    if (row.method === 'GET') server.get(row.path, mounted);
    else server.post(row.path, mounted);
  }
}

function readRequest(exchange: Exchange, params: Readonly<Record<string, string>>, { csrf, limits, send }: MountOptions): WebRequest {
  const { request, realm, query, target, door, secure, origin, address, correlationId } = exchange;
  return {
    method: request.method === 'POST' ? 'POST' : 'GET',
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
