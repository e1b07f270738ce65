import { type AddressInfo, createServer, isIPv6, type ListenOptions, type Server } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { Audit } from '#audit';
import type { Chance, Clock } from '#base';
import { refuse } from '#catalogue';
import type { Directory, Door } from '#directory';
import { errors } from './errors.ts';
import { createGate } from './gate.ts';
import { withIntake } from './intake.ts';
import { createSecuring, type Shown, type TlsFiles, tlsOptions } from './securing.ts';
import type { Limits } from './settings.ts';
import { listening, listenOnPath, removeSocket } from './sockets.ts';
import type { Tally } from './tally.ts';

export interface Endpoints {
  /** Network endpoints: `host` is an address or a name; `localhost` stands for both loopback addresses, `''` for every address. Port 0: the system chooses. */
  /** `startTls`: what is shown to a client that asks for TLS there; without it TLS is not offered. */
  readonly ldap?: { readonly host: string; readonly port: number; readonly startTls?: TlsFiles };
  readonly ldaps?: { readonly host: string; readonly port: number } & TlsFiles;
  /** Path of the operators' socket, which only this user may open. */
  readonly operators?: string;
  /** Path of the web layer's socket. Its folder is made for it alone, and for this user alone. */
  readonly web?: string;
}

export interface ListenerOptions {
  readonly directory: Directory;
  readonly endpoints: Endpoints;
  readonly limits: Limits;
  readonly audit: Pick<Audit, 'record'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Other threads listen on the network endpoints, too, and the system spreads connections over them. This one is the first, or joins those that listen. */
  readonly shares?: 'first' | 'joins';
  /** How many network connections are open, those of other threads included; by default those of this listener. */
  readonly tally?: Tally;
  /** Calls something again and again until it is told to stop. Tests give one that they drive by hand. */
  readonly every?: (intervalMs: number, act: () => void) => () => void;
}

/** Where the listener can be reached, with the ports that are really open. */
export interface Addresses {
  readonly ldap?: { readonly url: string; readonly port: number };
  readonly ldaps?: { readonly url: string; readonly port: number };
  /** RFC 4516 with ldap-utils' `ldapi` scheme: the path percent-encoded. */
  readonly operators?: { readonly url: string; readonly path: string };
  readonly web?: { readonly path: string };
}

export interface Listener {
  readonly addresses: Addresses;
  /** How many connections are open. */
  readonly connections: number;
  /**
   * Ends the connections on which somebody is bound as a person, with a Notice of Disconnection (RFC 4511 §4.4.1). Those that came in with an app password whose
   * time is over end by themselves, within a second.
   *
   * @param appPasswords  ids: only those that came in with one of these of that person
   * @returns how many there were
   */
  endFor(entryUuid: string, appPasswords?: readonly string[]): number;
  /** How many it would end. */
  countFor(entryUuid: string, appPasswords?: readonly string[]): number;
  /** The entryUUIDs as which somebody is bound, one for each connection. */
  boundAs(): readonly string[];
  /** From now on this certificate is shown, at handshakes of LDAPS and of StartTLS. Connections that are open go on as they are. */
  showCertificate(shown: Shown): void;
  /** Takes no more connections and requests, waits for those in progress as long as `ldap.stopTimeoutS`, and ends. */
  stop(): Promise<void>;
}

const checkMs = 1000;
/** How often a system-chosen port that is free on one loopback address may turn out to be taken on the other. */
const portTriesMax = 8;

/**
 * Opens the LDAP endpoints.
 *
 * @throws Refusal `cannotListen` (STS-LDAP-9200) with `where`, `why` and `errno` (such as EACCES, EADDRINUSE); nothing stays open then
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { endpoints, limits, clock } = options;
  const handshakeTimeoutMs = () => limits['ldap.stallTimeoutS'] * 1000;
  const startTls = endpoints.ldap?.startTls;
  // Late: it takes as long to load as all of this room.
  const tls = startTls !== undefined || endpoints.ldaps !== undefined ? await import('node:tls') : undefined;
  let renewed: Shown | undefined;
  const secured = new Map<TlsServer, TlsFiles>();
  const securing =
    tls === undefined || startTls === undefined ? undefined : createSecuring(tls, () => ({ ...startTls, ...renewed }), handshakeTimeoutMs);
  const gate = createGate({ ...options, securing });
  const servers: Server[] = [];
  const paths: string[] = [];

  const make = (door: Door): Server => {
    const server = createServer({ ...socketOptions, pauseOnConnect: true }, (socket) => gate.admit(withIntake(socket), door));
    servers.push(server);
    return server;
  };
  const makeTls = (from: typeof import('node:tls'), files: TlsFiles): Server => {
    const server = from.createServer({ ...socketOptions, ...tlsOptions(files, handshakeTimeoutMs()) });
    gate.guardTls(server);
    servers.push(server);
    secured.set(server, files);
    return server;
  };
  const onPath = async (path: string, door: Door, guard: 'file' | 'folder') => {
    await attempt(path, () => listenOnPath(make(door), path, guard));
    paths.push(path);
  };
  const closeServers = () => {
    for (const server of servers) server.close();
    paths.forEach(removeSocket);
  };

  const addresses: { -readonly [Name in keyof Addresses]: Addresses[Name] } = {};
  try {
    const { ldap, ldaps, operators, web } = endpoints;
    const { shares } = options;
    if (ldap !== undefined) addresses.ldap = networkAddress('ldap', ldap.host, await onNetwork({ ...ldap, shares }, () => make('ldap')));
    if (ldaps !== undefined && tls !== undefined)
      addresses.ldaps = networkAddress('ldaps', ldaps.host, await onNetwork({ ...ldaps, shares }, () => makeTls(tls, ldaps)));
    if (operators !== undefined) {
      await onPath(operators, 'operators', 'file');
      addresses.operators = { url: `ldapi://${encodeURIComponent(operators)}`, path: operators };
    }
    if (web !== undefined) {
      await onPath(web, 'web', 'folder');
      addresses.web = { path: web };
    }
  } catch (error) {
    closeServers();
    throw error;
  }

  const stopChecking = (options.every ?? everyInterval)(checkMs, () => gate.checkTimes(clock.nowMs()));
  return {
    addresses,
    get connections() {
      return gate.count();
    },
    endFor: (...whose) => gate.endFor(...whose),
    countFor: (...whose) => gate.countFor(...whose),
    boundAs: () => gate.boundAs(),
    showCertificate: (shown) => {
      renewed = shown;
      for (const [server, files] of secured) server.setSecureContext(tlsOptions({ ...files, ...shown }, handshakeTimeoutMs()));
    },
    stop: async () => {
      closeServers();
      await gate.end(limits['ldap.stopTimeoutS'] * 1000);
      stopChecking();
    },
  };
}

/** `allowHalfOpen`: a client may say its last and still be answered. `noDelay`: an answer is written whole, so nothing is gained by holding it back. */
const socketOptions = { allowHalfOpen: true, noDelay: true, keepAlive: true } as const;

/**
 * Listens on every address that the host stands for, all on one port.
 *
 * @returns the port
 */
async function onNetwork({ host, port, shares }: NetworkPlace, make: () => Server): Promise<number> {
  const where = `${host === '' ? '*' : host}:${port}`;
  if (host !== 'localhost') return attempt(where, () => listenOn(make(), host, port, shares));
  for (let tries = 1; ; tries++) {
    const server = make();
    const found = await attempt(where, () => listenOn(server, '127.0.0.1', port, shares));
    try {
      await listenOn(make(), '::1', found, shares);
      return found;
    } catch (error) {
      const errno = errnoOf(error);
      // A machine without IPv6 has the one loopback address.
      if (errno === 'EADDRNOTAVAIL' || errno === 'EAFNOSUPPORT') return found;
      if (port !== 0 || errno !== 'EADDRINUSE' || tries === portTriesMax) throw cannotListen(`[::1]:${found}`, error);
      server.close();
    }
  }
}

interface NetworkPlace {
  readonly host: string;
  readonly port: number;
  readonly shares: ListenerOptions['shares'];
}

async function listenOn(server: Server, host: string, port: number, shares: ListenerOptions['shares']): Promise<number> {
  const address = host === '' ? {} : { host };
  if (shares === undefined) return await boundPort(server, { ...address, port });
  // Two processes that both share a port would both listen, and neither would know. So that the port is nobody else's is tried first.
  const found = shares === 'joins' ? port : await freePort({ ...address, port });
  return await boundPort(server, { ...address, port: found, reusePort: true });
}

/** @returns the port itself, or one that the system chose for 0 */
async function freePort(place: ListenOptions): Promise<number> {
  const probe = createServer();
  const port = await boundPort(probe, place);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function boundPort(server: Server, place: ListenOptions): Promise<number> {
  await listening(server, () => server.listen(place));
  return (server.address() as AddressInfo).port;
}

async function attempt<T>(where: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw cannotListen(where, error);
  }
}

function cannotListen(where: string, error: unknown) {
  return refuse(errors.cannotListen, { where, why: error instanceof Error ? error.message : String(error), errno: errnoOf(error) });
}

function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function networkAddress(scheme: 'ldap' | 'ldaps', host: string, port: number) {
  const name = host === '' ? 'localhost' : isIPv6(host) ? `[${host}]` : host;
  return { url: `${scheme}://${name}:${port}`, port };
}

function everyInterval(intervalMs: number, act: () => void): () => void {
  const timer = setInterval(act, intervalMs);
  return () => clearInterval(timer);
}
