import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { text, utf8 } from '#base';
import { type Control, encodeMessage, type Message, type PartialAttribute, type Request } from '#ldap';
import type { TestAtrium } from '../support/atrium.ts';
import { connectRaw, type RawClient, rawClient } from '../support/raw-ldap.ts';

/** Ways in; `certificate` is ldaps with a client certificate. */
export const doors = ['ldap', 'ldaps', 'StartTLS', 'ldapi', 'certificate'] as const;
export type Door = (typeof doors)[number];

export interface Shown {
  readonly dn: string;
  readonly controls: readonly Control[];
  /** The values of an attribute as text. */
  all(name: string): readonly string[];
}

export interface Answered {
  readonly code: number;
  readonly entries: readonly Shown[];
  readonly controls: readonly Control[];
  /** Of an extended operation, or what a mechanism says. */
  readonly value: Uint8Array | undefined;
  readonly referral: readonly string[];
}

/** One connection, which may be bound. */
export interface Peer {
  ask(op: Request, ...controls: readonly Control[]): Promise<Answered>;
  /** Sends and does not wait. @returns the message's number */
  begin(op: Request, ...controls: readonly Control[]): number;
  /** Waits for the final answer to what was begun. */
  end(messageId: number): Promise<Answered>;
  /** Waits for the next entry of what was begun. */
  entryOf(messageId: number): Promise<Shown>;
}

export interface Shows {
  readonly cert: string;
  readonly key: string;
}

/** Connects by a door. Whom it is bound as is for the caller. */
export async function connect(t: { teardown(act: () => void): void }, atrium: TestAtrium, door: Door, shows?: Shows): Promise<Peer> {
  const { ldap = '', ldaps = '', operators = '' } = atrium.addresses;
  const ca = readFileSync(join(atrium.dataDir, 'tls/ca.pem'), 'utf8');
  const portOf = (url: string) => ({ host: 'localhost', port: Number(new URL(url).port) });
  const client = await {
    ldap: () => connectRaw(portOf(ldap)),
    ldaps: () => connectRaw(portOf(ldaps), ca),
    StartTLS: () => startTls(portOf(ldap), ca),
    ldapi: () => connectRaw({ path: decodeURIComponent(operators.slice('ldapi://'.length)) }),
    certificate: () => connectShowing(portOf(ldaps), ca, shows),
  }[door]();
  t.teardown(() => client.socket.destroy());
  return peerOf(client);
}

async function startTls(to: { readonly host: string; readonly port: number }, ca: string): Promise<RawClient> {
  const clear = await connectRaw(to);
  clear.send(1, { kind: 'extendedRequest', oid: '1.3.6.1.4.1.1466.20037' });
  await clear.next();
  clear.socket.removeAllListeners('data');
  const tls = connectTls({ socket: clear.socket, ca, servername: 'localhost' });
  await new Promise((resolve, reject) => tls.once('secureConnect', resolve).once('error', reject));
  return rawClient(tls);
}

async function connectShowing(
  to: { readonly host: string; readonly port: number },
  ca: string,
  shows: Shows | undefined,
): Promise<RawClient> {
  const tls = connectTls({ ...to, ca, servername: 'localhost', ...shows });
  await new Promise((resolve, reject) => tls.once('secureConnect', resolve).once('error', reject));
  return rawClient(tls);
}

function peerOf(client: RawClient): Peer {
  let lastId = 100;
  const arrived: Message[] = [];
  /** The first message that fits, of those that came and of those to come. */
  const take = async (fits: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const at = arrived.findIndex(fits);
      if (at >= 0) return arrived.splice(at, 1)[0] as Message;
      const message = await client.next();
      if (message === undefined) throw new Error('the connection is over');
      arrived.push(message);
    }
  };
  const begin: Peer['begin'] = (op, ...controls) => {
    client.write(encodeMessage({ messageId: ++lastId, op, controls }));
    return lastId;
  };
  const end: Peer['end'] = async (messageId) => {
    const last = await take((message) => message.messageId === messageId && 'result' in message.op);
    const entries = arrived.filter((message) => message.messageId === messageId).flatMap(shown);
    return { ...answered(last), entries };
  };
  return {
    begin,
    end,
    ask: (op, ...controls) => end(begin(op, ...controls)),
    async entryOf(messageId) {
      const [entry] = shown(await take((message) => message.messageId === messageId && message.op.kind === 'searchResultEntry'));
      if (entry === undefined) throw new Error('no entry');
      return entry;
    },
  };
}

function answered({ op, controls }: Message): Omit<Answered, 'entries'> {
  if (!('result' in op)) throw new Error(`${op.kind} is no answer`);
  const value = op.kind === 'extendedResponse' ? op.value : op.kind === 'bindResponse' ? op.serverSaslCreds : undefined;
  return { code: op.result.code, controls, value, referral: op.result.referral ?? [] };
}

function shown({ op, controls }: Message): Shown[] {
  if (op.kind !== 'searchResultEntry') return [];
  const of = (name: string): readonly PartialAttribute[] =>
    op.attributes.filter(({ description }) => description.toLowerCase() === name.toLowerCase());
  return [{ dn: op.object, controls, all: (name) => of(name).flatMap(({ values }) => values.map((value) => text(value) ?? '')) }];
}

export const simpleBind = (name: string, password: string): Request => ({
  kind: 'bindRequest',
  version: 3,
  name,
  authentication: { kind: 'simple', password: utf8(password) },
});

export const saslBind = (mechanism: string, credentials?: string): Request => ({
  kind: 'bindRequest',
  version: 3,
  name: '',
  authentication: { kind: 'sasl', mechanism, ...(credentials !== undefined && { credentials: utf8(credentials) }) },
});
