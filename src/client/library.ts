import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import ldapjs from 'ldapjs';
import { type Control, decodeMessage, encodeMessage, type Message, type Request, type Response, readFrame } from '#ldap';

/**
 * ldapjs 3.0.7 connects, numbers and matches messages; how they are written and read is mended here:
 * - its requests carry text where octets may stand, its base control corrupts binary values, it refuses modify-increment and cannot bind
 *   with SASL: `OwnRequest` writes the whole message;
 * - it throws a TypeError on a result code it does not know: `OwnResult` always succeeds for it, and the code is looked at by us;
 * - it ends a search at the first intermediate response, and fails on names it cannot parse: whatever is not a result is an `OwnPart`;
 * - its parser calls itself once for each message of a chunk and joins buffers over and over: `mendParser`.
 * Its types are described here as far as we use them; `@types/ldapjs` knows an older release.
 */
interface LibraryMessage {
  readonly id: number;
  readonly type: string;
}
interface Parser extends EventEmitter {
  write(chunk: Buffer): unknown;
}
interface Tracker {
  readonly parser: Parser;
  remove(messageId: number): void;
}
export interface LibraryClient extends EventEmitter {
  readonly connected: boolean;
  readonly _socket: Socket | null;
  readonly _tracker: Tracker | null;
  _send(request: LibraryMessage, expect: readonly number[], parts: EventEmitter | null, callback: Callback): unknown;
  abandon(messageId: number, callback: (error: Error | null) => void): void;
  unbind(callback?: () => void): void;
  destroy(): void;
}
type Callback = (error: Error | null, result?: unknown) => void;

interface Library {
  createClient(options: { socketPath: string; queueDisable: boolean; connectTimeout: number }): LibraryClient;
  readonly LDAPMessage: new (options: object) => LibraryMessage;
  readonly LDAPResult: new (options: object) => LibraryMessage;
  readonly SearchReference: new (options: object) => LibraryMessage;
}
const library = ldapjs as unknown as Library;

/** A request that is written whole by `#ldap`: octets stay octets. */
export class OwnRequest extends library.LDAPMessage {
  readonly #op: Request;
  readonly #controls: readonly Control[];
  constructor(op: Request, controls: readonly Control[]) {
    super({});
    this.#op = op;
    this.#controls = controls;
  }

  override get type(): string {
    return 'OwnRequest';
  }

  /** What ldapjs hands to its log: never the content, which may be a password. */
  get pojo(): object {
    return { type: this.#op.kind, messageId: this.id };
  }

  toBer(): { buffer: Buffer } {
    return { buffer: Buffer.from(encodeMessage({ messageId: this.id, op: this.#op, controls: this.#controls })) };
  }
}

/** A response as we decoded it. */
export interface Answer {
  readonly op: Response;
  readonly controls: readonly Control[];
}

class OwnResult extends library.LDAPResult {
  readonly answer: Answer;
  constructor({ messageId, op, controls }: Message<Response>) {
    super({ messageId, status: 0 });
    this.answer = { op, controls };
  }
}

/** ldapjs takes a reference for something that comes before a result, and emits it under its class's name: `ownPart`. */
class OwnPart extends library.SearchReference {
  readonly answer: Answer;
  constructor({ messageId, op, controls }: Message<Response>) {
    super({ messageId });
    this.answer = { op, controls };
  }
}

/** The event under which ldapjs emits an `OwnPart`. */
export const partEvent = 'ownPart';

export function answerOf(message: unknown): Answer | undefined {
  return message instanceof OwnResult || message instanceof OwnPart ? message.answer : undefined;
}

/** Opens one connection; it is not made again when it ends, and nothing waits for it in a queue. */
export function openLibraryClient(socketPath: string, connectTimeoutMs: number): LibraryClient {
  return library.createClient({ socketPath, queueDisable: true, connectTimeout: connectTimeoutMs });
}

/** Filters come in no response, so the depth counts nothing. */
const depthMax = 1;

/**
 * Gives a connection our reader: one pass over what has arrived, whatever the chunks are.
 *
 * @param messageOctetsMax  a larger answer ends the connection
 */
export function mendParser(client: LibraryClient, messageOctetsMax: number): void {
  const parser = client._tracker?.parser;
  if (parser === undefined) throw new Error('the connection has no parser yet');
  let chunks: Buffer[] = [];
  let octets = 0;
  // How many octets are needed before another look is worth it.
  let wanted = 0;

  parser.write = (chunk) => {
    chunks.push(chunk);
    octets += chunk.length;
    if (octets < wanted) return;
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    let at = 0;
    for (;;) {
      const frame = readFrame(bytes, at, { messageOctetsMax });
      if (frame.kind === 'more') break;
      if (frame.kind === 'bad') return fail(frame.why);
      const decoded = decodeMessage(bytes.subarray(at, frame.next), { depthMax });
      if (decoded.kind === 'bad') return fail(decoded.why);
      at = frame.next;
      parser.emit('message', own(decoded.message as Message<Response>));
    }
    chunks = at === bytes.length ? [] : [bytes.subarray(at)];
    octets = bytes.length - at;
    wanted = octets === 0 ? 0 : (wholeOctets(bytes.subarray(at)) ?? 0);
  };
  const fail = (why: string) => {
    chunks = [];
    parser.emit('error', new Error(`the directory's answer is not LDAP: ${why}`));
  };
}

/** How long the message is whose first octets these are; `undefined` while its length has not come. */
function wholeOctets(bytes: Buffer): number | undefined {
  const first = bytes[1];
  if (first === undefined || first < 0x80) return first === undefined ? undefined : first + 2;
  const count = first & 0x7f;
  // readFrame has refused what is longer than its limit, so that these are few octets.
  return bytes.length < 2 + count ? undefined : bytes.readUIntBE(2, count) + 2 + count;
}

function own(message: Message<Response>): OwnResult | OwnPart {
  switch (message.op.kind) {
    case 'searchResultEntry':
    case 'searchResultReference':
    case 'intermediateResponse':
      return new OwnPart(message);
    case 'bindResponse':
    case 'searchResultDone':
    case 'modifyResponse':
    case 'addResponse':
    case 'delResponse':
    case 'modifyDNResponse':
    case 'compareResponse':
    case 'extendedResponse':
      return new OwnResult(message);
  }
}
