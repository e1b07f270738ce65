import type { AuditEvent } from '#audit';
import type { Chance, Clock } from '#base';
import type { SettingValues } from '#catalogue';
import type { credentialsSettings } from '#credentials';
import type { HashCost, Hasher } from '#keys';
import type { policySettings } from '#policy';
import type { Schema } from '#schema';
import type { Store } from '#store';
import { type AccessTable, resolveAccess } from './access/resolve.ts';
import { type CsnSource, createCsnSource, newestCsn } from './csn.ts';
import { createLines, type Lines } from './lines.ts';
import { openRealm, type Realm } from './realm.ts';
import type { DynamicGroups } from './relations/chain.ts';
import { createDynamicGroups } from './relations/dynamic-groups.ts';
import { createAnswerCache } from './search/answers.ts';
import { createPrepared, type Prepared } from './search/prepared.ts';
import type { settings } from './settings.ts';

export type EngineSettings = SettingValues<typeof settings & typeof policySettings & typeof credentialsSettings>;

export interface EngineOptions {
  readonly schema: Schema;
  /** Opened with `createIndexer(schema)`. */
  readonly store: Store;
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: { record(event: AuditEvent): void };
  readonly settings: EngineSettings;
  /** What the web layer shows on its private socket; without it that door opens to nobody. */
  readonly webSecret?: Uint8Array;
  /** What is shown for names without a verifier is made with it; by default another at each start. */
  readonly mockKey?: Uint8Array;
  /** For the root DSE: the product's version. */
  readonly version: string;
  /** Where a commit's number comes from, and who waits for whom, where other threads write, too; by default this engine's own. */
  readonly csn?: CsnSource;
  readonly lines?: Lines;
}

/** What every operation works with. */
export interface Engine extends EngineOptions {
  readonly realm: Realm;
  readonly mockKey: Uint8Array;
  readonly access: AccessTable;
  readonly csn: CsnSource;
  readonly lines: Lines;
  readonly prepared: Prepared;
  readonly dynamicGroups: DynamicGroups;
}

/**
 * Puts together what the operations of the directory need.
 *
 * @throws Refusal `suffixUnfit` (STS-LDAP-9033) when `realms.defaultSuffix` is no name that a realm can have
 */
export function openEngine(options: EngineOptions): Engine {
  const { schema, store, clock, settings } = options;
  const realm = openRealm(schema, settings['realms.defaultSuffix'], settings['admin.bootstrapUsername']);
  const dynamicGroups = createDynamicGroups({ schema, settings, clock });
  const answers = createAnswerCache(settings['ldap.answerCacheMib'] * 2 ** 20);
  const prepared = createPrepared({ schema, settings, clock, dynamicGroups }, answers, settings['ldap.preparedSearchesMax']);
  const { csn = createCsnSource(clock, newestCsn(store)), lines = createLines(), mockKey = options.chance.octets(32) } = options;
  return { ...options, realm, mockKey, access: resolveAccess(schema), csn, lines, prepared, dynamicGroups };
}

/** The scrypt cost of a new hash, read each time: these settings may change while the service runs. */
export function hashCost(engine: Pick<Engine, 'settings'>): HashCost {
  const { settings } = engine;
  return {
    logN: settings['security.passwordHashLogN'],
    r: settings['security.passwordHashR'],
    p: settings['security.passwordHashP'],
  };
}
