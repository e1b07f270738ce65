import { type Mode, protectsPasswords, verifiesPasswords } from '#policy';
import { errors } from './errors.ts';
import type { Exchange } from './exchanges.ts';
import { readHost, withoutPort } from './host.ts';
import type { Sender } from './send.ts';
import { readTarget } from './target.ts';

export interface GuardOptions {
  readonly mode: Mode;
  /** `global.publicBaseUrl`, or empty. */
  readonly publicBaseUrl: string;
  /** The port of https; `undefined` when it is switched off. Known once it listens. */
  readonly tlsPort: () => number | undefined;
  readonly send: Sender;
}

/**
 * What is asked of every request before the router sees it. Fills in the exchange.
 *
 * @returns true when the request may go on; otherwise it has been answered
 */
export function createGuard({ mode, publicBaseUrl, tlsPort, send }: GuardOptions): (exchange: Exchange) => boolean {
  const publicUrl = publicBaseUrl === '' ? undefined : new URL(publicBaseUrl);
  const hostRules = { loopbackOnly: !verifiesPasswords(mode), publicHost: publicUrl?.host ?? '' };

  const safeUrl = (host: string): string | undefined => {
    if (publicUrl?.protocol === 'https:') return publicUrl.origin;
    const port = tlsPort();
    return port === undefined ? undefined : `https://${withoutPort(host)}${port === 443 ? '' : `:${port}`}`;
  };

  return (exchange) => {
    const { request, door, local } = exchange;
    const target = readTarget(request.url ?? '');
    exchange.path = target.path;
    if (target.kind === 'refused') {
      send.refuse(exchange, target.error);
      return false;
    }
    exchange.query = target.query;
    exchange.target = target.whole;

    // RFC 9112 §3.2: of two Host headers nobody knows which one whoever stands before us has read.
    if ((request.headersDistinct['host']?.length ?? 0) > 1) {
      send.refuse(exchange, errors.hostRefused, { status: 400 });
      return false;
    }
    const host = readHost(request.headers.host, local, hostRules);
    if (host === undefined) {
      send.refuse(exchange, errors.hostRefused);
      return false;
    }
    exchange.host = host;
    // What reaches this machine itself under the https address of the service was decrypted by a proxy on it.
    exchange.secure = door === 'https' || (local && publicUrl?.protocol === 'https:' && host === publicUrl.host);

    if (protectsPasswords(mode) && !exchange.secure && !local) {
      const url = safeUrl(host);
      if (url !== undefined && (request.method === 'GET' || request.method === 'HEAD')) send.sendOn(exchange, url + target.whole);
      else send.refuse(exchange, errors.protectionNeeded);
      return false;
    }

    // Restify hands HEAD only to routes of its own; Node already knows that no body is sent.
    if (request.method === 'HEAD') request.method = 'GET';
    request.url = target.whole;
    return true;
  };
}
