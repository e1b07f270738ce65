import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AuditEvent } from '#audit';
import { systemChance, utf8 } from '#base';
import type { Connection, Directory, Reply } from '#directory';
import { encodeAttributes, type Message, type Request, resultCodes } from '#ldap';
import { type Endpoints, type Limits, type Listener, listenerSettings, startListener } from '#listener';
import { observe } from './observed.ts';
import { connectRaw, type RawClient } from './raw-ldap.ts';

/** A request that the test directory holds until it is told to answer. */
interface Held {
  readonly connection: Connection;
  readonly message: Message<Request>;
  readonly reply: Reply;
  answer(): void;
}

export interface TestListener {
  readonly listener: Listener;
  readonly events: AuditEvent[];
  readonly connections: Connection[];
  /** How many requests the directory was given. */
  performed(): number;
  /** Requests held by now. */
  readonly held: Held[];
  /** The next request that is held. */
  nextHeld(): Promise<Held>;
  connect(): Promise<RawClient>;
  /** Moves the clock, and lets the listener look at it. */
  passMs(ms: number): void;
  limits: { -readonly [Name in keyof Limits]: Limits[Name] };
}

const defaults = Object.fromEntries(Object.entries(listenerSettings).map(([name, row]) => [name, row.default])) as unknown as Limits;
const success = { code: resultCodes.success, matchedDN: '', diagnostic: '' };

/**
 * A listener over a directory of a few lines, whose every answer the test controls:
 * a compare is held until the test lets it go; a bind asks for the password `right` and takes a turn; a delete throws; an add answers nothing;
 * a search sends as many entries of 1000 octets as its size limit says, heeding backpressure; everything else succeeds at once.
 */
export async function startTestListener(
  t: ExecutionContext,
  given: { limits?: Partial<Limits>; endpoints?: Endpoints } = {},
): Promise<TestListener> {
  const events: AuditEvent[] = [];
  const connections: Connection[] = [];
  let performed = 0;
  const held: Held[] = [];
  const waiting: ((held: Held) => void)[] = [];
  let nowMs = 1_000_000;
  let check = () => {};
  const limits = { ...defaults, ...given.limits };

  const hold = (one: Held) => {
    held.push(one);
    waiting.shift()?.(one);
  };
  const directory = testDirectory(connections, hold);
  const listener = await startListener({
    directory: {
      perform: (...given) => {
        performed++;
        return directory.perform(...given);
      },
      forget: () => undefined,
    },
    endpoints: given.endpoints ?? { ldap: { host: '127.0.0.1', port: 0 } },
    limits,
    audit: {
      record: (event) => {
        events.push(event);
        observe(event.error?.code);
      },
    },
    clock: { nowMs: () => nowMs },
    chance: systemChance,
    every: (_, act) => {
      check = act;
      return () => {};
    },
  });
  t.teardown(() => {
    for (const one of held) one.answer();
    limits['ldap.stopTimeoutS'] = 0;
    return listener.stop();
  });

  return {
    listener,
    events,
    connections,
    performed: () => performed,
    held,
    limits,
    nextHeld: () => new Promise((resolve) => waiting.push(resolve)),
    connect: async () => {
      const client = await connectRaw({ port: listener.addresses.ldap?.port ?? 0, host: '127.0.0.1' });
      t.teardown(() => client.socket.destroy());
      return client;
    },
    passMs: (ms) => {
      nowMs += ms;
      check();
    },
  };
}

/** A folder of this test. */
export function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function testDirectory(connections: Connection[], hold: (held: Held) => void): Directory {
  const attributes = encodeAttributes([{ description: 'description', values: [utf8('x'.repeat(1000))] }]);
  const seen = new Set<Connection>();
  return {
    forget: () => undefined,
    perform(connection, message, reply) {
      if (!seen.has(connection)) connections.push(connection);
      seen.add(connection);
      const { op } = message;
      if (op.kind === 'bindRequest') return bind(connection, op, reply);
      if (op.kind === 'compareRequest') {
        return new Promise<void>((resolve) => {
          const answer = () => {
            reply.send({ kind: 'compareResponse', result: { ...success, code: resultCodes.compareTrue } });
            resolve();
          };
          hold({ connection, message, reply, answer });
        });
      }
      if (op.kind === 'searchRequest') return search(op.sizeLimit, reply, attributes);
      if (op.kind === 'delRequest') throw new Error('a defect of the directory');
      if (op.kind === 'extendedRequest')
        reply.send({ kind: 'extendedResponse', result: success, value: utf8(connection.identity.dn ?? '') });
      if (op.kind === 'modifyRequest') reply.send({ kind: 'modifyResponse', result: success });
      return undefined;
    },
  };
}

async function bind(connection: Connection, op: Extract<Request, { kind: 'bindRequest' }>, reply: Reply): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  const right = op.authentication.kind === 'simple' && Buffer.from(op.authentication.password).toString() === 'right';
  connection.identity = right
    ? { dn: op.name, uuid: undefined, strength: 'ownPassword' }
    : { dn: undefined, uuid: undefined, strength: 'anonymous' };
  reply.send({ kind: 'bindResponse', result: { ...success, code: right ? resultCodes.success : resultCodes.invalidCredentials } });
}

async function search(entries: number, reply: Reply, attributes: Uint8Array): Promise<void> {
  for (let i = 0; i < entries; i++) {
    reply.entry(utf8(`cn=${i}`), [attributes]);
    await reply.full();
  }
  reply.send({ kind: 'searchResultDone', result: success });
}
