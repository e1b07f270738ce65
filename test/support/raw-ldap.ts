import { connect as connectNet, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { decodeMessage, encodeMessage, type Message, type Request, type Response, readFrame } from '#ldap';

/** A client that sends octets as it is told, for what no well-behaved client would do. */
export interface RawClient {
  readonly socket: Socket;
  write(bytes: Uint8Array): void;
  send(messageId: number, op: Request): void;
  /** The next message, or `undefined` when the connection ended before one came. */
  next(): Promise<Message | undefined>;
  /** Messages up to the end of the connection. */
  rest(): Promise<Message[]>;
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>;
}

const anything = { messageOctetsMax: 2 ** 30 };

/** A request as it travels. */
export function request(messageId: number, op: Request): Uint8Array {
  return encodeMessage({ messageId, op, controls: [] });
}

/** Connects over TCP or a Unix socket; `ca` makes it TLS to `localhost`. */
export async function connectRaw(to: NetConnectOpts, ca?: string): Promise<RawClient> {
  const socket = ca === undefined ? connectNet(to) : connectTls({ ...to, ca, servername: 'localhost' });
  await new Promise((resolve, reject) => socket.once(ca === undefined ? 'connect' : 'secureConnect', resolve).once('error', reject));
  return rawClient(socket);
}

/** Reads messages from a socket that is connected. */
export function rawClient(socket: Socket): RawClient {
  const arrived: Message[] = [];
  const waiting: ((message: Message | undefined) => void)[] = [];
  let rest = Buffer.alloc(0);
  let over = false;

  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = readFrame(rest, 0, anything); frame.kind === 'whole'; frame = readFrame(rest, 0, anything)) {
      const decoded = decodeMessage(rest.subarray(0, frame.next), { depthMax: 100 });
      if (decoded.kind === 'bad') throw new Error(`the server sent no message: ${decoded.why}`);
      rest = rest.subarray(frame.next);
      const next = waiting.shift();
      if (next === undefined) arrived.push(decoded.message);
      else next(decoded.message);
    }
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      over = true;
      for (const next of waiting.splice(0)) next(undefined);
      resolve();
    };
    socket.once('end', end).once('close', end);
  });

  const next = (): Promise<Message | undefined> => {
    const message = arrived.shift();
    if (message !== undefined || over) return Promise.resolve(message);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return {
    socket,
    closed,
    next,
    write: (bytes) => void socket.write(bytes),
    send: (messageId, op) => void socket.write(request(messageId, op)),
    rest: async () => {
      const all: Message[] = [];
      for (let message = await next(); message !== undefined; message = await next()) all.push(message);
      return all;
    },
  };
}

/** The other side: reads requests from a socket and answers them. */
export function rawServer(socket: Socket, act: (message: Message, answer: (op: Response) => void) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = readFrame(rest, 0, anything); frame.kind === 'whole'; frame = readFrame(rest, 0, anything)) {
      const decoded = decodeMessage(rest.subarray(0, frame.next), { depthMax: 100 });
      if (decoded.kind === 'bad') throw new Error(`the client sent no message: ${decoded.why}`);
      rest = rest.subarray(frame.next);
      const { message } = decoded;
      act(message, (op) => void socket.write(encodeMessage({ messageId: message.messageId, op, controls: [] })));
    }
  });
}
