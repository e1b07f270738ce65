import type { Audit, Log } from '#audit';
import type { Chance, Clock } from '#base';
import type { ErrorRange, ErrorRow, SettingOrigin, SettingRows, SettingValues } from '#catalogue';
import type { DirectoryClient } from '#client';
import type { Metadata } from '#describe';
import type { TokenSets } from '#oauth';
import type { People } from '#people';
import type { Realms } from '#realms';
import type { Sessions } from '#sessions';
import type { State } from '#state';
import type { WebRealm } from '#web';

/** The service's settings as a table with what is in force. */
export interface Configuration {
  readonly rows: SettingRows;
  originOf(name: string): SettingOrigin;
  inForce(name: string): number | boolean | string | readonly string[] | undefined;
}

/** The table of error codes. */
export interface Codes {
  /** By the name of each area: what it is about. */
  readonly areas: Readonly<Record<string, string>>;
  readonly rows: readonly ErrorRow[];
  readonly ranges: readonly ErrorRange[];
}

/** What the service says of itself, worked out when it is asked for. */
export interface Description {
  /** Routes, and where what is said of them differs from the router. */
  metadata(deps: OperationDeps): Metadata;
  crypto(deps: OperationDeps): object;
  /** What the listeners of this process show now; none where nothing speaks TLS. */
  certificate(): { readonly serialNumber: string; readonly untilMs: number; readonly isOwn: boolean } | undefined;
  readonly service: { readonly version: string; readonly startedMs: number };
}

/** What operations rest on beside the directory under their caller's authority. */
export interface OperationDeps {
  /** For what is no caller's business: who is a member of a role. Rows act through `call.actor`. */
  readonly client: DirectoryClient;
  readonly realms: Pick<Realms<SettingRows>, 'standing' | 'find' | 'now' | 'authnPolicy' | 'passwordPolicy'>;
  readonly people: People;
  readonly sessions: Sessions;
  /** What authorization servers have issued. */
  readonly tokens?: TokenSets;
  readonly state: State;
  readonly audit: Audit;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  /** The settings in force in a realm, all of them by name. */
  readonly settingsOf: (realm: string) => SettingValues<SettingRows>;
  /** Of the process. */
  readonly settings: SettingValues<SettingRows> & {
    readonly 'ldap.transactionUpdatesMax': number;
    readonly 'ldap.transactionMib': number;
    readonly 'ldap.messageOctetsMax': number;
  };
  /** The folder of files that tasks take in and give out. */
  readonly exchange: string;
  readonly configuration?: Configuration;
  readonly codes?: Codes;
  readonly description?: Description;
  /** Where browsers reach a path of a realm. */
  readonly addressOf?: (realm: WebRealm, path: string) => string | undefined;
}
