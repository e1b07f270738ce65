import { chmodSync, rmSync } from 'node:fs';
import type { Server as NodeServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import type { Request, Server, ServerOptions } from 'restify';
import type { Audit, Log } from '#audit';
import type { Chance } from '#base';
import { Refusal, refuse, type SettingValues } from '#catalogue';
import { verifiesPasswords } from '#policy';
import { loadAssets } from './assets.ts';
import { answerBroken } from './broken.ts';
import { isOrigin } from './cors.ts';
import type { Csrf } from './csrf.ts';
import { errors } from './errors.ts';
import { bindRoutes, type Handler, type WebRoute } from './exchange.ts';
import { createExchanges, type Exchange } from './exchanges.ts';
import { createGuard } from './guard.ts';
import { isLoopbackAddress, plainAddress } from './host.ts';
import { createServer } from './library.ts';
import { mountRoutes } from './mount.ts';
import type { WebRealms } from './realm.ts';
import { routes as ownRoutes } from './routes.ts';
import { createSender, errorOf } from './send.ts';
import type { settings } from './settings.ts';
import { fillText } from './texts.ts';

/** What https shows: PEM texts. */
interface Shown {
  readonly key: string;
  /** The certificate and those that lead to its authority. */
  readonly cert: string;
}

export interface WebOptions {
  readonly settings: SettingValues<typeof settings>;
  readonly realms: WebRealms;
  /** Route rows of the rooms above with their handlers. Each realm has all of them. */
  readonly routes: readonly WebRoute[];
  /** Without it https is not offered. */
  readonly tls?: Shown;
  /** The path below which there is an API and no page. */
  readonly apiPath?: string;
  /** A door for this user alone, a Unix socket in a folder that nobody else may enter: what it offers needs no other proof. */
  readonly operators?: { readonly path: string; readonly routes: readonly WebRoute[] };
  readonly csrf: Csrf;
  readonly audit: Audit;
  readonly log: Log;
  readonly chance: Chance;
}

export interface Web {
  /** Where it can be reached, with the real ports. */
  readonly addresses: { readonly http?: string; readonly https?: string };
  /** The routes as the router has them at this moment. */
  mounted(): readonly { readonly method: string; readonly path: string }[];
  /** From now on https shows this certificate. Connections that are open go on as they are. */
  showCertificate(shown: Shown): void;
  /** Takes no new requests, lets those in progress end for `http.stopWaitS` seconds, and closes what is left. */
  stop(): Promise<void>;
}

/**
 * Starts the web on http and https, and on the operators' socket.
 *
 * @throws Refusal with STS-HTTP-9007 when a port, or the socket, cannot be had
 */
export async function startWeb(options: WebOptions): Promise<Web> {
  const { settings: given, realms, tls, chance } = options;
  const assets = loadAssets();
  for (const value of given['global.corsOrigins'].filter((each) => !isOrigin(each)))
    options.log.warn(errors.corsOriginUnfit, fillText(errors.corsOriginUnfit.means, { value }));
  let ending = false;
  let tlsPort: number | undefined;
  const send = createSender({
    assets,
    audit: options.audit,
    discardOctetsMax: given['http.bodyOctetsMax'],
    apiPath: options.apiPath,
    ending: () => ending,
  });
  const asset: Handler = ({ params }) => {
    const found = assets.find(params['name'] ?? '');
    if (found === undefined) throw refuse(errors.noRoute);
    return { kind: 'file', type: found.type, body: found.body, gzipped: found.gzipped };
  };
  const door: DoorOptions = {
    ...options,
    routes: [...bindRoutes(ownRoutes, { asset }), ...options.routes],
    exchanges: createExchanges(chance, realms.standing),
    send,
    guard: createGuard({ realms, publicBaseUrl: given['global.publicBaseUrl'], tlsPort: () => tlsPort, send }),
  };

  const host = given['http.host'] === '' && !verifiesPasswords(realms.standing.mode) ? 'localhost' : given['http.host'];
  const servers: NodeServer[] = [];
  const doors: Server[] = [];
  const open = async (port: number | undefined, serverOptions: ServerOptions): Promise<AddressInfo | undefined> => {
    if (port === undefined) return undefined;
    const made = await createDoor(serverOptions, door);
    doors.push(made);
    const server = made.server as NodeServer;
    await listen(server, { port, ...(host === '' ? {} : { host }) }, `${host}:${port}`);
    servers.push(server);
    return server.address() as AddressInfo;
  };
  const openToOperators = async ({ path, routes }: NonNullable<WebOptions['operators']>) => {
    const made = await createDoor({}, { ...door, routes, exchanges: createExchanges(chance, realms.standing, true) });
    const server = made.server as NodeServer;
    // One service has the folder: a socket that lies there is of one that was killed.
    rmSync(path, { force: true });
    await listen(server, { path }, path);
    servers.push(server);
    chmodSync(path, 0o600);
  };
  const stop = async () => {
    ending = true;
    await Promise.all(servers.map((server) => closeServer(server, given['http.stopWaitS'] * 1000)));
  };
  try {
    const https = tls === undefined ? undefined : await open(given['http.tlsPort'], { httpsServerOptions: tls });
    tlsPort = https?.port;
    const http = await open(given['http.port'], {});
    if (options.operators !== undefined) await openToOperators(options.operators);
    return {
      addresses: {
        ...(http === undefined ? {} : { http: `http://${hostOf(http)}:${http.port}` }),
        ...(https === undefined ? {} : { https: `https://${hostOf(https)}:${https.port}` }),
      },
      mounted: () => routesOf(doors[0]),
      showCertificate: ({ key, cert }) => {
        for (const server of servers) if ('setSecureContext' in server) (server as HttpsServer).setSecureContext({ key, cert });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Doors of browsers have the same. HEAD comes with GET. */
function routesOf(server: Server | undefined): readonly { readonly method: string; readonly path: string }[] {
  // An object by name, whatever its type says.
  const routes = Object.values(server?.router.getRoutes() ?? {}) as readonly { readonly method: string; readonly path: unknown }[];
  return routes.filter(({ method }) => method !== 'HEAD').map(({ method, path }) => ({ method, path: String(path) }));
}

interface DoorOptions extends WebOptions {
  readonly exchanges: ReturnType<typeof createExchanges>;
  readonly send: ReturnType<typeof createSender>;
  readonly guard: ReturnType<typeof createGuard>;
}

async function createDoor(
  serverOptions: ServerOptions,
  { settings: given, exchanges, send, guard, routes, csrf, log, audit, realms }: DoorOptions,
): Promise<Server> {
  // Names of entries stand in paths and may be long. The router takes 100 characters of them unless it is told; whole headers have a limit of their own.
  const long = { maxParamLength: given['http.headerOctetsMax'] };
  const server = await createServer({ ...serverOptions, ...long, name: '', log: silent });
  const node = server.server as NodeServer;
  limit(node, given);
  // Outside Restify's chain nothing catches what is thrown.
  const passes = async (exchange: Exchange): Promise<boolean> => {
    try {
      return await guard(exchange);
    } catch (thrown) {
      const { error, means } = errorOf(thrown);
      if (thrown instanceof Refusal) send.refuse(exchange, error, means === undefined ? {} : { means });
      else send.refuse(exchange, errors.beforeRouter, { means: thrown instanceof Error ? thrown.name : 'unknown' });
      return false;
    }
  };

  // Restify takes its time to begin with a request, and a body may turn out to be broken before.
  node.prependListener('request', (request, response) => {
    exchanges.open(request, response);
    // A client that goes away in the middle is no error of ours.
    request.on('error', nothing);
    response.on('error', nothing);
  });
  server.pre((request, _response, next) => {
    const exchange = exchanges.of(request);
    if (exchange === undefined) next(false);
    else void passes(exchange).then((passed) => next(passed ? undefined : false));
  });
  // Restify repeats what its server reports, and a report that nobody hears would end the process. `listen` hears it.
  server.on('error', nothing);
  // The callback is never called: Restify would answer in its own words.
  server.on('restifyError', (request, response, error: { readonly statusCode?: number }) => {
    const exchange = exchanges.of(request);
    if (exchange === undefined) return;
    if (error.statusCode === 405) {
      const allow = [response.getHeader('Allow')].flat().join(', ');
      send.refuse(exchange, errors.methodNotAllowed, { headers: { Allow: allow } });
    } else if (error.statusCode === 404) send.refuse(exchange, errors.noRoute);
    else send.refuse(exchange, errors.beforeRouter);
  });
  answerBroken(node, {
    exchanges,
    send,
    record: (address, why) =>
      audit.record({
        realm: realms.standing.id,
        door: 'http',
        subject: '',
        action: 'web.request',
        outcome: 'refused',
        error: errors.beforeRouter,
        summary: `what arrived is no request: ${why}`,
        correlationId: '',
        address: plainAddress(address),
      }),
  });
  const limits = {
    octetsMax: given['http.bodyOctetsMax'],
    fieldsMax: given['http.formFieldsMax'],
    depthMax: given['http.jsonDepthMax'],
  };
  mountRoutes(routes, { server, exchanges, send, csrf, limits, log, origins: given['global.corsOrigins'].filter(isOrigin) });
  return server;
}

/** Restify's own log would write to standard output; what it has to tell reaches ours through the errors it hands over. */
const nothing = () => undefined;
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing } as unknown as Request['log'];

function limit(node: NodeServer, given: WebOptions['settings']): void {
  // Restify hands no options to http.createServer; Node reads this one from the server at each connection.
  Object.assign(node, { maxHeaderSize: given['http.headerOctetsMax'] });
  node.headersTimeout = given['http.headersTimeoutS'] * 1000;
  node.requestTimeout = given['http.requestTimeoutS'] * 1000;
  node.keepAliveTimeout = given['http.keepAliveTimeoutS'] * 1000;
  node.maxConnections = given['http.connectionsMax'];
  // Restify listens for upgrades and answers none, so that such a request would hang; without a listener Node takes it for an ordinary one.
  node.removeAllListeners('upgrade');
  // It also takes requests that wait for "100 Continue" past the listeners of `request`, ours included; without it Node says "Continue" and goes on.
  node.removeAllListeners('checkContinue');
}

function listen(server: NodeServer, place: ListenOptions, named: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(refuse(errors.notListening, { address: named, why: error.code ?? error.message }));
    server.once('error', failed);
    server.listen(place, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function closeServer(server: NodeServer, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), waitMs);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** The name to reach a listener by from this machine. */
function hostOf({ address }: AddressInfo): string {
  if (isLoopbackAddress(address) || address === '0.0.0.0' || address === '::') return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}
