import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Audit, Outcome } from '#audit';
import { utf8 } from '#base';
import { type ErrorRow, Refusal } from '#catalogue';
import type { Assets } from './assets.ts';
import { announcesBody } from './body.ts';
import { formatCookie } from './cookies.ts';
import { errors } from './errors.ts';
import { errorJson, errorOfApi, errorPage, errorText, prefersJson } from './errors-page.ts';
import type { FileReply, Reply, StreamReply } from './exchange.ts';
import type { Exchange } from './exchanges.ts';
import { type Admitted, securityHeaders } from './headers.ts';
import { limitRow } from './limited.ts';
import { renderPage } from './page.ts';
import { pathIn } from './realm.ts';
import { fillText } from './texts.ts';

/** Answers. Each exchange is answered once; a second answer, or one to somebody who has gone, is dropped. */
export interface Sender {
  reply(exchange: Exchange, reply: Reply): void;
  /** Records why, and shows the status with words that say no more than the status does. */
  refuse(exchange: Exchange, error: ErrorRow, detail?: Refused): void;
  /** Records a refusal that somebody else shows. */
  record(exchange: Exchange, error: ErrorRow, outcome: Outcome, means?: string): void;
  /** Sets the headers of every answer, for a handler that answers by itself. What is answered otherwise sets its own over them. */
  prepare(exchange: Exchange): void;
  /** An answer without a body. */
  empty(exchange: Exchange, status: number, headers: Readonly<Record<string, string>>): void;
  /** 308: the same request again at another address. */
  sendOn(exchange: Exchange, url: string): void;
}

interface Refused {
  readonly status?: number;
  /** For the audit row, when the row's own meaning has placeholders. */
  readonly means?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SenderOptions {
  readonly assets: Assets;
  readonly audit: Audit;
  /** Octets of a body that are read and thrown away, so that a client that still sends it gets to read the answer. */
  readonly discardOctetsMax: number;
  /** The path below which there are no pages: whatever is refused there is told in JSON. */
  readonly apiPath: string | undefined;
  /** True once the service is ending: connections are not kept any more. */
  readonly ending: () => boolean;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

export function createSender({ assets, audit, discardOctetsMax, apiPath, ending }: SenderOptions): Sender {
  const record: Sender['record'] = ({ request, realm, path, door, address, correlationId }, error, outcome, means = error.means) =>
    audit.record({
      realm: realm.id,
      door,
      subject: '',
      action: 'web.request',
      outcome,
      error,
      // The path without the query, in which a secret might stand.
      summary: `${request.method ?? ''} ${path}: ${means}`,
      correlationId,
      address,
    });

  const write = (exchange: Exchange, status: number, headers: Headers, body: Uint8Array, admitted: Admitted = {}) => {
    const { request, response, secure, host } = exchange;
    if (exchange.given || response.headersSent || response.destroyed) return;
    const unread = announcesBody(request) && !request.complete;
    response.writeHead(status, {
      'Cache-Control': 'no-store',
      ...securityHeaders(secure, host, admitted),
      ...headers,
      'Content-Length': String(body.length),
      ...(unread || ending() ? { Connection: 'close' } : {}),
    } as Record<string, string | string[]>);
    if (!unread) {
      response.end(body);
      return;
    }
    response.write(body);
    discard(exchange, discardOctetsMax);
  };

  const page = (exchange: Exchange, status: number, shown: Parameters<typeof renderPage>[0], more: Headers = {}) =>
    write(
      exchange,
      status,
      { 'Content-Type': 'text/html; charset=utf-8', Vary: 'Accept, Cookie', ...more },
      utf8(renderPage(shown, assets, exchange.realm)),
      { script: shown.script !== undefined, ...(shown.leadsTo === undefined ? {} : { leadsTo: shown.leadsTo }) },
    );

  const refuse: Sender['refuse'] = (exchange, error, { status = error.sees.http ?? 500, means, headers = {} } = {}) => {
    if (exchange.given) return;
    record(exchange, error, status < 500 ? 'refused' : 'failed', means);
    if (error === errors.queryNameRefused || error === errors.queryControlCharacter) {
      write(exchange, status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, utf8(errorText(status, error)));
    } else if (isBelow(exchange.target, apiPath)) {
      write(exchange, status, { 'Content-Type': jsonType, ...headers }, utf8(errorOfApi(status, error, exchange.correlationId)));
    } else if (prefersJson(exchange.request.headers.accept)) {
      const body = utf8(errorJson(status, error, exchange.correlationId));
      write(exchange, status, { 'Content-Type': jsonType, Vary: 'Accept', ...headers }, body);
    } else {
      page(exchange, status, errorPage(status, error, exchange.correlationId, exchange.realm), headers);
    }
  };

  const reply: Sender['reply'] = (exchange, answer) => {
    const cookies = (answer.cookies ?? []).map((cookie) => formatCookie(cookie, exchange.realm.prefix, exchange.secure));
    const common: Headers = cookies.length > 0 ? { 'Set-Cookie': cookies } : {};
    const limited = answer.kind === 'page' ? answer.limited : undefined;
    const status = limited !== undefined ? 429 : 'status' in answer ? (answer.status ?? 200) : 200;
    if (limited !== undefined && answer.error === undefined) record(exchange, limitRow(limited), 'refused');
    else if (status >= 400 && answer.error === undefined) {
      const [unclassified, outcome] =
        status < 500 ? ([errors.clientErrorUnclassified, 'refused'] as const) : ([errors.serverErrorUnclassified, 'failed'] as const);
      record(exchange, unclassified, outcome);
    }
    switch (answer.kind) {
      case 'page': {
        const retryAfterS = limited?.waitS ?? answer.retryAfterS;
        const waits = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) };
        page(exchange, status, answer.page, { ...common, ...waits });
        return;
      }
      case 'redirect':
        if (answer.away !== true && !/^\/(?![/\\])/.test(answer.to))
          throw new Error('a redirect to something that is no path of the realm');
        write(
          exchange,
          answer.status,
          { ...common, Location: answer.away === true ? answer.to : pathIn(exchange.realm, answer.to) },
          new Uint8Array(),
        );
        return;
      case 'file':
        sendFile(exchange, answer);
        return;
      case 'json': {
        const body = answer.body === undefined ? new Uint8Array() : utf8(`${JSON.stringify(answer.body)}\n`);
        write(exchange, status, { ...common, ...(body.length > 0 ? { 'Content-Type': jsonType } : {}), ...answer.headers }, body);
        return;
      }
      case 'stream':
        void sendStream(exchange, answer, common);
    }
  };

  const sendFile = (exchange: Exchange, { type, body, gzipped }: FileReply) => {
    // RFC 9110 §12.4.2: a weight of zero means not at all.
    const zipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(exchange.request.headers['accept-encoding'] ?? ''));
    const headers = {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(zipped ? { 'Content-Encoding': 'gzip' } : {}),
    };
    write(exchange, 200, headers, zipped ? gzipped : body);
  };

  const sendStream = async (exchange: Exchange, { type, headers, body }: StreamReply, common: Headers) => {
    const { request, response, secure, host } = exchange;
    if (exchange.given || response.headersSent || response.destroyed) return;
    try {
      response.writeHead(200, {
        'Cache-Control': 'no-store',
        ...securityHeaders(secure, host),
        ...common,
        'Content-Type': type,
        ...headers,
        ...(ending() || (announcesBody(request) && !request.complete) ? { Connection: 'close' } : {}),
      } as Record<string, string | string[]>);
      await pipeline(Readable.from(body, { objectMode: false }), response);
    } catch (thrown) {
      // Who went away in the middle knows it.
      if (!exchange.request.socket.destroyed || !isGone(thrown)) {
        const why = thrown instanceof Error ? thrown.message : 'unknown';
        record(exchange, errors.replyBroken, 'failed', fillText(errors.replyBroken.means, { why }));
      }
      response.destroy();
    }
  };

  const prepare: Sender['prepare'] = ({ response, secure, host }) => {
    const common = { 'Cache-Control': 'no-store', ...securityHeaders(secure, host), ...(ending() ? { Connection: 'close' } : {}) };
    for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
  };
  const empty: Sender['empty'] = (exchange, status, headers) => write(exchange, status, headers, new Uint8Array());

  return { reply, refuse, record, prepare, empty, sendOn: (exchange, url) => write(exchange, 308, { Location: url }, new Uint8Array()) };
}

const jsonType = 'application/json';

function isBelow(target: string, path: string | undefined): boolean {
  return path !== undefined && (target === path || target.startsWith(`${path}/`) || target.startsWith(`${path}?`));
}

function isGone(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** What a handler threw, as a row and a status; a bug is nobody's own code. */
export function errorOf(thrown: unknown): { readonly error: ErrorRow; readonly means?: string } {
  if (thrown instanceof Refusal) return { error: thrown.row, means: fillText(thrown.row.means, thrown.detail) };
  return { error: errors.serverErrorUnclassified };
}

/** A client that is cut off while it sends does not read what it was answered. */
function discard({ request, response }: Exchange, octetsMax: number): void {
  let octets = 0;
  const end = () => {
    request.off('data', count).off('end', end).off('close', end);
    response.end();
  };
  const count = (chunk: Uint8Array) => {
    octets += chunk.length;
    if (octets > octetsMax) end();
  };
  request.on('data', count).on('end', end).on('close', end);
  request.resume();
}
