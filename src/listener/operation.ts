import { refuse } from '#catalogue';
import type { Reply } from '#directory';
import { type Message, type Request, type Response, resultCodes } from '#ldap';
import { finalAnswer, isFinal } from './answers.ts';
import { errors } from './errors.ts';
import type { Outbox } from './outbox.ts';

/** Why a request ended without its answer. Work that is stopped by it is no defect. */
export class Ended extends Error {}

export type Ending = 'completed' | 'unanswered' | 'stopped';

/** What an operation needs of its connection. */
export interface OperationHost {
  readonly outbox: Outbox;
  /** Undefined while the peer keeps up; else resolves when it does again. */
  full(): Promise<void> | undefined;
  /** False once something waits for all that is in progress. */
  readonly mayLast: boolean;
}

/** One request in progress: where its answers go, and the way to stop it. It ends once. */
export class Operation implements Reply {
  readonly message: Message<Request>;
  readonly #host: OperationHost;
  #controller: AbortController | undefined;
  #answered = false;
  #stopped = false;
  #lasting = false;

  constructor(host: OperationHost, message: Message<Request>) {
    this.#host = host;
    this.message = message;
  }

  send(op: Response, controls: Message['controls'] = []): void {
    if (this.#answered || this.#stopped) return;
    this.#answered = isFinal(op);
    this.#host.outbox.message({ messageId: this.message.messageId, op, controls });
  }

  notify(op: Response & { readonly kind: 'extendedResponse' }): void {
    if (!this.#stopped) this.#host.outbox.message({ messageId: 0, op, controls: [] });
  }

  entry(dn: Uint8Array, attributes: readonly Uint8Array[], controls?: Message['controls']): void {
    if (this.#answered || this.#stopped) return;
    this.#host.outbox.entry(this.message.messageId, dn, attributes, controls);
  }

  full(): Promise<void> | undefined {
    if (this.#stopped) return Promise.reject(new Ended());
    const room = this.#host.full();
    if (room === undefined) return undefined;
    // An abandoned search shall not wait for a peer that has stopped reading.
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const signal = this.signal;
    const stopped = () => reject(signal.reason);
    signal.addEventListener('abort', stopped, { once: true });
    room.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopped));
    return promise;
  }

  lasts(): void {
    this.#lasting = true;
    if (!this.#host.mayLast) this.stop();
  }

  /** Whether it only ends when somebody ends it. */
  get lasting(): boolean {
    return this.#lasting;
  }

  get ended(): boolean {
    return this.#stopped;
  }

  /** Made when it is asked for: most requests are over before anyone could stop them. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped && !this.#controller.signal.aborted) this.#controller.abort(new Ended());
    return this.#controller.signal;
  }

  /** Stops it: nothing that it still sends leaves (RFC 4511 §4.11). */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#controller?.abort(new Ended());
  }

  /** Stops it with an answer (RFC 3909 §2): nothing else that it sends leaves. */
  cancel(answer: Response): void {
    this.send(answer);
    this.stop();
  }

  /**
   * Every request that has an answer gets one, even when the directory has a defect.
   *
   * @param error  what the directory threw, `undefined` when it did not
   * @returns what to tell the operators; nothing where all is as it should be
   */
  conclude(error: unknown): string | undefined {
    if (this.ending === 'stopped' && (error === undefined || isEnd(error))) return undefined;
    if (this.ending === 'completed' && error === undefined) return undefined;
    const { op } = this.message;
    const what =
      error instanceof Error ? error.message : error === undefined ? 'no answer was given' : 'something was thrown that is no error';
    const answer = finalAnswer(op, resultCodes.other, refuse(errors.operationFailed).says);
    if (answer !== undefined) this.send(answer);
    return `${op.kind}: ${what}`;
  }

  /** How it stands when the directory is through with it. */
  get ending(): Ending {
    if (this.#stopped) return 'stopped';
    return this.#answered ? 'completed' : 'unanswered';
  }
}

/** Stops searches that go on until they are ended; others are left to end by themselves. */
export function stopLasting(operations: Iterable<Operation>): void {
  for (const operation of operations) if (operation.lasting) operation.stop();
}

/** True for what a stopped operation throws: the reason itself, or an error of Node's made because of it. */
function isEnd(error: unknown): boolean {
  return error instanceof Ended || (error instanceof Error && error.cause instanceof Ended);
}
