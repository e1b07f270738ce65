import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type Chance, uuid4 } from '#base';
import { isLoopbackAddress, plainAddress } from './host.ts';
import type { WebRealm } from './realm.ts';

/** One request and its answer, with what the door has found out so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly correlationId: string;
  readonly door: 'http' | 'https';
  readonly address: string;
  /** True when the connection comes from this machine itself. */
  readonly local: boolean;
  /** Whose pages are asked for; the default realm until that is known. */
  realm: WebRealm;
  /** As `readHost` and `readTarget` found them; empty before. */
  host: string;
  /** As it came: with the realm's prefix. */
  path: string;
  /** Path and query without the realm's prefix. */
  target: string;
  query: URLSearchParams;
  secure: boolean;
  /** Of this service as the browser sees it; empty before the host is known. */
  origin: string;
  /** True when the connection was answered and closed underneath, because what came on it is broken. */
  given: boolean;
}

export interface Exchanges {
  open(request: IncomingMessage, response: ServerResponse): Exchange;
  of(request: IncomingMessage): Exchange | undefined;
  /** The exchange that a connection is in the middle of. */
  on(socket: Socket): Exchange | undefined;
}

/**
 * Keeps the exchange of each request for as long as the request itself lives.
 *
 * @param onPath  of a door that is a Unix socket: whoever comes is on this machine
 */
export function createExchanges(chance: Chance, standing: WebRealm, onPath = false): Exchanges {
  const byRequest = new WeakMap<IncomingMessage, Exchange>();
  const bySocket = new WeakMap<Socket, Exchange>();
  return {
    open: (request, response) => {
      const address = plainAddress(request.socket.remoteAddress);
      const exchange: Exchange = {
        request,
        response,
        correlationId: uuid4(chance),
        door: (request.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http',
        address,
        local: onPath || isLoopbackAddress(address),
        realm: standing,
        host: '',
        path: '',
        target: '',
        query: new URLSearchParams(),
        secure: false,
        origin: '',
        given: false,
      };
      byRequest.set(request, exchange);
      bySocket.set(request.socket, exchange);
      return exchange;
    },
    of: (request) => byRequest.get(request),
    on: (socket) => {
      const exchange = bySocket.get(socket);
      return exchange?.response.writableFinished === true ? undefined : exchange;
    },
  };
}
