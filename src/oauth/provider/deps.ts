import type { Audit, Log } from '#audit';
import type { Chance, Clock } from '#base';
import type { SettingValues } from '#catalogue';
import type { People } from '#people';
import type { Sessions } from '#sessions';
import type { WebRealm } from '#web';
import type { Application, Applications } from '../applications/index.ts';
import type { Consents } from '../consents/consents.ts';
import type { settings as rows } from '../settings.ts';
import type { KeptTokens } from '../tokens/kept.ts';
import type { Standing } from '../tokens/standings.ts';

/** What people have said that applications may know. */
export type ConsentsRead = Pick<Consents, 'of'>;

/** What an authorization server is made of, beside its keys. */
export interface ProviderDeps {
  readonly applications: Applications;
  readonly people: Pick<People, 'byUuid' | 'isBarred'>;
  readonly sessions: Sessions;
  readonly kept: KeptTokens;
  readonly standing: Standing;
  /** Absent where nobody can be asked. */
  readonly consents?: ConsentsRead;
  /** Claims about somebody, but for `sub`, that scopes tell an application. */
  readonly claimsOf: (
    realm: WebRealm,
    application: Application,
    entryUuid: string,
    scopes: readonly string[],
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Which claims a scope tells, whoever asks. */
  readonly claimNames: (scope: string) => readonly string[];
  /** The one party that may act for somebody; `undefined` when there is none. */
  readonly delegateOf: (realm: WebRealm, entryUuid: string) => Promise<string | undefined>;
  /** What is published of a realm's keys. */
  readonly publishedOf: (realm: WebRealm) => Promise<{ readonly keys: readonly object[] }>;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
  /** Seconds that a parked request waits. */
  readonly pendingTtlS: (realm: string) => number;
  /** `global.corsOrigins`. */
  readonly origins: readonly string[];
  readonly audit: Audit;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
}
