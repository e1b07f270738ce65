import type { Socket } from 'node:net';
import { createWriter, type Message, type Response } from '#ldap';

/** What waits to be sent on a connection. */
export interface Outbox {
  message(message: Message<Response>): void;
  entry(messageId: number, dn: Uint8Array, attributes: Uint8Array): void;
  /** Hands all that was gathered to the socket, in one write. */
  flush(): void;
  /** Octets that the peer has not taken yet, those gathered here included. */
  readonly octets: number;
  /** When the peer last took something, by the clock that was given. */
  readonly takenMs: number;
}

/** Room for the answers of a usual turn; it grows by itself. */
const arenaOctets = 4096;
/** So much is handed to the socket at once even within a turn, so that one turn's answers are never held twice. */
const writeOctets = 65_536;

/**
 * Gathers the answers of a turn in one arena, so that they leave in one write: the send system call is most of the cost of a small answer.
 *
 * @param nowMs  the clock
 */
export function createOutbox(socket: Socket, nowMs: () => number): Outbox {
  let writer: ReturnType<typeof createWriter> | undefined;
  let due = false;
  let takenMs = nowMs();

  const taken = () => {
    takenMs = nowMs();
  };

  const flush = () => {
    due = false;
    if (writer === undefined || writer.length === 0) return;
    const bytes = writer.take();
    // The arena goes with the bytes; a connection at rest holds none.
    writer = undefined;
    if (!socket.writable) return;
    if (socket.writableLength === 0) takenMs = nowMs();
    socket.write(bytes, taken);
  };

  /** Flushes at once what is large, and the rest when this turn of the event loop has had its say. */
  const schedule = (length: number) => {
    if (length >= writeOctets) flush();
    else if (!due) {
      due = true;
      process.nextTick(() => {
        if (due) flush();
      });
    }
  };

  const arena = () => {
    writer ??= createWriter(arenaOctets);
    return writer;
  };

  return {
    message: (message) => {
      const to = arena();
      to.message(message);
      schedule(to.length);
    },
    entry: (messageId, dn, attributes) => {
      const to = arena();
      to.searchResultEntry(messageId, dn, attributes);
      schedule(to.length);
    },
    flush,
    get octets() {
      return socket.writableLength + (writer?.length ?? 0);
    },
    get takenMs() {
      return takenMs;
    },
  };
}
