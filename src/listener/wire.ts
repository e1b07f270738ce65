import type { Socket } from 'node:net';
import { type ErrorRow, refuse } from '#catalogue';
import type { Connection } from '#directory';
import { type Message, type Request, resultCodes } from '#ldap';
import { extendedAnswer, noticeOfDisconnection, readRequest } from './answers.ts';
import { errors } from './errors.ts';
import { createInbox } from './inbox.ts';
import { Ended, Operation, type OperationHost, stopLasting } from './operation.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { answerOwn, isOwn, type OwnRequest, startTlsOid } from './own-operations.ts';
import { judgeTime, type Waits } from './patience.ts';
import { createRoom } from './room.ts';
import type { Securing } from './securing.ts';
import type { Shared } from './shared.ts';

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
  outbox: Outbox;
  readonly #closed = Promise.withResolvers<void>();
  readonly #hungUp = Promise.withResolvers<void>();
  #socket: Socket;
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
  /** What has come is still taken. */
  #saidLast = false;
  readonly #room = createRoom();
  #readMs: number;
  /** Since when a message has been arriving; `undefined` while none is half there. */
  #partialSinceMs: number | undefined;
  #closingSinceMs = 0;
  /** Since when TLS is being agreed on; nothing of LDAP is read or written meanwhile. */
  #securingSinceMs: number | undefined;
  #parting: { code: number; diagnostic: string } | undefined;

  constructor(socket: Socket, connection: Connection, shared: Shared) {
    this.#socket = socket;
    this.connection = connection;
    this.#shared = shared;
    this.#readMs = shared.clock.nowMs();
    this.outbox = this.#hearken(socket);
  }

  #hearken(socket: Socket): Outbox {
    socket.on('data', (chunk: Uint8Array) => this.#read(chunk));
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.#peerEnded());
    // A reset is no news: `close` follows and does what must be done.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#gone());
    return createOutbox(socket, this.#shared.arena, this.#shared.clock, () => this.#taking);
  }

  /** Resolves when the socket is closed and nothing that came by it is in progress. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Takes no more requests, lets those in progress end, and says why. Resolves when it has hung up. */
  end(code: number, diagnostic: string): Promise<void> {
    if (this.#securingSinceMs !== undefined) this.destroy();
    else if (this.#phase === 'open' || this.#phase === 'ending') {
      this.#phase = 'ending';
      this.#parting = { code, diagnostic };
      this.#settle();
    }
    return this.#hungUp.promise;
  }

  /** Stops what is in progress, and hangs up without waiting for it. */
  cut(): void {
    if (this.#phase === 'ending') this.part(this.#parting?.code ?? resultCodes.unavailable, this.#parting?.diagnostic ?? '');
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends the connection when its peer has been too slow or silent for too long. */
  checkTime(nowMs: number): void {
    const { limits, report } = this.#shared;
    const waits: Waits = {
      ...{ phase: this.#phase, unsent: this.outbox.octets, takenMs: this.outbox.takenMs, closingSinceMs: this.#closingSinceMs },
      ...{ securingSinceMs: this.#securingSinceMs, atRest: this.#isAtRest(), readMs: this.#readMs },
      partialSinceMs: this.#mayTake() ? this.#waitedSinceMs() : undefined,
    };
    const verdict = judgeTime(waits, limits, nowMs);
    if (verdict === 'stalled') report(errors.peerStalled, this.connection, `${this.outbox.octets} octets wait`);
    if (verdict === 'insecure') report(errors.tlsFailed, this.connection, 'the handshake took too long');
    if (verdict === 'slow') {
      report(errors.messageTooSlow, this.connection, `${this.#inbox.octets} octets had arrived`);
      this.part(resultCodes.unavailable, 'the message took too long to arrive');
    } else if (verdict === 'idle') this.part(resultCodes.unavailable, 'idle for too long');
    else if (verdict !== 'patient') this.destroy();
  }

  /** Since when the rest of a message is waited for. Someone who has bound may send something large over a thin line, as long as it moves. */
  #waitedSinceMs(): number | undefined {
    return this.#partialSinceMs === undefined || this.#isAnonymous() ? this.#partialSinceMs : this.#readMs;
  }

  full(): Promise<void> | undefined {
    if (this.#phase === 'gone') return Promise.reject(new Ended());
    if (!this.#isFull()) return undefined;
    this.outbox.flush();
    return this.#room.wait();
  }

  get mayLast(): boolean {
    return this.#phase === 'open' && this.#waitingBind === undefined;
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
    let [taken, emptied] = [0, false];
    while (taken < turnMessagesMax && !emptied && this.#mayTake()) {
      emptied = !this.#takeOne();
      taken++;
    }
    this.#taking = false;
    if (emptied && this.#saidLast && this.#phase === 'open') this.#phase = 'ending';
    else if (taken === turnMessagesMax) {
      this.#yielding = true;
      setImmediate(() => {
        this.#yielding = false;
        this.#take();
      });
    }
    this.outbox.flush();
    this.#settle();
  }

  /** @returns whether there may be another */
  #takeOne(): boolean {
    const framed = this.#inbox.next(this.#shared.limits[this.#isAnonymous() ? 'ldap.messageOctetsAnonymousMax' : 'ldap.messageOctetsMax']);
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
    const read = readRequest(frame, this.#shared.limits, this.#isAnonymous());
    if (read.kind === 'bad') this.#refuse(errors.badMessage, read.why);
    else this.#accept(read.message);
  }

  #accept(message: Message<Request>): void {
    const { op, messageId } = message;
    // RFC 4511 §4.1.1.1: not zero, and not that of another request in progress.
    if (messageId === 0 || this.#inProgress.has(messageId)) this.#refuse(errors.badMessageId, `message id ${messageId}`);
    else if (op.kind === 'unbindRequest') this.#unbind();
    else if (op.kind === 'abandonRequest') this.#inProgress.get(op.messageId)?.stop();
    else if (op.kind === 'bindRequest' && this.#inProgress.size > 0) this.#waitingBind = message;
    else if (isOwn(op)) this.#performOwn(message, op);
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

  /** What the directory is not asked for: it is about the connection itself. */
  #performOwn({ messageId, controls }: Message<Request>, op: OwnRequest): void {
    const { securing, report } = this.#shared;
    const outstanding = this.#inProgress.size > 0 || this.#inbox.octets > 0;
    const answer = answerOwn(op, controls, { connection: this.connection, inProgress: this.#inProgress, securing, outstanding });
    if (answer.kind === 'secure') this.#secure(messageId, answer.securing);
    else this.outbox.message(extendedAnswer(messageId, answer.code, answer.diagnostic, answer.oid));
    if (answer.kind === 'refused') report(answer.row, this.connection, '');
  }

  /** Says yes, and has everything behind it taken for a handshake. A transaction ends: nobody is bound from here on. */
  #secure(messageId: number, securing: Securing): void {
    this.#securingSinceMs = this.#shared.clock.nowMs();
    this.#shared.directory.forget(this.connection);
    const answer = () => {
      this.outbox.message(extendedAnswer(messageId, resultCodes.success, '', startTlsOid));
      this.outbox.flush();
    };
    const secured = (tls: Socket) => {
      this.#socket = tls;
      this.outbox = this.#hearken(tls);
      this.#securingSinceMs = undefined;
      this.#readMs = this.#shared.clock.nowMs();
    };
    securing.begin(this.#socket, this.connection, answer, secured, (why) => this.#shared.report(errors.tlsFailed, this.connection, why));
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

  #conclude(operation: Operation, error: unknown): void {
    const defect = operation.conclude(error);
    if (defect !== undefined) this.#shared.report(errors.operationFailed, this.connection, defect);
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
    this.part(row.sees.ldap ?? resultCodes.protocolError, refuse(row).says);
  }

  /** Says why, and hangs up. What the peer still sends is read and dropped, since closing over it would reset what was said. @returns false where that is done already */
  part(code: number, diagnostic: string): boolean {
    if ((this.#phase !== 'open' && this.#phase !== 'ending') || this.#securingSinceMs !== undefined) return false;
    this.#stopAll();
    this.#inbox.clear();
    this.outbox.message(noticeOfDisconnection(code, diagnostic));
    this.#hangUp();
    return true;
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
    // What would be waited for in vain.
    if (!this.mayLast) stopLasting(this.#inProgress.values());
    if (this.#phase === 'ending' && this.#inProgress.size === 0 && this.#waitingBind === undefined) {
      if (this.#parting !== undefined) this.outbox.message(noticeOfDisconnection(this.#parting.code, this.#parting.diagnostic));
      this.#hangUp();
    }
    if (this.#phase !== 'open' || this.#securingSinceMs !== undefined) return;
    if (this.#inbox.octets >= heldOctets && (this.#yielding || !this.#mayTake())) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #drained(): void {
    this.#room.free();
    this.#take();
  }

  #gone(): void {
    this.#phase = 'gone';
    this.#hungUp.resolve();
    this.#inbox.clear();
    this.#stopAll();
    this.#room.close();
    if (this.#inProgress.size === 0) this.#closed.resolve();
  }

  #stopAll(): void {
    this.#waitingBind = undefined;
    for (const operation of this.#inProgress.values()) operation.stop();
  }

  #mayTake(): boolean {
    const waits = this.#binding || this.#waitingBind !== undefined || this.#inProgress.size >= this.#shared.limits['ldap.operationsMax'];
    return this.#phase === 'open' && this.#securingSinceMs === undefined && !waits && !this.#isFull();
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
