import type { Audit, Log } from '#audit';
import type { Chance, Clock } from '#base';
import type { SettingRows, SettingValues } from '#catalogue';
import type { DirectoryClient } from '#client';
import type { People } from '#people';
import type { Realms } from '#realms';
import type { Sessions } from '#sessions';
import type { State } from '#state';
import type { WebRealm } from '#web';

/** What operations rest on beside the directory under their caller's authority. */
export interface OperationDeps {
  /** For what is no caller's business: who is a member of a role. Rows act through `call.actor`. */
  readonly client: DirectoryClient;
  readonly realms: Pick<Realms<SettingRows>, 'standing' | 'find' | 'now' | 'authnPolicy' | 'passwordPolicy'>;
  readonly people: People;
  readonly sessions: Sessions;
  readonly state: State;
  readonly audit: Audit;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  /** The settings in force in a realm, all of them by name. */
  readonly settingsOf: (realm: string) => SettingValues<SettingRows>;
  /** Where browsers reach a path of a realm. */
  readonly addressOf?: (realm: WebRealm, path: string) => string | undefined;
}
