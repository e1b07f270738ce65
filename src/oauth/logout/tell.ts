import type { Audit, Log } from '#audit';
import type { Chance, Clock } from '#base';
import { Refusal, type SettingValues } from '#catalogue';
import { type DirectoryClient, equals } from '#client';
import type { SigningAlgorithm } from '#keys';
import type { Sessions } from '#sessions';
import type { State } from '#state';
import { type WebRealm, type WebRealms, webErrors } from '#web';
import type { Applications } from '../applications/index.ts';
import type { SigningKeys } from '../keys/keys.ts';
import type { settings as rows } from '../settings.ts';
import type { KeptTokens } from '../tokens/kept.ts';
import { openBackchannel } from './backchannel.ts';
import { postForm, signLogout } from './send.ts';

interface TellOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly realms: WebRealms;
  readonly sessions: Pick<Sessions, 'onEnd' | 'bySid'>;
  readonly applications: Pick<Applications, 'find'>;
  readonly state: Pick<State, 'kind'>;
  readonly kept: KeptTokens;
  readonly keys: SigningKeys;
  readonly algorithmsOf: (realm: WebRealm) => Promise<readonly [SigningAlgorithm, ...SigningAlgorithm[]]>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: Audit;
  readonly log: Log;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

/** Has applications told of every session that ends: at once, by the job where they do not answer, and after a start what ended before it. */
export function tellApplications(options: TellOptions) {
  const { client, realms, sessions, applications, state, kept, keys, algorithmsOf, clock, chance, audit, log, settingsOf } = options;
  /** A directory that cannot be asked, as at the end of a service that has just begun, has a code of its own. */
  const failed = (what: string, error: unknown) => {
    const row = error instanceof Refusal ? error.row : webErrors.serverErrorUnclassified;
    log.error(row, `${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const backchannel = openBackchannel({
    ...{ state, kept, clock, chance, audit, settingsOf },
    realmOf: async (id) => (id === realms.standing.id ? realms.standing : realms.find(id)),
    applicationOf: async (realm, clientId) => {
      const found = await applications.find(realm, clientId);
      return found === undefined || found.disabled ? undefined : found;
    },
    sign: async (realm, { idTokenAlgorithm }, claims) => {
      const algorithms = await algorithmsOf(realm);
      return signLogout(await keys.of(realm, algorithms), idTokenAlgorithm ?? algorithms[0], claims);
    },
    post: postForm,
  });
  sessions.onEnd((ended) => {
    backchannel
      .ended(ended)
      .then(backchannel.send)
      .catch((error: unknown) => failed('applications were not told of a session that ended', error));
  });
  return {
    send: backchannel.send,
    begin: async (): Promise<void> => {
      try {
        const isLive = async (realm: string, uuid: string, sid: string) => (await sessions.bySid(realm, uuid, sid)) !== undefined;
        await backchannel.catchUp([realms.standing, ...(await otherRealms(client, realms))], isLive);
        await backchannel.send();
      } catch (error) {
        failed('what ended before the start was not looked at', error);
      }
    },
  };
}

async function otherRealms(client: Pick<DirectoryClient, 'as'>, realms: WebRealms): Promise<readonly WebRealm[]> {
  const search = {
    base: realms.standing.suffix,
    scope: 'sub',
    filter: equals('objectClass', 'stsRealmEntry'),
    attributes: ['stsRealmId'],
  } as const;
  const { entries } = await client.as('self').search(search);
  const found = await Promise.all(entries.map((entry) => realms.find(entry.one('stsRealmId') ?? '')));
  return found.flatMap((realm) => realm ?? []);
}
