import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from './body.ts';
import { errors } from './errors.ts';
import type { Exchanges } from './exchanges.ts';
import type { Sender } from './send.ts';

/** Status of what Node's parser refuses, with its words in the first line; 400 for the rest. */
const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

export interface BrokenOptions {
  readonly exchanges: Exchanges;
  readonly send: Sender;
  /** Records what came before there was a request at all. */
  readonly record: (address: string | undefined, why: string) => void;
}

/**
 * Answers what the HTTP parser gives up on: bytes that are no request, too many headers, a body that stops or breaks, a client that never finishes.
 * The answer is written by hand, since there may be no request to answer.
 */
export function answerBroken(server: Server, { exchanges, send, record }: BrokenOptions): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const why = error.code ?? '';
    // Anything else is a failed handshake or a connection that is gone.
    if (!/^(?:HPE_|ERR_HTTP_)/.test(why)) {
      socket.destroy();
      return;
    }
    const exchange = exchanges.on(socket);
    const within = exchange !== undefined && announcesBody(exchange.request) && !exchange.request.complete;
    const status = statuses[why] ?? '400 Bad Request';
    if (exchange?.response.headersSent === true) {
      // It was answered already, and why is recorded; what follows on this connection is of no interest.
      socket.destroy();
      return;
    }
    if (exchange !== undefined && within && !exchange.given) {
      send.record(exchange, errors.bodyBroken, 'refused');
      exchange.given = true;
    } else if (exchange === undefined) {
      record(socket.remoteAddress, why);
    }
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
}
