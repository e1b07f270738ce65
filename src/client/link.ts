import { EventEmitter } from 'node:events';
import { refuse } from '#catalogue';
import type { Control, Request, Response, Result } from '#ldap';
import { errors } from './errors.ts';
import { type Answer, answerOf, type LibraryClient, mendParser, OwnRequest, openLibraryClient, partEvent } from './library.ts';

export interface LinkOptions {
  readonly socketPath: string;
  readonly connectTimeoutMs: number;
  readonly answerOctetsMax: number;
}

/** A final response: every one has a result. */
type Final = Extract<Response, { readonly result: Result }>;

export interface Performed {
  readonly op: Final;
  readonly controls: readonly Control[];
}

export interface PerformOptions {
  readonly timeoutMs: number;
  /** Called with what comes before the result: entries, references, intermediate responses. */
  readonly onPart?: (part: Answer) => void;
  /** Told the message id that the request went under. */
  readonly sent?: (messageId: number) => void;
  /** Gives the request up: it is abandoned, and `perform` rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** One connection to the directory. When it has ended it stays ended. */
export class Link {
  readonly #client: LibraryClient;
  #pending = 0;
  #paused = 0;
  #ended = false;

  private constructor(client: LibraryClient) {
    this.#client = client;
    client.on('close', () => {
      this.#ended = true;
    });
    // What goes wrong on a connection reaches its requests; ldapjs tells it here once more.
    client.on('error', () => {
      this.#ended = true;
    });
  }

  /** @throws Refusal `unreachable` (STS-CORE-9100) */
  static open({ socketPath, connectTimeoutMs, answerOctetsMax }: LinkOptions): Promise<Link> {
    return new Promise((resolve, reject) => {
      const client = openLibraryClient(socketPath, connectTimeoutMs);
      const failed = (error: unknown) => {
        reject(refuse(errors.unreachable, { why: error instanceof Error ? error.message : 'unknown error' }));
        client.on('error', () => undefined);
        client.destroy();
      };
      client.once('error', failed);
      client.once('connect', () => {
        client.removeListener('error', failed);
        mendParser(client, answerOctetsMax);
        resolve(new Link(client));
      });
    });
  }

  /** Requests without their result. */
  get pending(): number {
    return this.#pending;
  }

  get ended(): boolean {
    return this.#ended || !this.#client.connected;
  }

  /**
   * Sends a request and waits for its result, whatever its code is.
   *
   * @throws Refusal `unreachable` when the connection ends before, `unanswered` (STS-CORE-9101) when nothing comes for `timeoutMs`
   */
  perform(op: Request, controls: readonly Control[], { timeoutMs, onPart, sent, signal }: PerformOptions): Promise<Performed> {
    const request = new OwnRequest(op, controls);
    const { promise, resolve, reject } = Promise.withResolvers<Performed>();
    if (this.ended) return Promise.reject(refuse(errors.unreachable, { why: 'the connection has ended' }));

    this.#pending++;
    let done = false;
    const settle = () => {
      done = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      this.#pending--;
    };
    const abort = () => {
      settle();
      this.#giveUp(request, op);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort);
    // ldapjs' own timeout stops counting at the first entry, and throws when the answer was faster than its timer.
    const timer = setTimeout(() => {
      if (this.#paused > 0) {
        timer.refresh();
        return;
      }
      settle();
      this.#giveUp(request, op);
      reject(refuse(errors.unanswered, { ms: timeoutMs }));
    }, timeoutMs);

    const parts = new EventEmitter();
    parts.on(partEvent, (message: unknown) => {
      const part = answerOf(message);
      if (done || part === undefined) return;
      timer.refresh();
      onPart?.(part);
    });
    const ended = (error: Error | null, message?: unknown) => {
      if (done) return;
      if (error === null && message === parts) return;
      settle();
      const answer = answerOf(message);
      if (error === null && answer !== undefined && 'result' in answer.op) resolve({ op: answer.op, controls: answer.controls });
      else reject(refuse(errors.unreachable, { why: error?.message ?? 'the connection ended without an answer' }));
    };
    parts.on('end', (message: unknown) => ended(null, message));
    parts.on('error', (error: Error) => ended(error));
    this.#client._send(request, [], parts, ended);
    sent?.(request.id);
    return promise;
  }

  /** Stops reading until `resume`: the directory then stops sending. No request of this connection times out meanwhile. */
  pause(): void {
    this.#paused++;
    this.#client._socket?.pause();
  }

  resume(): void {
    if (this.#paused > 0 && --this.#paused === 0) this.#client._socket?.resume();
  }

  /** Unbinds and ends the connection; what is under way fails. */
  close(): void {
    this.#ended = true;
    this.#client.destroy();
  }

  /** RFC 4511 §4.11: a bind cannot be abandoned, so that the connection it came on is of no use any more. */
  #giveUp(request: { readonly id: number }, op: Request): void {
    if (op.kind === 'bindRequest') {
      this.close();
      return;
    }
    this.#client.abandon(request.id, () => undefined);
    this.#client._tracker?.remove(request.id);
  }
}
