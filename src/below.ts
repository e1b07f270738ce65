import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { Addresses } from '#commands';
import { bootstrap, createDirectory, createIndexer, type Engine, indexVersion, openEngine } from '#directory';
import { createHasher, openServerCertificate, type ServerCertificate } from '#keys';
import { type Endpoints, startListener } from '#listener';
import { keysBelow, loadSchema, type Schema } from '#schema';
import { openStore } from '#store';
import type { Foundation, Settings } from './foundation.ts';

/** What the web layer is given of the directory: a socket to speak LDAP over, and the secret that opens it. Nothing else. */
export interface Below {
  readonly addresses: Addresses;
  readonly suffix: string;
  /** The directory's epoch. */
  readonly epoch: number;
  readonly certificate: ServerCertificate | undefined;
  readonly web: { readonly socketPath: string; readonly secret: Uint8Array };
  /** The built-in administrator's password when this start made it. */
  readonly generatedPassword?: string;
}

/** The folder of sockets, inside the data folder: nobody else may enter it. */
const socketFolder = 'run';
const webSocket = 'web';
const secretOctets = 32;

/** Starts all that stands below the LDAP interface, the interface itself included. */
export async function startBelow(foundation: Foundation): Promise<Below> {
  const { root, settings, dataDir, clock, chance, audit, open } = foundation;
  const secret = chance.octets(secretOctets);
  const engine = openDirectory(foundation, secret);
  const made = await bootstrap(engine, { seed: realmSeed(root) });

  const certificate = await certificateOf(foundation);
  const endpoints = endpointsOf(foundation, certificate);
  const listener = await startListener({ directory: createDirectory(engine), endpoints, limits: settings, audit, clock, chance });
  open.defer(() => listener.stop());

  const { ldap, ldaps, operators } = listener.addresses;
  return {
    addresses: {
      ...(ldap === undefined ? {} : { ldap: ldap.url }),
      ...(ldaps === undefined ? {} : { ldaps: ldaps.url }),
      ...(operators === undefined ? {} : { operators: operators.url }),
    },
    suffix: settings['realms.defaultSuffix'],
    epoch: engine.store.epoch,
    certificate,
    web: { socketPath: join(dataDir, socketFolder, webSocket), secret },
    ...(made.kind === 'made' && made.password !== undefined ? { generatedPassword: made.password } : {}),
  };
}

/** Opens the folder's entries with all that judges them. `webSecret` opens the web layer's socket to who shows it. */
export function openDirectory(foundation: Foundation, webSecret?: Uint8Array): Engine {
  const { root, version, settings, dataDir, clock, chance, log, audit, die, open } = foundation;
  const schema = schemaOf(root);
  const store = openStore({
    file: join(dataDir, 'directory.sqlite'),
    settings,
    indexer: createIndexer(schema),
    indexVersion,
    keysBelow,
    fatal: (reason) => {
      log.error(reason.row, reason.tells);
      die();
    },
    report: (trouble) => log.warn(trouble.row, trouble.tells),
  });
  open.defer(() => store.close());
  const hasher = createHasher({
    cores: availableParallelism(),
    queueMax: settings['keys.hashQueueMax'],
    costMaxMiB: settings['keys.hashCostMaxMiB'],
    chance,
  });
  return openEngine({ schema, store, hasher, clock, chance, audit, settings, version, ...(webSecret === undefined ? {} : { webSecret }) });
}

/** Only where something speaks TLS. */
async function certificateOf({ settings, dataDir, clock, chance }: Foundation): Promise<ServerCertificate | undefined> {
  if (settings['ldap.tlsPort'] === undefined && settings['http.tlsPort'] === undefined) return undefined;
  const publicName = URL.parse(settings['global.publicBaseUrl'])?.hostname;
  return await openServerCertificate({
    certFile: settings['tls.certFile'],
    keyFile: settings['tls.keyFile'],
    folder: join(dataDir, 'tls'),
    names: publicName === undefined ? [] : [publicName],
    clock,
    chance,
  });
}

/** The schema of the installation. */
export function schemaOf(root: string): Schema {
  return loadSchema(readTexts(join(root, 'schema'), '.schema'));
}

/** What a realm begins with. */
export function realmSeed(root: string): string {
  return readFileSync(join(root, 'ldif', 'default-realm.ldif'), 'utf8');
}

/** The path of the operators' socket: as given, or inside the data folder. `undefined` when it is switched off. */
export function operatorsSocketOf(root: string, settings: Settings): string | undefined {
  const path = settings['ldap.socket'];
  return path === '' ? undefined : resolve(root, settings['global.dataDir'], path);
}

function endpointsOf({ root, settings, dataDir }: Foundation, certificate: ServerCertificate | undefined): Endpoints {
  const mode = settings['global.mode'];
  const host = settings['ldap.host'] === '' && mode === 'development' ? 'localhost' : settings['ldap.host'];
  const port = settings['ldap.port'];
  const tlsPort = settings['ldap.tlsPort'];
  const operators = operatorsSocketOf(root, settings);
  return {
    ...(port === undefined ? {} : { ldap: { host, port } }),
    ...(tlsPort === undefined || certificate === undefined ? {} : { ldaps: { host, port: tlsPort, ...certificate } }),
    ...(operators === undefined ? {} : { operators }),
    web: join(dataDir, socketFolder, webSocket),
  };
}

/** The schema files of the installation, by name, so that every start reads them in the same order. */
function readTexts(folder: string, ending: string): { readonly name: string; readonly text: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}
