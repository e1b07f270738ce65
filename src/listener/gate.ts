import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Audit } from '#audit';
import { type Chance, type Clock, typedToken } from '#base';
import type { Connection, Directory, Door } from '#directory';
import { resultCodes } from '#ldap';
import { errors } from './errors.ts';
import { createArena } from './outbox.ts';
import { createReport } from './reports.ts';
import { certificateOf, extensionsOf, type Securing } from './securing.ts';
import type { Limits } from './settings.ts';
import type { Shared } from './shared.ts';
import { createTally, type Tally } from './tally.ts';
import { Wire } from './wire.ts';

export interface GateOptions {
  readonly directory: Directory;
  readonly limits: Limits;
  readonly audit: Pick<Audit, 'record'>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly tally?: Tally;
  /** Begins TLS where a client of the `ldap` door asks for it. */
  readonly securing?: Securing | undefined;
}

/** Lets connections in, up to the limit, and knows those that are open. */
export interface Gate {
  admit(socket: Socket, door: Door): void;
  /** Admits what a TLS server accepts: counted from the first octet on, served when the handshake is done. */
  guardTls(server: Server): void;
  /** How many are open, those over the network at other threads included. */
  count(): number;
  checkTimes(nowMs: number): void;
  /** Ends the connections on which somebody is bound as a person. @returns how many there were */
  endFor(entryUuid: string, appPasswords?: readonly string[]): number;
  /** How many there are. */
  countFor(entryUuid: string, appPasswords?: readonly string[]): number;
  /** The entryUUIDs as which somebody is bound, one for each connection. */
  boundAs(): readonly string[];
  /** Lets nobody in any more, waits this long for requests in progress, and ends all that is open. */
  end(timeoutMs: number): Promise<void>;
}

/** RFC 4511 §4.4.1. */
const whyEnded = 'nobody may be here as this person any more: the account is disabled, deleted or out of its time';
const whyRevoked = 'the app password that this connection came in with is good no longer, or for something else';

/** How long, at the end of the service, peers may take to hang up after they were told. */
const partingMs = 500;

export function createGate({ directory, limits, audit, clock, chance, tally = createTally(), securing }: GateOptions): Gate {
  const report = createReport(audit, clock);
  /** What ends behind the end was ended by us, and the audit may be closed by then. */
  let over = false;
  const shared: Shared = {
    directory,
    limits,
    clock,
    report: (...what) => {
      if (!over) report(...what);
    },
    arena: createArena(),
    securing,
  };
  const wires = new Set<Wire>();
  /** Open sockets by kind of door: whoever fills the network side shall not shut the operators out. */
  const open = { network: tally, operators: createTally(), web: createTally() };
  const handshaking = new Set<Socket>();
  const prefix = typedToken(chance, 6);
  let counted = 0;
  let ending = false;

  const describe = (socket: Socket, door: Door, certificate?: Uint8Array): Connection => {
    const address = door === 'ldap' || door === 'ldaps' ? plainAddress(socket.remoteAddress ?? '') : 'local';
    const secure = door !== 'ldap';
    return {
      id: `${prefix}-${++counted}`,
      door,
      address,
      loopback: address === 'local' || address === '::1' || address.startsWith('127.'),
      secure,
      identity: { dn: undefined, uuid: undefined, strength: 'anonymous' },
      trusted: false,
      certificate,
      extensions: extensionsOf({ door, secure }, securing),
      exchange: undefined,
    };
  };

  /** @returns false when there are too many; the socket is closed then */
  const count = (socket: Socket, door: Door): boolean => {
    const kind = door === 'ldap' || door === 'ldaps' ? 'network' : door;
    const isOneTooMany = open[kind].add() > limits['ldap.connectionsMax'];
    if (ending || isOneTooMany) {
      open[kind].remove();
      if (!ending) shared.report(errors.tooManyConnections, describe(socket, door), '');
      socket.destroy();
      return false;
    }
    socket.once('close', () => open[kind].remove());
    return true;
  };

  const begin = (socket: Socket, door: Door, certificate?: Uint8Array) => {
    const wire = new Wire(socket, describe(socket, door, certificate), shared);
    wires.add(wire);
    void wire.closed.then(() => {
      wires.delete(wire);
      shared.directory.forget(wire.connection);
    });
  };

  return {
    admit: (socket: Socket, door: Door) => {
      if (count(socket, door)) begin(socket, door);
    },
    guardTls: (server: Server) => {
      server.on('connection', (socket: Socket) => {
        if (!count(socket, 'ldaps')) return;
        handshaking.add(socket);
        socket.once('close', () => handshaking.delete(socket));
      });
      server.on('secureConnection', (socket: TLSSocket) => {
        if (!ending) begin(socket, 'ldaps', certificateOf(socket));
        else socket.destroy();
      });
      server.on('tlsClientError', (error: Error, socket: Socket) => {
        shared.report(errors.tlsFailed, describe(socket, 'ldaps'), error.message);
        socket.destroy();
      });
    },
    count: () => open.network.total + open.operators.total + open.web.total,
    checkTimes: (nowMs: number) => {
      for (const wire of wires) {
        wire.checkTime(nowMs);
        const untilMs = wire.connection.identity.appPassword?.expiresMs;
        if (untilMs !== undefined && untilMs <= nowMs) wire.part(resultCodes.strongerAuthRequired, whyRevoked);
      }
    },
    endFor: (...whose: Whose) =>
      [...wires].filter(
        (wire) => isOf(wire, ...whose) && wire.part(resultCodes.strongerAuthRequired, whose[1] === undefined ? whyEnded : whyRevoked),
      ).length,
    countFor: (...whose: Whose) => [...wires].filter((wire) => isOf(wire, ...whose)).length,
    boundAs: () => [...wires].flatMap(({ connection: { identity } }) => identity.uuid ?? []),
    end: async (timeoutMs: number) => {
      ending = true;
      await within(
        timeoutMs,
        [...wires].map((wire) => wire.end(resultCodes.unavailable, 'the service stops')),
      );
      for (const wire of wires) wire.cut();
      await within(
        partingMs,
        [...wires].map((wire) => wire.closed),
      );
      over = true;
      for (const wire of wires) wire.destroy();
      for (const socket of handshaking) socket.destroy();
    },
  };
}

type Whose = Parameters<Gate['endFor']>;

function isOf({ connection: { identity } }: Wire, ...[entryUuid, appPasswords]: Whose): boolean {
  const { uuid, appPassword } = identity;
  if (appPasswords === undefined) return uuid === entryUuid;
  return appPassword?.holder === entryUuid && appPasswords.some((id) => id === appPassword.id);
}

/** An IPv4 client of a socket that takes both kinds is shown with its IPv4 address (RFC 4291 §2.5.5.2). */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** Waits for all of them, or for so long. */
async function within(timeoutMs: number, waited: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([Promise.all(waited), elapsed]);
  clearTimeout(timer);
}
