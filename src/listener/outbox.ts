import type { Socket } from 'node:net';
import type { Clock } from '#base';
import { createWriter, type Message, type MessageWriter, type Response } from '#ldap';

/** What waits to be sent on a connection. */
export interface Outbox {
  message(message: Message<Response>): void;
  entry(messageId: number, dn: Uint8Array, attributes: readonly Uint8Array[], controls?: Message['controls']): void;
  /** Hands all that was gathered to the socket, in one write. */
  flush(): void;
  /** Octets that the peer has not taken yet, those gathered here included. */
  readonly octets: number;
  /** When the peer was last seen to have taken something, by the clock that was given: whoever wants to know looks every second. */
  readonly takenMs: number;
}

/** Room for the answers of some hundred usual turns, or of a search for a hundred entries. A peer that does not read holds on to no more than one such arena for a small answer. */
const arenaOctets = 131_072;
/** Room for the answers of a turn. It grows by itself. */
const ownArenaOctets = 4096;
/** So much is handed to the socket at once even within a turn, so that one turn's answers are never held twice. */
const writeOctets = 98_304;

/**
 * The arena that all connections of a listener write their answers in, one at a time: to make one for each turn costs more than to fill it.
 * Who finds it taken, because another has not sent what it wrote, makes one of its own.
 */
export interface Arena {
  lend(): MessageWriter;
  giveBack(writer: MessageWriter): void;
}

export function createArena(): Arena {
  const shared = createWriter(arenaOctets);
  let lent = false;
  return {
    lend() {
      if (lent) return createWriter(ownArenaOctets);
      lent = true;
      return shared;
    },
    giveBack(writer) {
      if (writer === shared) lent = false;
    },
  };
}

/**
 * Gathers the answers of a turn in one arena, so that they leave in one write: the send system call is most of the cost of a small answer.
 *
 * @param flushesItself  true while whoever writes here flushes when it is through, so that nobody else must
 */
export function createOutbox(socket: Socket, arena: Arena, clock: Clock, flushesItself: () => boolean): Outbox {
  let writer: MessageWriter | undefined;
  let due = false;
  let handedOctets = 0;
  let takenOctets = 0;
  let takenMs = clock.nowMs();

  const flush = () => {
    due = false;
    if (writer === undefined || writer.length === 0) return;
    const bytes = writer.take();
    if (socket.writable) {
      if (socket.writableLength === 0) takenMs = clock.nowMs();
      handedOctets += bytes.length;
      // Nobody is called back: that would cost each small answer a tenth of what it costs to send it.
      socket.write(bytes);
    }
    // What the system took at once nobody holds any more: the next answers are written where these still are in the processor's cache.
    if (socket.writableLength === 0) writer.reuse(bytes);
    // A connection at rest holds no arena.
    arena.giveBack(writer);
    writer = undefined;
  };

  /** Flushes at once what is large, and the rest when this turn of the event loop has had its say. */
  const schedule = (length: number) => {
    if (length >= writeOctets) flush();
    else if (!due && !flushesItself()) {
      due = true;
      process.nextTick(() => {
        if (due) flush();
      });
    }
  };

  const open = () => {
    writer ??= arena.lend();
    return writer;
  };

  return {
    message: (message) => {
      const to = open();
      to.message(message);
      schedule(to.length);
    },
    entry: (messageId, dn, attributes, controls) => {
      const to = open();
      to.searchResultEntry(messageId, dn, attributes, controls);
      schedule(to.length);
    },
    flush,
    get octets() {
      return socket.writableLength + (writer?.length ?? 0);
    },
    get takenMs() {
      const octets = handedOctets - socket.writableLength;
      if (octets !== takenOctets) takenMs = clock.nowMs();
      takenOctets = octets;
      return takenMs;
    },
  };
}
