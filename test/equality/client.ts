import { decodeMessage, encodeMessage, type PartialAttribute, type Request, type Response, type Result } from '#ldap';
import { bindRequest, Connection, explain } from '../../bench/connection.ts';

export interface Found {
  readonly dn: string;
  readonly attributes: readonly PartialAttribute[];
}

export interface Answers {
  readonly result: Result;
  readonly entries: readonly Found[];
}

interface Waiting {
  readonly entries: Found[];
  readonly resolve: (answers: Answers) => void;
  readonly reject: (error: Error) => void;
}

/** A connection that may have many requests under way. */
export class Client implements Disposable {
  readonly #connection: Connection;
  readonly #waiting = new Map<number, Waiting>();
  #id = 0;

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.listen({
      message: (bytes, at, next) => this.#hear(bytes.subarray(at, next)),
      lost: (error) => this.#lose(error),
    });
  }

  /** Connects, and binds where a name is given. @throws Error when that is refused */
  static async open(port: number, name?: string, password = ''): Promise<Client> {
    const client = new Client(await Connection.open(port));
    if (name === undefined) return client;
    const { result } = await client.ask(bindRequest(name, password));
    if (result.code !== 0) throw new Error(`bind as ${name}: ${explain({ kind: 'bindResponse', result })}`);
    return client;
  }

  ask(op: Request): Promise<Answers> {
    const messageId = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(messageId, { entries: [], resolve, reject });
      this.#connection.write(encodeMessage({ messageId, op, controls: [] }));
    });
  }

  #hear(bytes: Uint8Array): void {
    const decoded = decodeMessage(bytes, { depthMax: 100 });
    if (decoded.kind === 'bad') {
      this.#lose(new Error(`no message: ${decoded.why}`));
      return;
    }
    const { messageId } = decoded.message;
    const op = decoded.message.op as Response;
    const waiting = this.#waiting.get(messageId);
    // A notice of disconnection answers nothing (RFC 4511 §4.4.1).
    if (waiting === undefined) this.#lose(new Error(`an answer to nothing: ${explain(op)}`));
    else if (op.kind === 'searchResultEntry') waiting.entries.push({ dn: op.object, attributes: op.attributes });
    else if ('result' in op) {
      this.#waiting.delete(messageId);
      waiting.resolve({ result: op.result, entries: waiting.entries });
    }
  }

  #lose(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}
