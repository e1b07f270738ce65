import { utf8 } from '#base';
import { type Control, encodeMessage, type Request, type Response } from '#ldap';
import { connectRaw, type RawClient } from '../support/raw-ldap.ts';
import type { Entry } from './model.ts';

/** The answer to one request. */
export interface Answer {
  readonly code: number;
  readonly diagnostic: string;
  readonly entries: readonly Entry[];
  /** Of an extended response. */
  readonly value: Uint8Array | undefined;
}

/** One LDAP connection over TCP, on which many requests may be on their way. */
export interface Lane {
  /** `answer` is `undefined` when the connection ends without one. `id` names the request wherever it is seen. */
  send(op: Request, controls?: readonly Control[]): { readonly id: string; readonly answer: Promise<Answer | undefined> };
  close(): void;
}

/** Connects and binds. @throws Error when the service does not take the bind */
export async function openLane(port: number, dn: string, password: string): Promise<Lane> {
  const client = await connectRaw({ host: 'localhost', port });
  const localPort = client.socket.localPort;
  const waiting = new Map<number, { readonly entries: Entry[]; readonly resolve: (answer: Answer | undefined) => void }>();
  let lastId = 0;
  let over = false;
  const end = () => {
    over = true;
    for (const { resolve } of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  void pump(client, waiting).then(end);

  const send = (op: Request, controls: readonly Control[] = []) => {
    const messageId = ++lastId;
    const answer = new Promise<Answer | undefined>((resolve) => {
      if (over) return resolve(undefined);
      waiting.set(messageId, { entries: [], resolve });
      client.write(encodeMessage({ messageId, op, controls }));
    });
    return { id: `${localPort}:${messageId}`, answer };
  };
  const bind: Request = { kind: 'bindRequest', version: 3, name: dn, authentication: { kind: 'simple', password: utf8(password) } };
  const bound = await send(bind).answer;
  if (bound?.code !== 0) throw new Error(`the bind was not taken: ${bound?.code} ${bound?.diagnostic}`);
  return { send, close: () => client.socket.destroy() };
}

async function pump(
  client: RawClient,
  waiting: Map<number, { readonly entries: Entry[]; readonly resolve: (answer: Answer | undefined) => void }>,
): Promise<void> {
  for (let message = await client.next(); message !== undefined; message = await client.next()) {
    const asked = waiting.get(message.messageId);
    if (asked === undefined) continue;
    const op = message.op as Response;
    if (op.kind === 'searchResultEntry') asked.entries.push(entryOf(op));
    else if ('result' in op) {
      waiting.delete(message.messageId);
      const value = op.kind === 'extendedResponse' ? op.value : undefined;
      asked.resolve({ code: op.result.code, diagnostic: op.result.diagnostic, entries: asked.entries, value });
    }
  }
}

function entryOf({ object, attributes }: Response & { kind: 'searchResultEntry' }): Entry {
  const text = (value: Uint8Array) => Buffer.from(value).toString();
  return {
    dn: object,
    attributes: new Map(attributes.map(({ description, values }) => [description.toLowerCase(), values.map(text).sort()])),
  };
}
