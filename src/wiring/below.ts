import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { equalBytes, utf8 } from '#base';
import { Refusal, refuse } from '#catalogue';
import type { Addresses } from '#commands';
import { readCommonPasswords } from '#credentials';
import {
  type BoundAs,
  bootstrap,
  type CountConnections,
  changeSchema,
  createDesks,
  createDirectory,
  createLiveGoverns,
  createLiveIndexer,
  createLiveLargeRules,
  createLiveSchema,
  createResealing,
  type DesksToCome,
  type Engine,
  type EngineOptions,
  indexVersion,
  newestEngine,
  openEngine,
  openLife,
  purgeTombstones,
  readRealmSeed,
  removeRealms,
  type SchemaChange,
  serviceSettingsOf,
  sweepDynamic,
  watchAppPasswords,
  watchCredentials,
} from '#directory';
import { createHasher, hmacSha256, readAuthorities, type ServerCertificate } from '#keys';
import { createTally, type Endpoints, type Listener, startListener } from '#listener';
import { faultOfMailText } from '#mail';
import { keysBelow, loadSchema } from '#schema';
import { createTurns, type Notices, openNotices, type State } from '#state';
import { backUp, openStore } from '#store';
import { startTasks } from '#tasks';
import { errors } from '../errors.ts';
import { canMail, offersBy, settings as rows, tellsOfChanges } from '../settings.ts';
import type { Beneath } from './above.ts';
import { openCertificate } from './certificate.ts';
import type { Foundation, Settings } from './foundation.ts';
import { directoryFile, pathSegments, realmSeed, stateFile, storedIn } from './installation.ts';
import { storedSettings } from './live-settings.ts';
import { exchangeFolder, operatorsSocketOf, socketFolder } from './locate.ts';
import { schemaFiles } from './schema-files.ts';
import { sealerKeysOf, sealerOf } from './sealing.ts';
import { openShared } from './shared-state.ts';
import type { WorkerPlan } from './threads/worker-plan.ts';
import { type Crew, createCrew } from './threads/workers.ts';

/** What stands below, as it is started. */
export interface Below extends Beneath {
  readonly addresses: Addresses;
  readonly epoch: number;
}

interface BelowOptions {
  /** Told the built-in administrator's password when this start has made it, at once: what is behind it may be refused. */
  readonly made: (password: string) => void;
}

const webSocket = 'web';
const secretOctets = 32;

/** Starts all that stands below the LDAP interface, the interface itself included. */
export async function startBelow(foundation: Foundation, { made }: BelowOptions): Promise<Below> {
  const { root, settings, dataDir, clock, chance, log, audit, open } = foundation;
  const secret = chance.octets(secretOctets);
  const crew = crewOf(settings);
  const realms = await realmMaking(foundation);
  const desks = createDesks();
  const common = await commonPasswordsOf(settings);
  const opened = openDirectory(foundation, { webSecret: secret, realms, desks, ...common, ...(crew === undefined ? {} : { crew }) });
  const { state, limits, outbox, networks } = openShared(foundation, opened, crew?.news);
  const engine = Object.assign(opened, { attempts: createTurns(limits, clock), outbox, networks, ...connectionsIn(() => listener, crew) });
  const notices = noticesOf(foundation, engine, state);
  followSettings(foundation, engine, crew);
  const realm = await bootstrap(engine, { seed: realmSeed(root) });
  if (realm.kind === 'made' && realm.password !== undefined) made(realm.password);
  const life = openLife({ engine, state, clock, timers: foundation.timers, log });
  open.defer(() => life.close());
  const certificate = await openCertificate(foundation);
  const endpoints = endpointsOf(foundation, certificate?.shown);
  const listener = await startListener({
    directory: createDirectory(engine),
    endpoints,
    limits: settings,
    audit,
    clock,
    chance,
    ...(crew === undefined ? {} : { shares: 'first', tally: createTally(crew.tally) }),
  });
  open.defer(async () => void (await Promise.all([listener.stop(), crew?.stop(settings['ldap.stopTimeoutS'] * 1000)])));
  await crew?.start({ engine, audit, log, plan: { ...planOf(foundation, engine, endpoints, listener), realmSeed: realms.realmSeed } });
  certificate?.follow(certificate.shown, (shown) => Promise.all([listener.showCertificate(shown), crew?.showCertificate(shown)]));

  const connectionsOf = async (...whose: Parameters<Listener['endFor']>) =>
    listener.endFor(...whose) + ((await crew?.personEnded(...whose)) ?? 0);
  life.ends({ name: 'LDAP connections', end: (_realm, entryUuid) => connectionsOf(entryUuid) });
  const leave = watchAppPasswords(engine, connectionsOf);
  open.defer(async () => leave());

  const { ldap, ldaps, operators } = listener.addresses;
  return {
    addresses: {
      ...(ldap === undefined ? {} : { ldap: ldap.url }),
      ...(ldaps === undefined ? {} : { ldaps: ldaps.url }),
      ...(operators === undefined ? {} : { operators: operators.url }),
    },
    suffix: settings['realms.defaultSuffix'],
    epoch: engine.store.epoch,
    ...{ state, networks },
    governing: () => engine.store.governing,
    limitsBy: () => limits,
    hasher: engine.hasher,
    jobs: {
      expire: () => sweepDynamic(engine),
      purge: () => purgeTombstones(engine),
      removeRealms: () => removeRealms(engine),
      sweepUploads: await startTasksOf(foundation, engine),
      reseal: createResealing(engine),
      notices,
    },
    life,
    certificate,
    desks,
    endConnections: (entryUuid) => connectionsOf(entryUuid),
    web: { socketPath: join(dataDir, socketFolder, webSocket), secret, shared: chance.octets(secretOctets) },
    ldapUrl: (ldap ?? ldaps)?.url,
  };
}

/** What is set while the service runs is in force before whoever set it is answered. */
function followSettings({ open, live }: Foundation, opened: Engine, crew: Crew | undefined): void {
  const forget = live.changed(() => crew?.settingsChanged());
  const look = () => {
    const { realms, store } = newestEngine(opened);
    realms.in(store.snapshot());
  };
  const { key } = serviceSettingsOf(opened.schema, opened.realms.default);
  const leave = opened.store.watch((changes) => {
    if (changes.some(({ change, before }) => equalBytes(change.kind === 'delete' ? (before?.dnKey ?? key) : change.entry.dnKey, key)))
      look();
  });
  open.defer(async () => {
    leave();
    forget();
  });
  look();
}

/** Whatever changes what people sign in with, they are to be told. */
function noticesOf({ clock, chance, log, open }: Foundation, engine: Engine, state: State): Notices {
  const notices = openNotices(state, chance);
  const leave = watchCredentials(engine, tellsOfChanges, (change) => {
    notices.put({ ...change, atMs: clock.nowMs() }).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      log.warn(
        error.row,
        `the person ${change.subject} of realm ${change.realm} is not told of ${change.changes.join(', ')}: ${error.tells}`,
      );
    });
  });
  open.defer(async () => leave());
  return notices;
}

/** Tasks end before the store does, and after the last request. @returns what removes the files that uploads have left */
async function startTasksOf({ root, environment, dataDir, log, open }: Foundation, engine: Engine): Promise<() => Promise<string>> {
  const tasks = await startTasks({
    engine,
    folder: join(dataDir, exchangeFolder),
    openRealm: async (options) => (await import('./folder/realm-file.ts')).openRealmFile({ root, environment }, options),
    backUp: async (target, onProgress) => await backUp(join(dataDir, directoryFile), target, onProgress),
    log,
  });
  open.defer(() => tasks.stop());
  return async () => tasks.sweep();
}

/** The list of passwords that nobody may have, where there is one. @throws Refusal `commonPasswordsUnusable` (STS-AUTHN-9441) */
export async function commonPasswordsOf(settings: Settings): Promise<Pick<EngineOptions, 'commonPasswords'>> {
  const path = settings['security.commonPasswordsFile'];
  return path === '' ? {} : { commonPasswords: await readCommonPasswords(path, settings['security.commonPasswordsMax']) };
}

interface DirectoryOptions extends Pick<EngineOptions, 'commonPasswords'> {
  /** Opens the web layer's socket to who shows it. */
  readonly webSecret?: Uint8Array;
  /** Threads that will read beside this one. */
  readonly crew?: Crew;
  /** By what new realms are judged and made; without it none is made. */
  readonly realms?: RealmMaking;
  /** Who issues links and mails; without it, nobody does. */
  readonly desks?: DesksToCome;
}

/** Opens the folder's entries with all that judges them. */
export function openDirectory(foundation: Foundation, { webSecret, crew, realms, desks, commonPasswords }: DirectoryOptions = {}): Engine {
  const { version, settings, dataDir, clock, chance, log, audit, die, open } = foundation;
  const files = schemaFiles(foundation);
  // One number for all threads, made before the first of them looks at it.
  const live = createLiveSchema((stored) => loadSchema(files, stored), storedIn(foundation), crew?.generation);
  const store = openStore({
    file: join(dataDir, directoryFile),
    settings,
    indexer: createLiveIndexer(live),
    large: createLiveLargeRules(live),
    governs: createLiveGoverns(live),
    indexVersion,
    keysBelow,
    fatal: (reason) => {
      log.error(reason.row, reason.tells);
      die();
    },
    report: (trouble) => log.warn(trouble.row, trouble.tells),
    ...(crew === undefined ? {} : { beside: crew }),
  });
  open.defer(() => store.close());
  const hasher = createHasher({
    cores: availableParallelism(),
    queueMax: settings['keys.hashQueueMax'],
    costMaxMiB: settings['keys.hashCostMaxMiB'],
    foreignRoundsMax: settings['keys.foreignRoundsMax'],
    chance,
  });
  const change: SchemaChange = (changes, by) =>
    changeSchema({ live, store, csn: engine.csn, clock, chance, entryOctetsMax: settings['ldap.entryOctetsMax'] }, changes, by);
  // The same at each start: who asks before and after one shall not learn which names nobody has.
  const kek = settings['keys.kek'];
  const mockKey = kek === '' ? chance.octets(secretOctets) : hmacSha256(utf8(kek), 'atrium: verifiers of names that have none');
  const shown = webSecret === undefined ? {} : { webSecret };
  const opened = {
    schema: live.current,
    live,
    changeSchema: change,
    store,
    hasher,
    clock,
    chance,
    audit,
    settings,
    version,
    sealer: sealerOf(settings),
  };
  const making = {
    ...{ ...realms, settingRows: rows, stored: storedSettings(foundation.live, log) },
    ...{ canMail, offersIn: offersBy, mailTextFault: faultOfMailText },
    ...(desks === undefined ? {} : { desks }),
    ...(commonPasswords === undefined ? {} : { commonPasswords }),
  };
  const engine = openEngine({ ...opened, ...making, mockKey, ...shown });
  open.defer(async () => engine.repeats.flush());
  return engine;
}

/** What new realms are judged by and made of, besides what an engine knows by itself. */
type RealmMaking = Required<Pick<EngineOptions, 'pathSegments' | 'realmSeed'>>;

export async function realmMaking({ root }: Foundation): Promise<RealmMaking> {
  return { pathSegments, realmSeed: await readRealmSeed(realmSeed(root)) };
}

function endpointsOf({ root, settings, dataDir }: Foundation, certificate: ServerCertificate | undefined): Endpoints {
  const mode = settings['global.mode'];
  const host = settings['ldap.host'] === '' && mode === 'development' ? 'localhost' : settings['ldap.host'];
  const port = settings['ldap.port'];
  const tlsPort = settings['ldap.tlsPort'];
  const operators = operatorsSocketOf(root, settings);
  const authorities = readAuthorities(settings['ldap.clientCaFile']);
  const shown = certificate && { cert: certificate.cert, key: certificate.key, ...(authorities && { clientAuthorities: authorities }) };
  const startTls = settings['ldap.startTls'] && shown !== undefined ? { startTls: shown } : {};
  return {
    ...(port === undefined ? {} : { ldap: { host, port, ...startTls } }),
    ...(tlsPort === undefined || shown === undefined ? {} : { ldaps: { host, port: tlsPort, ...shown } }),
    ...(operators === undefined ? {} : { operators }),
    web: join(dataDir, socketFolder, webSocket),
  };
}

/** @throws Refusal `workersWithoutFile` (STS-WORKER-9000) */
function crewOf(settings: Settings): Crew | undefined {
  const count = settings['ldap.workers'];
  if (count === 0) return undefined;
  if (settings['persistence.mode'] === 'memory') throw refuse(errors.workersWithoutFile);
  return createCrew(count);
}

/** What each worker is told: the network endpoints as they are open now, and the settings. */
function planOf(
  foundation: Foundation,
  { store, mockKey, knownMemory, startedMs, commonPasswords }: Engine,
  { ldap, ldaps }: Endpoints,
  { addresses }: Listener,
): Omit<WorkerPlan, 'progress' | 'tally' | 'generation' | 'news' | 'realmSeed'> {
  const { version, settings, live, dataDir } = foundation;
  return {
    schemaFiles: schemaFiles(foundation),
    version,
    file: join(dataDir, directoryFile),
    stateFile: join(dataDir, stateFile),
    epoch: store.epoch,
    mockKey,
    knownMemory,
    sealerKeys: sealerKeysOf(settings),
    ...(commonPasswords === undefined ? {} : { commonPasswords: commonPasswords.shared }),
    startedMs,
    pathSegments: pathSegments(),
    settings: withoutSecrets(live.given),
    origins: live.origins,
    endpoints: {
      ...(ldap === undefined || addresses.ldap === undefined ? {} : { ldap: { ...ldap, port: addresses.ldap.port } }),
      ...(ldaps === undefined || addresses.ldaps === undefined ? {} : { ldaps: { ...ldaps, port: addresses.ldaps.port } }),
    },
  };
}

/** No thread beside the main one needs any: what it seals with, it is given as keys made for that alone. */
function withoutSecrets(settings: Settings): Settings {
  const isSecret = (name: string) => rows[name as keyof typeof rows].kind === 'secret';
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, isSecret(name) ? '' : value])) as Settings;
}

/** What there is of LDAP connections in all threads, once those listen. */
function connectionsIn(
  listener: () => Listener,
  crew: ReturnType<typeof crewOf>,
): { readonly countConnections: CountConnections; readonly boundAs: BoundAs } {
  return {
    countConnections: async (...whose) => listener().countFor(...whose) + ((await crew?.connectionsOf(...whose)) ?? 0),
    boundAs: async () => [...listener().boundAs(), ...((await crew?.boundAs()) ?? [])],
  };
}
