import { empty } from '#base';
import { readFrame } from '#ldap';

type Framed =
  | { readonly kind: 'frame'; readonly bytes: Uint8Array }
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly why: string };

/** What has arrived on a connection and is not used yet. */
export interface Inbox {
  add(chunk: Uint8Array): void;
  /** Takes the next whole message, without decoding it. The octets stay as they are for as long as they are held. */
  next(messageOctetsMax: number): Framed;
  clear(): void;
  readonly octets: number;
}

const more = { kind: 'more' } as const;
const roomOctetsMin = 1024;

/**
 * Joins chunks only where a message spans them, into room that doubles: a message that arrives octet by octet costs no more copying than its length,
 * and one that only announces a length takes no memory.
 */
export function createInbox(): Inbox {
  let bytes = empty;
  let start = 0;
  let end = 0;
  /** True when `bytes` is room of our own with space behind `end`. What lies before `end` is never overwritten, for it may have been given out. */
  let own = false;

  const add = (chunk: Uint8Array) => {
    const rest = end - start;
    if (rest === 0) {
      bytes = chunk;
      start = 0;
      end = chunk.length;
      own = false;
      return;
    }
    if (!own || end + chunk.length > bytes.length) {
      const room = new Uint8Array(Math.max(roomOctetsMin, (rest + chunk.length) * 2));
      room.set(bytes.subarray(start, end));
      bytes = room;
      start = 0;
      end = rest;
      own = true;
    }
    bytes.set(chunk, end);
    end += chunk.length;
  };

  const next = (messageOctetsMax: number): Framed => {
    if (start === end) return more;
    const found = readFrame(end === bytes.length ? bytes : bytes.subarray(0, end), start, { messageOctetsMax });
    if (found.kind !== 'whole') return found;
    const frame = bytes.subarray(start, found.next);
    start = found.next;
    // Nothing is held for a connection that is at rest.
    if (start === end) clear();
    return { kind: 'frame', bytes: frame };
  };

  const clear = () => {
    bytes = empty;
    start = 0;
    end = 0;
    own = false;
  };

  return {
    add,
    next,
    clear,
    get octets() {
      return end - start;
    },
  };
}
