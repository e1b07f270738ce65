import type { Clock } from '#base';
import { allOf, anyOf, ClientRefusal, type DirectoryClient, equals, inChain, type Limited, present } from '#client';
import type { SigningAlgorithm } from '#keys';
import { resultCodes } from '#ldap';
import type { WebRealm } from '#web';
import { type Application, applicationAttributes, applicationOf } from './application.ts';

/** Where applications are looked for. */
export type ApplicationsOf = Pick<WebRealm, 'suffix' | 'mode'>;

/** A secret that came to an endpoint. */
export interface PresentedSecret {
  readonly secret: string;
  /** Of who showed it. */
  readonly address: string;
  /** Whether nobody could read it on the way. */
  readonly isProtected: boolean;
}

export type SecretJudged = { readonly kind: 'accepted' } | { readonly kind: 'refused' } | Limited;

/** The applications of the realms, read when they are asked for: what a directory tool wrote counts at the next request. */
export interface Applications {
  /**
   * The application that a client names itself as: one LDAP search.
   *
   * @throws Refusal STS-CORE-9100 to 9103 when the directory cannot be asked
   */
  find(realm: ApplicationsOf, clientId: string): Promise<Application | undefined>;
  /** The application of an entry, as it may have been renamed since. */
  byUuid(realm: ApplicationsOf, entryUuid: string): Promise<Application | undefined>;
  /** All that a realm has, at most so many. */
  list(realm: ApplicationsOf): Promise<{ readonly applications: readonly Application[]; readonly complete: boolean }>;
  /** By which algorithms applications of the realm want tokens signed, where they say so; each once. */
  algorithms(realm: ApplicationsOf): Promise<readonly SigningAlgorithm[]>;
  /** Whether any application of the realm names an origin (`appCorsOrigin`). */
  listsOrigin(realm: ApplicationsOf, origin: string): Promise<boolean>;
  /** Has the directory judge a secret, by a bind as the application's entry. Wrong, absent and disabled look alike. */
  judgeSecret(application: Pick<Application, 'dn'>, presented: PresentedSecret): Promise<SecretJudged>;
  /** Whether somebody is in a group that may use it, themselves or by way of other groups. */
  mayUse(realm: ApplicationsOf, application: Pick<Application, 'allowedGroups'>, person: { readonly entryUuid: string }): Promise<boolean>;
}

export interface ApplicationsOptions {
  readonly client: Pick<DirectoryClient, 'as' | 'judge'>;
  readonly clock: Clock;
}

/** The door at which applications show their secrets, as the directory knows it. */
const clientDoor = 'client';
const clientIdOctetsMax = 128;

export function openApplications({ client, clock }: ApplicationsOptions): Applications {
  const isClient = equals('objectClass', 'stsOAuthClient');
  const search = async ({ suffix, mode }: ApplicationsOf, filter: typeof isClient, sizeLimit?: number) => {
    const limit = sizeLimit === undefined ? {} : { sizeLimit };
    try {
      const { entries, complete } = await client.as('self').search({
        ...{ base: `ou=applications,${suffix}`, scope: 'sub', filter: allOf(isClient, filter), attributes: applicationAttributes },
        ...limit,
      });
      return { applications: entries.flatMap((entry) => applicationOf(entry, mode, clock.nowMs()) ?? []), complete };
    } catch (error) {
      // A realm may have lost the entry that they stand below.
      if (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) return { applications: [], complete: true };
      throw error;
    }
  };
  return {
    find: async (realm, clientId) => {
      if (!/^[!-~]+$/.test(clientId) || clientId.length > clientIdOctetsMax) return undefined;
      const { applications } = await search(realm, equals('stsClientId', clientId), 2);
      // Of two, which an import can leave, neither is meant.
      return applications.length === 1 ? applications[0] : undefined;
    },
    byUuid: async (realm, entryUuid) => (await search(realm, equals('entryUUID', entryUuid), 1)).applications[0],
    list: (realm) => search(realm, isClient),
    algorithms: async (realm) => {
      const { applications } = await search(realm, anyOf(present('stsIdTokenAlgorithm'), present('stsAuthorizationResponseAlgorithm')));
      const asked = applications.flatMap(({ idTokenAlgorithm, authorizationResponseAlgorithm }) => [
        idTokenAlgorithm ?? [],
        authorizationResponseAlgorithm ?? [],
      ]);
      return [...new Set(asked.flat())].sort();
    },
    listsOrigin: async (realm, origin) => (await search(realm, equals('appCorsOrigin', origin), 1)).applications.length > 0,
    judgeSecret: async ({ dn }, { secret, address, isProtected }) => {
      const judgement = await client.judge({ dn, password: secret, door: clientDoor, address, isProtected });
      return judgement.kind === 'refused' ? { kind: 'refused' } : judgement;
    },
    mayUse: async ({ suffix }, { allowedGroups }, { entryUuid }) => {
      if (allowedGroups.length === 0) return true;
      const filter = allOf(equals('entryUUID', entryUuid), anyOf(...allowedGroups.map((group) => inChain('memberOf', group))));
      try {
        const found = await client.as('self').search({ base: suffix, scope: 'sub', filter, attributes: ['1.1'], sizeLimit: 1 });
        return found.entries.length > 0;
      } catch (error) {
        // Somebody in so many groups that they cannot be followed has not been found in one that may.
        if (error instanceof ClientRefusal && error.code === resultCodes.adminLimitExceeded) return false;
        throw error;
      }
    },
  };
}
