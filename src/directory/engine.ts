import { type AuditEvent, createRepeats, type Repeats } from '#audit';
import type { Chance, Clock } from '#base';
import { refuse, type SettingRows, type SettingValues } from '#catalogue';
import {
  type CommonPasswords,
  createKnownMemory,
  createKnownPasswords,
  credentialsSettings,
  type KnownMemory,
  type KnownPasswords,
} from '#credentials';
import { createSealer, type HashCost, type Hasher, type Sealer, sealerKeys } from '#keys';
import type { Modification } from '#ldap';
import { type Offers, type PasswordPolicy, policySettings } from '#policy';
import type { Schema } from '#schema';
import { type Networks, type Outgoing, stateSettings, type Turns, untold } from '#state';
import type { Store } from '#store';
import { type AccessDesk, createAccessDesk } from './access/book.ts';
import { uncounted } from './attempts.ts';
import { type CsnSource, createCsnSource, newestCsn } from './csn.ts';
import type { Desks } from './desks.ts';
import { createDseSeen, type DseSeen } from './dse.ts';
import { errors } from './errors.ts';
import { createLines, type Lines } from './lines.ts';
import { defaultRealm } from './realm.ts';
import type { RealmSeed } from './realm-entries/frame.ts';
import type { StoredSettings } from './realm-entries/service.ts';
import { createLiveRealms, type LiveRealms } from './realms.ts';
import type { DynamicGroups } from './relations/chain.ts';
import { createDynamicGroups } from './relations/dynamic-groups.ts';
import { createAnswerCache } from './search/answers.ts';
import { createPrepared, type Prepared } from './search/prepared.ts';
import { settings } from './settings.ts';
import { createSettledBinds, type SettledBinds } from './settled.ts';
import { fixedSchema, type LiveSchema } from './subschema/live.ts';
import { createTransactions, type Transactions } from './transactions/waiting.ts';

export type EngineSettings = SettingValues<typeof settings & typeof policySettings & typeof credentialsSettings & typeof stateSettings>;

/** @param appPasswords  ids: only those that came in with one of these of that entry */
export type CountConnections = (entryUuid: string, appPasswords?: readonly string[]) => Promise<number>;

/** The entryUUIDs as which somebody is bound, one for each LDAP connection. */
export type BoundAs = () => Promise<readonly string[]>;

const nobodyConnected: CountConnections = async () => 0;
const nobodyBound: BoundAs = async () => [];
const nowhereKnown: Pick<Networks, 'isNew'> = { isNew: async () => false };

export interface EngineOptions {
  /** That of the start, or of this moment when `live` says otherwise. */
  readonly schema: Schema;
  /** The schema where it may change while the service runs; without it, it stays as it is. */
  readonly live?: LiveSchema;
  /** Changes it, in the thread that does so, and resolves when the change is on disk and in force. */
  readonly changeSchema?: SchemaChange;
  /** Opened with `createIndexer(schema)`. */
  readonly store: Store;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: { record(event: AuditEvent): void };
  readonly settings: EngineSettings;
  /** Rows of all settings of the service, of which a realm may have some of its own; by default those of the engine. */
  readonly settingRows?: SettingRows;
  /** What is kept of the service's settings; by default nothing is. */
  readonly stored?: StoredSettings;
  /** The first segments of all paths of the service, which no realm may be called; by default none. */
  readonly pathSegments?: () => ReadonlySet<string>;
  /** What a new realm begins with; by default nothing. */
  readonly realmSeed?: RealmSeed;
  /** What the web layer shows on its private socket; without it that door opens to nobody. */
  readonly webSecret?: Uint8Array;
  /** What is shown for names without a verifier is made with it; by default another at each start. */
  readonly mockKey?: Uint8Array;
  /** Seals and opens what is kept sealed; by default there is no key for it. */
  readonly sealer?: Sealer;
  /** When the service began, in milliseconds, for threads that began later: the subschema subentry tells. By default now. */
  readonly startedMs?: number;
  /** For the root DSE: the product's version. */
  readonly version: string;
  /** Where a commit's number comes from, and who waits for whom, where other threads write, too; by default this engine's own. */
  readonly csn?: CsnSource;
  readonly lines?: Lines;
  /** Whether a realm of such settings has a server to send mail by; by default none has. */
  readonly canMail?: (settings: EngineSettings) => boolean;
  /** What can be done with each mechanism of the sign-in page in a realm of such settings; by default nothing but a password is taken. */
  readonly offersIn?: (settings: EngineSettings) => Offers;
  /** The password policy that holds where neither a realm nor the default realm has one; by default the built-in one. */
  readonly passwordStanding?: PasswordPolicy;
  /** Passwords that nobody may be given; by default none. */
  readonly commonPasswords?: CommonPasswords;
  /** What is known of passwords in all threads of a service; by default this engine's own. */
  readonly knownMemory?: KnownMemory;
  /** Where attempts to prove who one is are counted; without it, nowhere. */
  readonly attempts?: Turns;
  /** From where people have signed in at the sign-in page; without it, nothing is known of that. */
  readonly networks?: Pick<Networks, 'isNew'>;
  /** How many LDAP connections there are as an entry; by default none is known of. */
  readonly countConnections?: CountConnections;
  /** As whom there are LDAP connections; by default none is known of. */
  readonly boundAs?: BoundAs;
  /** Who issues links and mails; without it, nobody does. */
  readonly desks?: Desks;
  /** What is wrong with the texts of a mail that an entry holds; by default nothing. */
  readonly mailTextFault?: MailTextFault;
  /** Where others are told of what happens to people; without it, nowhere. */
  readonly outbox?: Outgoing;
}

/**
 * @param kind  which mail
 * @returns the attribute and why, in words that follow its name; `undefined` where nothing is wrong
 */
export type MailTextFault = (
  kind: string,
  subject: string,
  body: string,
) => { readonly attribute: string; readonly why: string } | undefined;

/** @param by  the DN that a change is put down to */
export type SchemaChange = (changes: readonly Modification[], by: string) => Promise<void>;

/** What every operation works with: one for each schema, so that a request sees the same one from its beginning to its end. */
export interface Engine extends EngineOptions {
  readonly live: LiveSchema;
  readonly changeSchema: SchemaChange;
  readonly startedMs: number;
  readonly realms: LiveRealms;
  readonly mockKey: Uint8Array;
  readonly knownMemory: KnownMemory;
  readonly sealer: Sealer;
  readonly access: AccessDesk;
  readonly csn: CsnSource;
  readonly lines: Lines;
  readonly attempts: Turns;
  readonly countConnections: CountConnections;
  readonly boundAs: BoundAs;
  readonly outbox: Outgoing;
  readonly networks: Pick<Networks, 'isNew'>;
  /** Passwords that need not be hashed again. */
  readonly known: KnownPasswords;
  /** Binds that need not be judged again. */
  readonly settled: SettledBinds;
  /** What happens again and again. */
  readonly repeats: Repeats;
  readonly prepared: Prepared;
  readonly dynamicGroups: DynamicGroups;
  readonly transactions: Transactions;
  readonly dseSeen: DseSeen;
}

/**
 * Puts together what the operations of the directory need.
 *
 * @throws Refusal `suffixUnfit` (STS-LDAP-9033) when `realms.defaultSuffix` is no name that a realm can have
 */
export function openEngine(options: EngineOptions): Engine {
  const { store, clock, changeSchema = unchanging } = options;
  const live = options.live ?? fixedSchema(options.schema);
  const { csn = createCsnSource(clock, newestCsn(store)), lines = createLines(), mockKey = options.chance.octets(32) } = options;
  const { attempts = uncounted, outbox = untold, networks = nowhereKnown, sealer = createSealer(sealerKeys('', '')) } = options;
  const { countConnections = nobodyConnected, boundAs = nobodyBound } = options;
  const { knownMemory = createKnownMemory(options.chance, options.settings['security.verifiedBindsMax']) } = options;
  const known = createKnownPasswords({ memory: knownMemory, clock });
  const settled = createSettledBinds(options.chance.octets(32), options.settings['security.verifiedBindsMax']);
  const gatherMs = () => options.settings['security.repeatedBindsRowS'] * 1000;
  const repeats = createRepeats({ record: (event) => options.audit.record(event), clock, gatherMs });
  const startedMs = options.startedMs ?? clock.nowMs();
  const transactions = createTransactions(options.settings);
  return {
    ...options,
    ...madeOf(live.current, { ...options, sealer }),
    live,
    changeSchema,
    mockKey,
    knownMemory,
    sealer,
    csn,
    lines,
    attempts,
    countConnections,
    boundAs,
    outbox,
    networks,
    known,
    settled,
    repeats,
    startedMs,
    transactions,
  };
}

/** The engine for the schema of this moment: the same one as long as that is the same. */
export function newestEngine(engine: Engine): Engine {
  const { current } = engine.live;
  if (current === engine.schema) return engine;
  let newest = newestEngines.get(engine.live);
  if (newest?.schema !== current) {
    newest = { ...engine, ...madeOf(current, engine) };
    newestEngines.set(engine.live, newest);
  }
  return newest;
}

/** Made once: those who come anew and those who go on for long share it. */
const newestEngines = new WeakMap<LiveSchema, Engine>();

type MadeOptions = Pick<EngineOptions, 'settings' | 'clock' | 'settingRows' | 'stored' | 'pathSegments' | 'realmSeed'> &
  Pick<Engine, 'sealer'>;

const ownRows: SettingRows = { ...settings, ...policySettings, ...credentialsSettings, ...stateSettings };

/** What is made of a schema and knows its types: all of it is made anew with another one. */
function madeOf(schema: Schema, options: MadeOptions) {
  const { settings, clock, sealer, stored, settingRows = ownRows, pathSegments = () => new Set(), realmSeed = [] } = options;
  const realms = createLiveRealms({
    schema,
    settings,
    default: defaultRealm(schema, settings),
    rows: settingRows,
    segments: pathSegments,
    seed: realmSeed,
    stored,
  });
  const access = createAccessDesk(schema);
  const dynamicGroups = createDynamicGroups({ schema, settings, clock, realms, sealer, access });
  const answers = createAnswerCache(settings['ldap.answerCacheMib'] * 2 ** 20);
  return {
    schema,
    realms,
    access,
    dynamicGroups,
    dseSeen: createDseSeen(),
    prepared: createPrepared(
      { schema, settings, clock, dynamicGroups, realms, sealer, access },
      answers,
      settings['ldap.preparedSearchesMax'],
    ),
  } satisfies Partial<Engine>;
}

const unchanging: SchemaChange = () => Promise.reject(refuse(errors.subschemaFixed, { why: 'the schema of this service stays as it is' }));

/** The scrypt cost of a new hash, read each time: these settings may change while the service runs. */
export function hashCost(engine: Pick<Engine, 'settings'>): HashCost {
  const { settings } = engine;
  return {
    logN: settings['security.passwordHashLogN'],
    r: settings['security.passwordHashR'],
    p: settings['security.passwordHashP'],
  };
}
