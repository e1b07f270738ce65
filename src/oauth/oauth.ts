import type { Audit, Log } from '#audit';
import type { Chance, Clock } from '#base';
import type { SettingValues } from '#catalogue';
import type { DirectoryClient } from '#client';
import { equals } from '#client';
import type { SigningAlgorithm } from '#keys';
import type { People } from '#people';
import type { Sessions } from '#sessions';
import { type Ending, openHourly, type State } from '#state';
import { bindRawRoutes, bindRoutes, type Csrf, type WebRealm, type WebRealms, type WebRoute } from '#web';
import { type Application, type Applications, openApplications } from './applications/index.ts';
import { createConformanceHandlers } from './conformance/handlers.ts';
import { conformanceRoutes } from './conformance/routes.ts';
import type { Consents } from './consents/consents.ts';
import { createConsentHandlers } from './consents/page.ts';
import { consentRoutes } from './consents/routes.ts';
import { createDeviceHandlers } from './device/page.ts';
import { deviceRoutes } from './device/routes.ts';
import { endpointRoutes } from './endpoints.ts';
import { createOauthHandlers } from './handlers.ts';
import { openSigningKeys } from './keys/keys.ts';
import { createLogout } from './logout/logout.ts';
import { tellApplications } from './logout/tell.ts';
import type { ProviderDeps } from './provider/deps.ts';
import { pages } from './routes.ts';
import { openServers } from './servers.ts';
import type { settings as rows } from './settings.ts';
import { openKeptTokens } from './tokens/kept.ts';
import { openTokenSets, type TokenSets } from './tokens/sets.ts';
import { openStanding } from './tokens/standings.ts';
import { createVerify, type VerifyToken } from './verify.ts';
import { type WebfingerRealms, webfinger } from './webfinger.ts';

export interface OauthOptions {
  readonly client: DirectoryClient;
  readonly realms: WebRealms & WebfingerRealms;
  readonly people: People;
  readonly sessions: Sessions;
  readonly state: Pick<State, 'kind'>;
  readonly csrf: Csrf;
  readonly audit: Audit;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly claims: Pick<ProviderDeps, 'claimsOf' | 'claimNames'>;
  readonly consents?: Consents;
  /** The settings in force in a realm. */
  readonly settingsOf: (realm: string) => SettingValues<typeof rows> & {
    readonly 'authn.pendingTtlS': number;
    readonly 'authn.returnTargetLengthMax': number;
    readonly 'global.corsOrigins': readonly string[];
    readonly 'global.publicBaseUrl': string;
  };
  /** Of the default realm, by its id. */
  readonly standingId: string;
}

export interface Oauth {
  readonly routes: readonly WebRoute[];
  readonly verifyAccessToken: VerifyToken;
  readonly sets: TokenSets;
  /** The job `oauth.logout`. */
  tellLogouts(): Promise<string>;
  /** Takes in what ended while nobody was there to hear of it. */
  begin(): Promise<void>;
  /** What ends with an account. */
  readonly endings: readonly Ending[];
  /** Forgets all that is kept of a realm that is removed. @returns what is left */
  drop(realm: string): Promise<number>;
}

/** Opens the authorization servers of all realms. The library that speaks the protocol is loaded with the first request for one. */
export function createOauth(options: OauthOptions): Oauth {
  const { client, realms, people, sessions, state, csrf, clock, chance, audit, log, consents, settingsOf } = options;
  const service = settingsOf(options.standingId);
  const applications = openApplications({ client, clock });
  const kept = openKeptTokens({ state, clock, settingsOf });
  const standing = openStanding({ client, sessions, applications, consents, kept, clock });
  const keys = openSigningKeys({ client, clock });
  const asked = askedAlgorithms(applications, clock);
  const algorithmsOf = async (realm: WebRealm, application?: Application): Promise<readonly [SigningAlgorithm, ...SigningAlgorithm[]]> => {
    const standings = settingsOf(realm.id)['oauth.algorithm'];
    return [standings, ...(await asked(realm, application)).filter((each) => each !== standings)];
  };
  const publishedOf = async (realm: WebRealm) => (await keys.of(realm, await algorithmsOf(realm))).publicJwks;
  const deps: ProviderDeps = {
    ...{ applications, people, sessions, kept, standing, publishedOf, settingsOf, audit, log, clock, chance, ...options.claims },
    ...(consents === undefined ? {} : { consents }),
    delegateOf: ({ suffix }, entryUuid) => delegateOf(client, suffix, entryUuid),
    pendingTtlS: (realm) => settingsOf(realm)['authn.pendingTtlS'],
    origins: service['global.corsOrigins'],
  };
  const servers = openServers({ deps, keys, algorithmsOf, serversMax: () => service['oauth.serversMax'] });
  const handlers = createOauthHandlers({
    ...{ realms, servers, applications, kept, publicJwks: publishedOf },
    logout: createLogout({ sessions, applications, publishedOf, csrf, audit }),
    audit,
    lengthMax: () => service['authn.returnTargetLengthMax'],
    formOctetsMax: (realm) => settingsOf(realm)['oauth.formOctetsMax'],
  });
  const backchannel = tellApplications({
    ...{ client, realms, sessions, applications, state, kept, keys, algorithmsOf },
    ...{ clock, chance, audit, log, settingsOf },
  });
  return {
    sets: openTokenSets({ kept, standing, clock, userNameOf: ({ suffix }, entryUuid) => userNameOf(client, suffix, entryUuid) }),
    tellLogouts: backchannel.send,
    begin: backchannel.begin,
    routes: [
      ...(consents === undefined
        ? []
        : [
            ...bindRoutes(consentRoutes, createConsentHandlers({ sessions, people, applications, consents, csrf, audit })),
            ...bindRoutes(
              deviceRoutes,
              createDeviceHandlers({
                ...{ sessions, people, applications, consents, kept, standing, csrf, clock, chance, audit },
                tries: openHourly(state, clock, 'oauth.deviceTries'),
                grantTtlS: (realm) => settingsOf(realm)['oauth.grantTtlS'],
              }),
            ),
          ]),
      ...bindRoutes(conformanceRoutes, createConformanceHandlers({ applications, settingsOf })),
      ...bindRawRoutes(pages, { webfinger: webfinger(realms) }, async () => true),
      ...bindRawRoutes(endpointRoutes, handlers, (realm, origin) => applications.listsOrigin(realm, origin)),
    ],
    verifyAccessToken: createVerify({ kept, standing, applications, people, publishedOf, clock }),
    endings: [kept.ending],
    drop: async (realm) => {
      while ((await kept.drop(realm, droppedAtOnce)) > 0) await new Promise(setImmediate);
      return 0;
    },
  };
}

/** The one party that may act for somebody, as they said in the portal: the entryUUID of an entry that is there. */
async function delegateOf(client: Pick<DirectoryClient, 'as'>, suffix: string, entryUuid: string): Promise<string | undefined> {
  const search = { base: suffix, scope: 'sub', filter: equals('entryUUID', entryUuid), attributes: ['stsDelegate'], sizeLimit: 2 } as const;
  return (await client.as('self').search(search)).entries[0]?.one('stsDelegate');
}

async function userNameOf(client: Pick<DirectoryClient, 'as'>, suffix: string, entryUuid: string): Promise<string> {
  const search = { base: suffix, scope: 'sub', filter: equals('entryUUID', entryUuid), attributes: ['uid'], sizeLimit: 2 } as const;
  return (await client.as('self').search(search)).entries[0]?.one('uid') ?? '';
}

/** Records of a removed realm that go in one turn of the event loop. */
const droppedAtOnce = 200;
/** For so long it is remembered by which algorithms a realm's applications want to be told. */
const askedForMs = 1000;
const realmsMax = 1000;

/** The algorithms that applications ask for by their entries. */
function askedAlgorithms(applications: Pick<Applications, 'algorithms'>, clock: Clock) {
  const known = new Map<string, { readonly atMs: number; readonly algorithms: readonly SigningAlgorithm[] }>();
  return async (realm: WebRealm, application?: Application): Promise<readonly SigningAlgorithm[]> => {
    const before = known.get(realm.id);
    const nowMs = clock.nowMs();
    const isFresh = before !== undefined && Math.abs(nowMs - before.atMs) < askedForMs;
    if (isFresh && asksFor(application).every((each) => before.algorithms.includes(each))) return before.algorithms;
    if (known.size >= realmsMax) known.clear();
    const algorithms = await applications.algorithms(realm);
    known.set(realm.id, { atMs: nowMs, algorithms });
    return algorithms;
  };
}

function asksFor(application: Application | undefined): readonly SigningAlgorithm[] {
  return [application?.idTokenAlgorithm ?? [], application?.authorizationResponseAlgorithm ?? []].flat();
}
