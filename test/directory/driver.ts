import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AuditEvent } from '#audit';
import { type Chance, type Clock, concat, systemChance, text, utf8 } from '#base';
import { readSettings } from '#catalogue';
import { type CommonPasswords, credentialsSettings } from '#credentials';
import {
  type Connection,
  changeSchema,
  createDirectory,
  createLiveGoverns,
  createLiveIndexer,
  createLiveLargeRules,
  createLiveSchema,
  type Door,
  type Engine,
  type EngineSettings,
  indexVersion,
  openEngine,
  type Reply,
  readRealmSeed,
} from '#directory';
import { createHasher, createSealer, type Hasher, type Sealer, sealerKeys } from '#keys';
import {
  type Control,
  decodeAttributes,
  type Filter,
  type PartialAttribute,
  parseFilter,
  type Request,
  type Response,
  type Result,
} from '#ldap';
import { builtInPasswordPolicy, type PasswordPolicy } from '#policy';
import { keysBelow, loadSchema } from '#schema';
import { createTurns, type Outgoing, openLimits, stateSettings } from '#state';
import { openStateStore, openStore, storeSettings } from '#store';
import { settings as settingRows } from '../../src/settings.ts';
import { observe } from '../support/observed.ts';

const folder = join(import.meta.dirname, '../../schema');
const files = readdirSync(folder).filter((name) => name.endsWith('.schema'));
/** The schema as the service reads it. */
const texts = files.sort().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
export const schema = loadSchema(texts);

const realmSeed = await readRealmSeed(readFileSync(join(folder, '../ldif/default-realm.ldif'), 'utf8'));

/** One hasher for a test file, as there is one in a process. */
export const hasher = createHasher({ cores: 2, queueMax: 256, costMaxMiB: 64, foreignRoundsMax: 1_000_000, chance: systemChance });

export const standingKek = 'the key-encryption key of tests';
const standingSealer = createSealer(sealerKeys(standingKek, ''));

export const suffix = 'dc=example,dc=com';
export const admin = `uid=admin,ou=people,${suffix}`;
export const adminPassword = 'administrator’s own';
const adaPassword = 'lovelace';

// Hashed once for all houses of a test file: the administrator who furnishes them may bring hashes.
const cost = { logN: 14, r: 1, p: 1 };
const [adminHash, adaHash] = await Promise.all([adminPassword, adaPassword].map((password) => hasher.hash(utf8(password), cost)));

const storeDefaults = readSettings(storeSettings, { environment: {} }).values;
/** A cache of entries takes a sixteenth of its bound at once: as it comes, the collector of garbage had half the time that it takes to open a house. */
const ofTests = { 'persistence.mode': 'memory', 'persistence.entryCacheMib': 4, 'persistence.gramsPendingMax': 4 } as const;

const standing: EngineSettings = {
  ...readSettings(credentialsSettings, { environment: {} }).values,
  'authn.riskOfNewNetwork': 'none',
  'directory.tombstoneDays': 0,
  'directory.tombstonesMax': 100_000,
  'keys.signingMaxAgeDays': 90,
  'keys.signingPublishedDays': 30,
  'directory.purgeS': 0,
  'security.renewForeignHashes': true,
  'ldap.anonymousRead': 'none',
  'ldap.searchSizeLimit': 1000,
  'ldap.searchTimeLimitS': 60,
  'ldap.searchCandidatesMax': 200_000,
  'ldap.cursorsPerConnectionMax': 8,
  'ldap.cursorsMax': 4096,
  'ldap.cursorLifeS': 600,
  'ldap.sortedEntriesMax': 50_000,
  'ldap.sortMib': 64,
  'ldap.dereferencesMax': 1000,
  'ldap.entryOctetsMax': 16_777_216,
  'ldap.referral': '',
  'ldap.aliasDepthMax': 15,
  'ldap.aliasesMax': 4096,
  'ldap.referencesMax': 1000,
  'ldap.referencesNothing': '',
  'ldap.memberOf': 'nested',
  'ldap.chainEntriesMax': 1000,
  'ldap.uidNumberFloor': 10_000,
  'ldap.gidNumberFloor': 10_000,
  'ldap.dynamicEntriesMax': 1000,
  'ldap.subtreeEntriesMax': 10_000,
  'ldap.subtreeMib': 64,
  'ldap.transactionUpdatesMax': 500,
  'ldap.transactionMib': 16,
  'ldap.transactionsMib': 64,
  'ldap.answerCacheMib': 1,
  'ldap.preparedSearchesMax': 256,
  'ldap.persistentSearchesMax': 200,
  'ldap.persistentSearchesPerConnectionMax': 8,
  'ldap.followedChangesMib': 16,
  'ldap.syncChangedMax': 50_000,
  'realms.max': 1000,
  'realms.defaultSuffix': suffix,
  'admin.bootstrapUsername': 'admin',
  'admin.bootstrapPassword': '',
  'global.mode': 'product',
  'realms.removalDeliveryTimeoutS': 300,
  'security.passwordHashLogN': 14,
  'security.passwordHashR': 1,
  'security.passwordHashP': 1,
  'security.scramIterations': 4096,
  'security.commonPasswordsFile': '',
  'security.commonPasswordsMax': 1_000_000,
  'ldap.dynamicTtlS': 3600,
  'ldap.dynamicTtlMinS': 10,
  'ldap.dynamicTtlMaxS': 86_400,
  'ldap.dynamicSweepS': 60,
  'tasks.waitingMax': 50,
  'tasks.keptMax': 50,
  'tasks.entriesAtOnce': 500,
  'tasks.sweepS': 0,
  'ldap.clientCertificateRule': 'off',
  'ldap.accessRulesMax': 1000,
  ...readSettings(stateSettings, { environment: {} }).values,
};

type SyncFile = NonNullable<Parameters<typeof openStore>[0]['syncFile']>;

export interface House {
  readonly engine: Engine;
  readonly audited: AuditEvent[];
  readonly clock: Clock & { moveMs(by: number): void };
  /** A client that is connected by a door, with the identity that its bind gives it. */
  connect(door?: Door, more?: Partial<Connection>): Client;
  /** One that may do everything. */
  operator(): Client;
}

export interface Client {
  readonly connection: Connection;
  /** Sends a request and gives the answers. */
  ask(op: Request, controls?: readonly Control[]): Promise<Answers>;
  bind(dn: string, password: string, controls?: readonly Control[]): Promise<Answers>;
  search(
    base: string,
    filter: string,
    more?: Partial<Request & { kind: 'searchRequest' }>,
    controls?: readonly Control[],
  ): Promise<Answers>;
  add(dn: string, attributes: Attributes): Promise<Answers>;
  modify(
    dn: string,
    ...changes: readonly [operation: 'add' | 'delete' | 'replace' | 'increment', name: string, ...values: string[]][]
  ): Promise<Answers>;
}

export interface Answers {
  readonly code: number;
  readonly result: Result;
  readonly entries: readonly Shown[];
  readonly dns: readonly string[];
  readonly last: Response;
  /** URIs of continuation references. */
  readonly references: readonly (readonly string[])[];
  /** With the final answer. */
  readonly controls: readonly Control[];
}

export interface Shown {
  readonly dn: string;
  readonly attributes: readonly PartialAttribute[];
  readonly names: readonly string[];
  readonly controls: readonly Control[];
  all(name: string): readonly string[];
}

export type Attributes = Readonly<Record<string, string | readonly string[]>>;

/** What a house needs of a test. */
export type Owner = Pick<ExecutionContext, 'teardown'> & { fail(message: string): void };

const anyPassword: PasswordPolicy = {
  ...builtInPasswordPolicy,
  ...{ minLength: 1, minSymbols: 0, minUppercase: 0, minDigits: 0, history: 0 },
};

interface HouseOptions {
  readonly hasher?: Hasher;
  readonly webSecret?: Uint8Array;
  readonly syncFile?: SyncFile;
  readonly chance?: Chance;
  /** Failed attempts count; otherwise nowhere, as tests make many. */
  readonly countsAttempts?: boolean;
  /** By default with `standingKek`. */
  readonly sealer?: Sealer;
  /** What holds of passwords without an entry that says so; by default nothing, as tests have short ones. */
  readonly passwordStanding?: PasswordPolicy;
  /** Where events go; otherwise nowhere. */
  readonly outbox?: Outgoing;
  readonly commonPasswords?: CommonPasswords;
  /** Whether realms have a mail server; otherwise none has. */
  readonly mails?: () => boolean;
}

/** An empty directory in memory; everything in it is the real thing, but that no listener stands in front of it. */
export function emptyHouse(t: Owner, given: Partial<EngineSettings> & HouseOptions = {}): House {
  const {
    hasher: itsHasher,
    webSecret,
    syncFile,
    chance = systemChance,
    countsAttempts = false,
    sealer = standingSealer,
    mails = () => false,
    outbox,
    passwordStanding = anyPassword,
    commonPasswords,
    ...settings
  } = given;
  const audited: AuditEvent[] = [];
  let nowMs = Date.UTC(2026, 10, 21, 12, 0, 0);
  const clock = {
    nowMs: () => nowMs,
    moveMs: (by: number) => {
      nowMs += by;
    },
  };
  const live = createLiveSchema((stored) => (stored.length === 0 ? schema : loadSchema(texts, stored)));
  const store = openStore({
    file: 'unused',
    settings: { ...storeDefaults, ...ofTests },
    indexer: createLiveIndexer(live),
    large: createLiveLargeRules(live),
    governs: createLiveGoverns(live),
    indexVersion,
    keysBelow,
    fatal: (reason) => t.fail(reason.message),
    report: () => undefined,
    ...(syncFile === undefined ? {} : { syncFile }),
  });
  t.teardown(() => store.close());
  const counting = () => {
    const stateStore = openStateStore({ file: 'unused', settings: { ...storeDefaults, 'persistence.mode': 'memory' }, clock, epoch: 1 });
    t.teardown(() => stateStore.close());
    return createTurns(
      openLimits({ store: stateStore, clock, settingsOf: () => engine.settings, identityOf: (dn) => dn.toLowerCase() }),
      clock,
    );
  };
  const engine: Engine = openEngine({
    schema,
    live,
    changeSchema: (changes, by) => changeSchema({ ...engine, entryOctetsMax: engine.settings['ldap.entryOctetsMax'], live }, changes, by),
    store,
    hasher: itsHasher ?? hasher,
    sealer,
    clock,
    chance,
    audit: {
      record: (event) => {
        audited.push(event);
        observe(event.error?.code);
      },
    },
    settings: { ...standing, ...settings },
    ...(webSecret === undefined ? {} : { webSecret }),
    canMail: mails,
    passwordStanding,
    ...(commonPasswords === undefined ? {} : { commonPasswords }),
    ...(countsAttempts ? { attempts: counting() } : {}),
    ...(outbox === undefined ? {} : { outbox }),
    realmSeed,
    settingRows,
    pathSegments: () => new Set(['authn', 'portal']),
    version: '0.1.0',
  });
  const connect = (door: Door = 'ldap', more: Partial<Connection> = {}) => clientOf(engine, door, more);
  return {
    engine,
    audited,
    clock,
    connect,
    operator: () => connect('operators', { identity: { dn: undefined, uuid: undefined, strength: 'operatorsSocket' } }),
  };
}

/** The same with a suffix, people and groups, written by the operators' socket. */
export async function furnishedHouse(t: ExecutionContext, given: Parameters<typeof emptyHouse>[1] = {}): Promise<House> {
  const house = emptyHouse(t, given);
  const operator = house.operator();
  const entries: readonly [string, Attributes][] = [
    [suffix, { objectClass: ['top', 'dcObject', 'organization'], dc: 'example', o: 'Example' }],
    [`ou=people,${suffix}`, { objectClass: 'organizationalUnit', ou: 'people' }],
    [`ou=groups,${suffix}`, { objectClass: 'organizationalUnit', ou: 'groups' }],
    [`ou=applications,${suffix}`, { objectClass: 'organizationalUnit', ou: 'applications' }],
    [admin, { objectClass: 'inetOrgPerson', uid: 'admin', cn: 'Admin', sn: 'Admin', userPassword: adminHash ?? '' }],
    [person('ada'), { ...ada, userPassword: adaHash ?? '' }],
    [person('alan'), { objectClass: 'inetOrgPerson', uid: 'alan', cn: 'Alan Turing', sn: 'Turing', mail: 'alan@example.com' }],
    [
      `cn=pioneers,ou=groups,${suffix}`,
      { objectClass: 'groupOfNames', cn: 'pioneers', member: [person('ada'), person('alan')], description: 'first' },
    ],
  ];
  for (const [dn, attributes] of entries) {
    const { code, result } = await operator.add(dn, attributes);
    if (code !== 0) throw new Error(`${dn}: ${code} ${result.diagnostic}`);
  }
  house.audited.length = 0;
  return house;
}

export const ada: Attributes = {
  objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
  uid: 'ada',
  cn: ['Ada Lovelace', 'Ada King'],
  'cn;lang-fr': 'Ada la Première',
  sn: 'Lovelace',
  givenName: 'Ada',
  mail: 'ada@example.com',
  telephoneNumber: '+44 20 7946 0001',
  employeeNumber: '1815',
  homePostalAddress: '12 St James’s Square$London',
};

export function person(uid: string): string {
  return `uid=${uid},ou=people,${suffix}`;
}

function clientOf(engine: Engine, door: Door, more: Partial<Connection>): Client {
  const directory = createDirectory(engine);
  const connection: Connection = {
    id: 'c1',
    door,
    address: '192.0.2.1',
    loopback: true,
    secure: door !== 'ldap',
    identity: { dn: undefined, uuid: undefined, strength: 'anonymous' },
    trusted: false,
    ...more,
  };
  let messageId = 0;
  const ask = async (op: Request, controls: readonly Control[] = []) => {
    const sink = replySink();
    await directory.perform(connection, { messageId: ++messageId, op, controls }, sink.reply);
    return sink.answers();
  };
  return {
    connection,
    ask,
    bind: (name, password, controls) =>
      ask({ kind: 'bindRequest', version: 3, name, authentication: { kind: 'simple', password: utf8(password) } }, controls),
    search: (baseObject, filter, given, controls) => ask({ ...searchOf(baseObject, filter), ...given }, controls),
    add: (entry, attributes) => ask({ kind: 'addRequest', entry, attributes: attributesOf(attributes) }),
    modify: (object, ...changes) =>
      ask({
        kind: 'modifyRequest',
        object,
        changes: changes.map(([operation, description, ...values]) => ({
          operation,
          attribute: { description, values: values.map(utf8) },
        })),
      }),
  };
}

export function attributesOf(attributes: Attributes): PartialAttribute[] {
  return Object.entries(attributes).map(([description, values]) => ({ description, values: [values].flat().map(utf8) }));
}

export function searchOf(baseObject: string, filter: string): Request & { kind: 'searchRequest' } {
  return {
    kind: 'searchRequest',
    baseObject,
    scope: 'sub',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter: filterOf(filter),
    attributes: [],
  };
}

export function filterOf(filter: string): Filter {
  const parsed = parseFilter(filter, { depthMax: 20 });
  if (parsed.kind === 'bad') throw new Error(parsed.why);
  return parsed.filter;
}

/** Collects answers; `full` lets a test hold the directory back. */
export function replySink(full: Reply['full'] = () => undefined, signal = new AbortController().signal) {
  const entries: Shown[] = [];
  const sent: Response[] = [];
  const sentControls: Control[] = [];
  const references: (readonly string[])[] = [];
  const notices: Response[] = [];
  const reply: Reply = {
    send: (op, controls = []) => {
      if (op.kind === 'searchResultReference') references.push(op.uris);
      else sent.push(op);
      sentControls.push(...controls);
    },
    notify: (op) => void notices.push(op),
    entry: (dn, attributes, controls) => void entries.push(shown(text(dn) ?? '', decodeAttributes(concat(attributes)), controls)),
    full,
    lasts: () => undefined,
    signal,
    get ended() {
      return signal.aborted;
    },
  };
  const answers = (): Answers => {
    const last = sent.at(-1);
    if (sent.length !== 1 || last === undefined || !('result' in last)) throw new Error(`${sent.length} final answers`);
    return {
      code: last.result.code,
      result: last.result,
      entries,
      dns: entries.map(({ dn }) => dn),
      last,
      references,
      controls: sentControls,
    };
  };
  return { reply, entries, sent, notices, answers };
}

function shown(dn: string, attributes: readonly PartialAttribute[], controls: readonly Control[] = []): Shown {
  return {
    dn,
    attributes,
    controls,
    names: attributes.map(({ description }) => description),
    all: (name) => (attributes.find(({ description }) => description === name)?.values ?? []).map((value) => text(value) ?? 'octets'),
  };
}

/** A place that no built-in rule lets people see. */
export const vault = `ou=vault,${suffix}`;

/** The same with that place. */
export async function houseWithVault(t: ExecutionContext, given: Parameters<typeof emptyHouse>[1] = {}): Promise<House> {
  const house = await furnishedHouse(t, given);
  const { code } = await house.operator().add(vault, { objectClass: 'organizationalUnit', ou: 'vault' });
  if (code !== 0) throw new Error(`the vault was not added: ${code}`);
  return house;
}
