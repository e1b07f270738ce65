import { connect, type Socket } from 'node:net';
import { utf8 } from '#base';
import { decodeMessage, encodeMessage, operationTags, type Request, type Response, readFrame, resultName } from '#ldap';

/** What someone does with the messages of a connection. */
export interface Listener {
  /** One whole message lies in `bytes` from `at` to `next`. */
  readonly message: (bytes: Buffer, at: number, next: number) => void;
  /** All that had arrived has been heard. */
  readonly turn?: () => void;
  readonly lost: (error: Error) => void;
}

const limits = { messageOctetsMax: 2 ** 30 };
const nothing = Buffer.alloc(0);

/** An LDAP connection over TCP that does nothing by itself: messages are found in the stream and handed over undecoded. */
export class Connection implements Disposable {
  readonly #socket: Socket;
  #rest: Buffer = nothing;
  #listener: Listener | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#hear(chunk));
    socket.on('error', (error) => this.#listener?.lost(error));
    socket.on('close', () => this.#listener?.lost(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  listen(listener: Listener): void {
    this.#listener = listener;
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Reads nothing more for a while. */
  rest(ms: number): void {
    this.#socket.pause();
    setTimeout(() => this.#socket.resume(), ms);
  }

  #hear(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let frame = readFrame(bytes, at, limits); frame.kind !== 'more'; frame = readFrame(bytes, at, limits)) {
      if (frame.kind === 'bad') {
        this.#listener?.lost(new Error(`the server sent no message: ${frame.why}`));
        this.#socket.destroy();
        return;
      }
      this.#listener?.message(bytes, at, frame.next);
      at = frame.next;
    }
    this.#rest = at === bytes.length ? nothing : bytes.subarray(at);
    this.#listener?.turn?.();
  }

  [Symbol.dispose](): void {
    this.#listener = undefined;
    this.#socket.destroy();
  }
}

/** What stands at the front of a message. */
export interface Head {
  readonly messageId: number;
  /** Tag of the operation. */
  readonly tag: number;
  /** Result code when the operation ends with this message, or -1. */
  readonly code: number;
}

/** Reads the front of an answer without decoding the rest: a load generator has no time for that. RFC 4511 §4.1.1, §4.1.9. */
export function readHead(bytes: Uint8Array, start: number): Head {
  let at = afterLength(bytes, start + 1) + 1;
  const idEnd = at + 1 + (bytes[at] ?? 0);
  let messageId = 0;
  for (at++; at < idEnd; at++) messageId = messageId * 256 + (bytes[at] ?? 0);
  const tag = bytes[at] ?? 0;
  const partial = tag === operationTags.searchResultEntry || tag === operationTags.searchResultReference;
  // The first part of every result is resultCode ENUMERATED, of one octet.
  return { messageId, tag, code: partial ? -1 : (bytes[afterLength(bytes, at + 1) + 2] ?? -1) };
}

function afterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  return at + 1 + (first < 0x80 ? 0 : first & 0x7f);
}

export interface Answer {
  readonly responses: readonly Response[];
  /** Octets of all its messages as they travelled. */
  readonly octets: number;
}

/** Sends one request and gathers all of its answer. */
export function ask(connection: Connection, request: Request): Promise<Answer> {
  const responses: Response[] = [];
  let octets = 0;
  return new Promise((resolve, reject) => {
    connection.listen({
      message(bytes, at, next) {
        octets += next - at;
        const decoded = decodeMessage(bytes.subarray(at, next), { depthMax: 100 });
        if (decoded.kind === 'bad') return reject(new Error(`the server sent no message: ${decoded.why}`));
        responses.push(decoded.message.op as Response);
        if (readHead(bytes, at).code >= 0) resolve({ responses, octets });
      },
      lost: reject,
    });
    connection.write(encodeMessage({ messageId: 1, op: request, controls: [] }));
  });
}

export function bindRequest(name: string, password: string): Request {
  return { kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: utf8(password) } };
}

/** @throws Error when the server does not take the name and the password */
export async function bind(connection: Connection, name: string, password: string): Promise<void> {
  const [response] = (await ask(connection, bindRequest(name, password))).responses;
  if (response?.kind !== 'bindResponse' || response.result.code !== 0) throw new Error(`bind as ${name}: ${explain(response)}`);
}

/** A result in words. */
export function explain(response: Response | undefined): string {
  if (response === undefined || !('result' in response)) return 'no result';
  const { code, diagnostic } = response.result;
  return `${resultName(code)}${diagnostic === '' ? '' : ` (${diagnostic})`}`;
}
