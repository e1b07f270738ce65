import type { Socket } from 'node:net';
import type { Clock } from '#base';
import { type ErrorRow, refuse } from '#catalogue';
import type { Connection, Directory } from '#directory';
import { decodeMessage, type Message, type Request, resultCodes } from '#ldap';
import { finalAnswer, isRequest, noticeOfDisconnection } from './answers.ts';
import { errors } from './errors.ts';
import { createInbox } from './inbox.ts';
import { Ended, Operation, type OperationHost } from './operation.ts';
import { type Arena, createOutbox, type Outbox } from './outbox.ts';
import type { Report } from './reports.ts';
import type { Limits } from './settings.ts';

/** What all connections of a listener share. */
export interface Shared {
  readonly directory: Directory;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly report: Report;
  readonly arena: Arena;
}

/** While requests wait, so much is still read, to notice a peer that goes away. */
const heldOctets = 65_536;
/** Messages taken from one peer before others have the event loop. */
const turnMessagesMax = 64;

/**
 * One connection: takes messages from its socket, hands them to the directory and sends the answers.
 *
 * `open` takes requests; `ending` takes none and closes when those in progress are through (the peer has said its last, or the service stops);
 * `closing` has said its own last and waits for the peer to hang up, so that the peer reads what was said.
 */
export class Wire implements OperationHost {
  readonly connection: Connection;
  readonly outbox: Outbox;
  readonly #closed = Promise.withResolvers<void>();
  readonly #hungUp = Promise.withResolvers<void>();
  readonly #socket: Socket;
  readonly #shared: Shared;
  readonly #inbox = createInbox();
  readonly #inProgress = new Map<number, Operation>();
  /** A bind waits until everything before it is through, and everything after it until it is (RFC 4511 §4.2.1). */
  #waitingBind: Message<Request> | undefined;
  #binding = false;
  #phase: 'open' | 'ending' | 'closing' | 'gone' = 'open';
  #taking = false;
  /** More messages are there, and it is the others' turn. */
  #yielding = false;
  /** Nothing more will come; what has come is still taken. */
  #saidLast = false;
  #room: PromiseWithResolvers<void> | undefined;
  #readMs: number;
  /** Since when a message has been arriving; `undefined` while none is half there. */
  #partialSinceMs: number | undefined;
  #closingSinceMs = 0;
  #parting: { code: number; diagnostic: string } | undefined;

  constructor(socket: Socket, connection: Connection, shared: Shared) {
    this.#socket = socket;
    this.connection = connection;
    this.#shared = shared;
    this.#readMs = shared.clock.nowMs();
    this.outbox = createOutbox(
      socket,
      shared.arena,
      () => shared.clock.nowMs(),
      () => this.#taking,
    );
    socket.on('data', (chunk: Uint8Array) => this.#read(chunk));
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.#peerEnded());
    // A reset is no news: `close` follows and does what must be done.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#gone());
  }

  /** Resolves when the socket is closed and nothing that came by it is in progress. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Takes no more requests, lets those in progress end, and says why. Resolves when it has hung up. */
  end(code: number, diagnostic: string): Promise<void> {
    if (this.#phase === 'open' || this.#phase === 'ending') {
      this.#phase = 'ending';
      this.#parting = { code, diagnostic };
      this.#settle();
    }
    return this.#hungUp.promise;
  }

  /** Stops what is in progress, and hangs up without waiting for it. */
  cut(): void {
    if (this.#phase === 'ending') this.#part(this.#parting?.code ?? resultCodes.unavailable, this.#parting?.diagnostic ?? '');
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends the connection when its peer has been too slow or silent for too long. */
  checkTime(nowMs: number): void {
    const { limits, report } = this.#shared;
    const stallMs = limits['ldap.stallTimeoutS'] * 1000;
    const idleMs = limits['ldap.idleTimeoutS'] * 1000;
    const stalled = this.outbox.octets > 0 && nowMs - this.outbox.takenMs >= stallMs;
    if (stalled) report(errors.peerStalled, this.connection, `${this.outbox.octets} octets wait`);
    if (stalled || (this.#phase === 'closing' && nowMs - this.#closingSinceMs >= stallMs)) this.destroy();
    if (stalled || this.#phase !== 'open') return;

    if (this.#mayTake() && nowMs - this.#waitedSinceMs(nowMs) >= stallMs) {
      report(errors.messageTooSlow, this.connection, `${this.#inbox.octets} octets had arrived`);
      this.#part(resultCodes.unavailable, 'the message took too long to arrive');
    } else if (idleMs > 0 && this.#isAtRest() && nowMs - this.#readMs >= idleMs) this.#part(resultCodes.unavailable, 'idle for too long');
  }

  /** Since when the rest of a message is waited for. Someone who has bound may send something large over a thin line, as long as it moves. */
  #waitedSinceMs(nowMs: number): number {
    if (this.#partialSinceMs === undefined) return nowMs;
    return this.#isAnonymous() ? this.#partialSinceMs : this.#readMs;
  }

  full(): Promise<void> | undefined {
    if (this.#phase === 'gone') return Promise.reject(new Ended());
    if (!this.#isFull()) return undefined;
    this.outbox.flush();
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  #read(chunk: Uint8Array): void {
    this.#readMs = this.#shared.clock.nowMs();
    if (this.#phase !== 'open') return;
    this.#inbox.add(chunk);
    this.#take();
  }

  /** Takes the messages that are there, as far as they may be taken now, and sends in one write what was answered at once. */
  #take(): void {
    if (this.#taking || this.#yielding) return;
    this.#taking = true;
    let taken = 0;
    let emptied = false;
    while (taken < turnMessagesMax && !emptied && this.#mayTake()) {
      emptied = !this.#takeOne();
      taken++;
    }
    this.#taking = false;
    if (emptied && this.#saidLast && this.#phase === 'open') this.#phase = 'ending';
    else if (taken === turnMessagesMax) this.#yield();
    this.outbox.flush();
    this.#settle();
  }

  #yield(): void {
    this.#yielding = true;
    setImmediate(() => {
      this.#yielding = false;
      this.#take();
    });
  }

  /** @returns whether there may be another */
  #takeOne(): boolean {
    const { limits } = this.#shared;
    const framed = this.#inbox.next(limits[this.#isAnonymous() ? 'ldap.messageOctetsAnonymousMax' : 'ldap.messageOctetsMax']);
    if (framed.kind === 'frame') {
      this.#partialSinceMs = undefined;
      this.#receive(framed.bytes);
      return true;
    }
    if (framed.kind === 'bad') this.#refuse(errors.badFrame, framed.why);
    else if (this.#inbox.octets > 0) this.#partialSinceMs ??= this.#readMs;
    return false;
  }

  #receive(frame: Uint8Array): void {
    const { limits } = this.#shared;
    const filterItemsMax = limits[this.#isAnonymous() ? 'ldap.filterItemsAnonymousMax' : 'ldap.filterItemsMax'];
    const decoded = decodeMessage(frame, { depthMax: limits['ldap.filterDepthMax'], filterItemsMax });
    if (decoded.kind === 'bad') this.#refuse(errors.badMessage, decoded.why);
    else if (!isRequest(decoded.message)) this.#refuse(errors.badMessage, `${decoded.message.op.kind} from a client`);
    else this.#accept(decoded.message);
  }

  #accept(message: Message<Request>): void {
    const { op, messageId } = message;
    // RFC 4511 §4.1.1.1: not zero, and not that of another request in progress.
    if (messageId === 0 || this.#inProgress.has(messageId)) this.#refuse(errors.badMessageId, `message id ${messageId}`);
    else if (op.kind === 'unbindRequest') this.#unbind();
    else if (op.kind === 'abandonRequest') this.#inProgress.get(op.messageId)?.stop();
    else if (op.kind === 'bindRequest' && this.#inProgress.size > 0) this.#waitingBind = message;
    else this.#perform(message);
  }

  #perform(message: Message<Request>): void {
    const operation = new Operation(this, message);
    const isBind = message.op.kind === 'bindRequest';
    this.#binding = isBind;
    try {
      const going = this.#shared.directory.perform(this.connection, message, operation);
      if (going !== undefined) {
        this.#inProgress.set(message.messageId, operation);
        going.then(
          () => this.#through(operation, undefined),
          (error: unknown) => this.#through(operation, error),
        );
        return;
      }
      this.#conclude(operation, undefined);
    } catch (error) {
      this.#conclude(operation, error);
    }
    this.#binding = false;
  }

  /** A request that took its time is through: its place is free, and what waited for it may go on. */
  #through(operation: Operation, error: unknown): void {
    this.#conclude(operation, error);
    this.#inProgress.delete(operation.message.messageId);
    this.#binding = false;
    if (this.#phase === 'gone') {
      if (this.#inProgress.size === 0) this.#closed.resolve();
      return;
    }
    if (this.#waitingBind !== undefined && this.#inProgress.size === 0) {
      const bind = this.#waitingBind;
      this.#waitingBind = undefined;
      this.#perform(bind);
    }
    this.#take();
  }

  /** Every request that has an answer gets one, even when the directory has a defect. */
  #conclude(operation: Operation, error: unknown): void {
    if (operation.ending === 'stopped' && (error === undefined || isEnd(error))) return;
    if (operation.ending === 'completed' && error === undefined) return;
    const { op } = operation.message;
    const what =
      error instanceof Error ? error.message : error === undefined ? 'no answer was given' : 'something was thrown that is no error';
    this.#shared.report(errors.operationFailed, this.connection, `${op.kind}: ${what}`);
    const answer = finalAnswer(op, resultCodes.other, refuse(errors.operationFailed).says);
    if (answer !== undefined) operation.send(answer);
  }

  #unbind(): void {
    // RFC 4511 §4.3: what is in progress is abandoned, and the server closes. No answer.
    this.#stopAll();
    this.#inbox.clear();
    this.#hangUp();
    this.#socket.destroySoon();
  }

  /** Ends the connection as RFC 4511 §4.1.1 demands: nothing behind a message that cannot be read can be trusted. */
  #refuse(row: ErrorRow, detail: string): void {
    this.#shared.report(row, this.connection, detail);
    this.#part(row.sees.ldap ?? resultCodes.protocolError, refuse(row).says);
  }

  /** Says why, and hangs up. What the peer still sends is read and dropped, since closing over it would reset what was said. */
  #part(code: number, diagnostic: string): void {
    this.#stopAll();
    this.#inbox.clear();
    this.outbox.message(noticeOfDisconnection(code, diagnostic));
    this.#hangUp();
  }

  #hangUp(): void {
    this.#phase = 'closing';
    this.#closingSinceMs = this.#shared.clock.nowMs();
    this.outbox.flush();
    this.#socket.end();
    this.#socket.resume();
    this.#hungUp.resolve();
  }

  #peerEnded(): void {
    if (this.#phase === 'open') {
      this.#saidLast = true;
      this.#take();
    } else if (this.#phase === 'closing') this.#socket.destroySoon();
  }

  /** Reads on or pauses, and hangs up when that is due. */
  #settle(): void {
    if (this.#phase === 'ending' && this.#inProgress.size === 0 && this.#waitingBind === undefined) {
      if (this.#parting !== undefined) this.outbox.message(noticeOfDisconnection(this.#parting.code, this.#parting.diagnostic));
      this.#hangUp();
    }
    if (this.#phase !== 'open') return;
    if (this.#inbox.octets >= heldOctets && (this.#yielding || !this.#mayTake())) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #drained(): void {
    this.#room?.resolve();
    this.#room = undefined;
    this.#take();
  }

  #gone(): void {
    this.#phase = 'gone';
    this.#hungUp.resolve();
    this.#inbox.clear();
    this.#stopAll();
    // Nobody may be waiting for room any more.
    this.#room?.promise.catch(() => undefined);
    this.#room?.reject(new Ended());
    this.#room = undefined;
    if (this.#inProgress.size === 0) this.#closed.resolve();
  }

  #stopAll(): void {
    this.#waitingBind = undefined;
    for (const operation of this.#inProgress.values()) operation.stop();
  }

  #mayTake(): boolean {
    const waits = this.#binding || this.#waitingBind !== undefined || this.#inProgress.size >= this.#shared.limits['ldap.operationsMax'];
    return this.#phase === 'open' && !waits && !this.#isFull();
  }

  #isFull(): boolean {
    return this.outbox.octets > this.#shared.limits['ldap.outgoingOctetsMax'];
  }

  #isAnonymous(): boolean {
    return this.connection.identity.strength === 'anonymous' && !this.connection.trusted;
  }

  /** Nothing is in progress, half arrived or unsent. The Unix sockets' peers are ours, and keep connections on purpose. */
  #isAtRest(): boolean {
    const isNetwork = this.connection.door === 'ldap' || this.connection.door === 'ldaps';
    return isNetwork && this.#inProgress.size === 0 && this.#inbox.octets === 0 && this.outbox.octets === 0;
  }
}

/** True for what a stopped operation throws: the reason itself, or an error of Node's made because of it. */
function isEnd(error: unknown): boolean {
  return error instanceof Ended || (error instanceof Error && error.cause instanceof Ended);
}
