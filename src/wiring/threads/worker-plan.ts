import type { AuditEvent } from '#audit';
import { type ErrorRow, type GivenOrigins, settingErrors } from '#catalogue';
import type { KnownMemory } from '#credentials';
import { type Desks, directoryErrors, type RealmSeed, type SchemaChange } from '#directory';
import { type HashCost, keysErrors, type SealerKeys, type Stretch, type Verified } from '#keys';
import { type Endpoints, type Listener, listenerErrors } from '#listener';
import { type SchemaText, schemaErrors } from '#schema';
import type { AttemptBy, Limited, OutboxEvent, Outcome } from '#state';
import type { Change, CommitResult, Expectation, WatchedChange } from '#store';
import { storeErrors } from '#store';
import type { Settings } from '../foundation.ts';

/** What a thread that serves LDAP is given. */
export interface WorkerPlan {
  /** The schema files as the main thread has read them. */
  readonly schemaFiles: readonly SchemaText[];
  readonly version: string;
  /** Of the store. */
  readonly file: string;
  readonly progress: SharedArrayBuffer;
  readonly epoch: number;
  /** Where attempts are counted. */
  readonly stateFile: string;
  readonly news: SharedArrayBuffer;
  /** When the service began. */
  readonly startedMs: number;
  /** Which schema is in force. */
  readonly generation: SharedArrayBuffer;
  /** As they were at the start, without secrets. */
  readonly settings: Settings;
  /** Where these come from: what the environment gives stays as it is. */
  readonly origins: GivenOrigins;
  /** Those over the network, with their real ports. */
  readonly endpoints: Pick<Endpoints, 'ldap' | 'ldaps'>;
  /** The engine's, for realms that are made. */
  readonly realmSeed: RealmSeed;
  readonly pathSegments: ReadonlySet<string>;
  /** The engine's, so that each thread answers alike for names that nobody has. */
  readonly mockKey: Uint8Array;
  /** What is known of passwords, in all threads alike. */
  readonly knownMemory: KnownMemory;
  /** By which values are sealed and opened here, too. */
  readonly sealerKeys: SealerKeys;
  /** Of the list that the main thread has read. */
  readonly commonPasswords?: SharedArrayBuffer;
  readonly tally: { readonly buffer: SharedArrayBuffer; readonly slot: number };
}

/** What it does for the main thread. */
export interface WorkerSide {
  /** Resolves when it listens. */
  start(plan: WorkerPlan): Promise<void>;
  /** Lets go of its read transaction. */
  letGo(): void;
  /** What has become durable, once it has asked to `watch`. */
  changed(changes: readonly WatchedChange[]): void;
  /** Nobody may be here as this person any more, or by these app passwords of theirs: their connections end. @returns how many there were */
  personEnded(entryUuid: string, appPasswords?: readonly string[]): number;
  /** How many that would end. */
  connectionsOf(entryUuid: string, appPasswords?: readonly string[]): number;
  /** The entryUUIDs as which somebody is bound, one for each connection. */
  boundAs(): readonly string[];
  /** Other settings of the service are in force: it reads them where they are kept, if no request has had it do so. */
  settingsChanged(): void;
  /** From its answer on this certificate is shown at handshakes. */
  showCertificate(...shown: Parameters<Listener['showCertificate']>): void;
  /** Takes no more requests; resolves when those in progress are through. */
  stop(): Promise<void>;
}

/** What the main thread does for it. */
export interface MainSide {
  /**
   * CSNs are given here, in the order in which the commits arrive.
   *
   * @param generation  of the schema by which it was decided
   * @throws Refusal `schemaMoved` (51) when another one is in force
   */
  commit(expected: readonly Expectation[], changes: readonly Change[], generation: number): Promise<CommitResult>;
  changeSchema: SchemaChange;
  hash(password: Uint8Array, cost: HashCost): Promise<string>;
  hashSet(secrets: readonly Uint8Array[], cost: HashCost): Promise<readonly string[]>;
  hashInto(secret: Uint8Array, stored: readonly string[], cost: HashCost): Promise<string>;
  findInSet(secret: Uint8Array, stored: readonly string[], cost: HashCost): Promise<{ readonly index?: number }>;
  pbkdf2(password: Uint8Array, stretch: Stretch): Promise<Uint8Array>;
  verify(password: Uint8Array, stored: string | undefined, cost: HashCost): Promise<Verified>;
  /** Resolves, when all who stood in an entry's line before are through, with the place to `leave`. */
  enter(key: string): Promise<number>;
  leave(place: number): void;
  /** As `Turns.enter`, with a place to `endAttempt`. */
  enterAttempt(attempt: AttemptBy): Promise<Limited | { readonly kind: 'admitted'; readonly place: number }>;
  endAttempt(place: number, outcome: Outcome): Promise<void>;
  linkHindrance: Desks['links']['hindrance'];
  issueLink: Desks['links']['issue'];
  listMails: Desks['mails']['list'];
  retryMails: Desks['mails']['retry'];
  wakeMails: Desks['mails']['wake'];
  /** As `Turns.isFull`. */
  isFull(attempt: AttemptBy): boolean | Promise<boolean>;
  /** As `Networks.isNew`. */
  isNewNetwork(realm: string, entryUuid: string, address: string): Promise<boolean>;
  putEvent(event: OutboxEvent): Promise<string>;
  takeEventBack(realm: string, handle: string): Promise<void>;
  record(event: AuditEvent): void;
  /** From its answer on the worker is told what becomes durable. */
  watch(): void;
  unwatch(): void;
}

/** The refusals that go from one thread to another. */
export const refusalRows: readonly ErrorRow[] = [
  directoryErrors,
  keysErrors,
  listenerErrors,
  schemaErrors,
  settingErrors,
  storeErrors,
].flatMap((table) => Object.values<ErrorRow>(table));
