// A thread that serves LDAP beside the main one: started by workers.ts, which tells it what to do.
import { parentPort } from 'node:worker_threads';
import { systemChance, systemClock } from '#base';
import { createLiveSettings } from '#catalogue';
import { commonPasswordsIn } from '#credentials';
import {
  createDirectory,
  csnToCome,
  type Desks,
  type Engine,
  followSchema,
  type Lines,
  type LiveSchema,
  newestEngine,
  openEngine,
  storedDefinitions,
  subschemaKey,
} from '#directory';
import { boundsOf, createSealer, type Hasher } from '#keys';
import { createTally, type Listener, startListener } from '#listener';
import { faultOfMailText } from '#mail';
import { type Definition, keysBelow, loadSchema } from '#schema';
import { limitsBeside, newsOf, type Turns } from '#state';
import { openStateBeside, openStoreBeside, type StateBeside, type Store, type StoreBeside, type WatchedChange } from '#store';
import { canMail, offersBy, settings as rows } from '../../settings.ts';
import { storedSettings } from '../live-settings.ts';
import { countedBy } from '../shared-state.ts';
import { ownChange, ownExpectation, ownModification, ownOctets } from './copies.ts';
import { createLink, type Link } from './link.ts';
import { type MainSide, refusalRows, type WorkerPlan, type WorkerSide } from './worker-plan.ts';

if (parentPort === null) throw new Error('this is the program of a thread, not of a process');

let store: StoreBeside | undefined;
let state: StateBeside | undefined;
let live: LiveSchema | undefined;
let listener: Listener | undefined;
let readSettingsAgain: (() => void) | undefined;
let flushRepeats: (() => void) | undefined;
const watchers = new Set<(changes: readonly WatchedChange[]) => void>();

const side: WorkerSide = {
  async start(plan) {
    store = openStore(plan);
    listener = await serve(plan, store);
  },
  letGo: () => store?.release(),
  changed: (changes) => {
    for (const watcher of watchers) watcher(changes);
  },
  personEnded: (...whose) => listener?.endFor(...whose) ?? 0,
  connectionsOf: (...whose) => listener?.countFor(...whose) ?? 0,
  boundAs: () => listener?.boundAs() ?? [],
  showCertificate: (shown) => listener?.showCertificate(shown),
  settingsChanged: () => void readSettingsAgain?.(),
  async stop() {
    await listener?.stop();
    flushRepeats?.();
    state?.close();
    await store?.close();
  },
};
const main: Link<MainSide> = createLink<WorkerSide, MainSide>(parentPort, side, refusalRows);

function openStore({ file, progress, epoch, settings }: WorkerPlan): StoreBeside {
  return openStoreBeside({
    file,
    progress,
    epoch,
    settings,
    keysBelow,
    commit: (expected, changes) => main.ask('commit', expected.map(ownExpectation), changes.map(ownChange), live?.generation ?? 0),
    watch,
  });
}

function serve(plan: WorkerPlan, opened: Store): Promise<Listener> {
  const { version, endpoints, tally } = plan;
  const running = createLiveSettings(plan.settings, plan.origins);
  const settings = running.values;
  const audit = { record: (event: Parameters<MainSide['record']>[0]) => main.tell('record', event) };
  const build = (stored: readonly Definition[]) => loadSchema(plan.schemaFiles, stored);
  const schema = followSchema(build, plan.generation, () => storedDefinitions(opened.snapshot().byDnKey(subschemaKey)));
  live = schema;
  const engine = openEngine({
    schema: schema.current,
    live: schema,
    changeSchema: (changes, by) => main.ask('changeSchema', changes.map(ownModification), by),
    startedMs: plan.startedMs,
    store: opened,
    hasher: hasherThere(settings),
    clock: systemClock,
    chance: systemChance,
    audit,
    settings,
    settingRows: rows,
    stored: storedSettings(running),
    canMail,
    offersIn: offersBy,
    realmSeed: plan.realmSeed,
    pathSegments: () => plan.pathSegments,
    version,
    mockKey: plan.mockKey,
    knownMemory: plan.knownMemory,
    sealer: createSealer(plan.sealerKeys),
    ...(plan.commonPasswords === undefined ? {} : { commonPasswords: commonPasswordsIn(plan.commonPasswords) }),
    csn: csnToCome,
    lines: linesThere(),
    desks: desksThere,
    mailTextFault: faultOfMailText,
    networks: { isNew: (...whose) => main.ask('isNewNetwork', ...whose) },
    outbox: { put: (event) => main.ask('putEvent', event), takeBack: (realm, handle) => main.ask('takeEventBack', realm, handle) },
  });
  Object.assign(engine, { attempts: attemptsThere(plan, engine) });
  flushRepeats = () => engine.repeats.flush();
  readSettingsAgain = () => void newestEngine(engine).realms.in(opened.snapshot());
  return startListener({
    directory: createDirectory(engine),
    endpoints,
    limits: settings,
    audit,
    clock: systemClock,
    chance: systemChance,
    shares: 'joins',
    tally: createTally(tally.buffer, tally.slot),
  });
}

let watching: Promise<void> | undefined;

const watch: Store['watch'] = (watcher, begun) => {
  watchers.add(watcher);
  watching ??= main.ask('watch');
  // When the main thread is gone, so is this one.
  void watching.then(begun, () => undefined);
  return () => {
    if (!watchers.delete(watcher) || watchers.size > 0) return;
    watching = undefined;
    main.tell('unwatch');
  };
};

/** The hasher of the main thread: its bound is that of the process. */
function hasherThere(settings: WorkerPlan['settings']): Hasher {
  let running = 0;
  const counted = async <T>(asked: Promise<T>): Promise<T> => {
    running++;
    return await asked.finally(() => running--);
  };
  return {
    hash: (password, cost) => counted(main.ask('hash', ownOctets(password), cost)),
    verify: (password, stored, cost) => counted(main.ask('verify', ownOctets(password), stored, cost)),
    hashSet: (secrets, cost) => counted(main.ask('hashSet', secrets.map(ownOctets), cost)),
    hashInto: (secret, stored, cost) => counted(main.ask('hashInto', ownOctets(secret), stored, cost)),
    findInSet: (secret, stored, cost) => counted(main.ask('findInSet', ownOctets(secret), stored, cost)),
    pbkdf2: (password, { hash, salt, iterations }) =>
      counted(main.ask('pbkdf2', ownOctets(password), { hash, salt: ownOctets(salt), iterations })),
    bounds: boundsOf({ costMaxMiB: settings['keys.hashCostMaxMiB'], foreignRoundsMax: settings['keys.foreignRoundsMax'] }),
    get load() {
      return { running, waiting: 0 };
    },
  };
}

/** Attempts are counted in the main thread, for all threads alike; how they stand is read here. */
function attemptsThere({ stateFile, epoch, news: buffer }: WorkerPlan, engine: Engine): Turns {
  const news = newsOf(buffer);
  state = openStateBeside({ file: stateFile, epoch, clock: systemClock, moved: news.moved });
  return {
    isFull: limitsBeside({
      ...{ store: state, news, clock: systemClock, ...countedBy(engine) },
      ask: (attempt) => main.ask('isFull', attempt),
    }),
    async enter(attempt) {
      const entered = await main.ask('enterAttempt', attempt);
      if (entered.kind === 'limited') return entered;
      return { kind: 'admitted', end: (outcome) => main.ask('endAttempt', entered.place, outcome) };
    },
  };
}

/** Links are issued, and mails are sent, in the main thread. */
const desksThere: Desks = {
  links: { hindrance: (asked) => main.ask('linkHindrance', asked), issue: (asked) => main.ask('issueLink', asked) },
  mails: {
    list: (realm, limit) => main.ask('listMails', realm, limit),
    retry: (realm, id) => main.ask('retryMails', realm, id),
    wake: () => main.tell('wakeMails'),
  },
};

/** The lines of the main thread: those who change one entry stand behind each other wherever they are connected. */
function linesThere(): Lines {
  const busy = new Map<string, number>();
  const count = (key: string, by: 1 | -1) => {
    const left = (busy.get(key) ?? 0) + by;
    if (left === 0) busy.delete(key);
    else busy.set(key, left);
  };
  return {
    isBusy: (key) => busy.has(key),
    async wait(key, act) {
      count(key, 1);
      try {
        const place = await main.ask('enter', key);
        return await act().finally(() => main.tell('leave', place));
      } finally {
        count(key, -1);
      }
    },
  };
}
