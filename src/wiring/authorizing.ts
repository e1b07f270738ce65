import type { DirectoryClient } from '#client';
import { claimsOfScopes, createOauth, type Oauth, openClaims, openConsents } from '#oauth';
import type { People } from '#people';
import type { Realms } from '#realms';
import type { Sessions } from '#sessions';
import type { Csrf } from '#web';
import type { settings as rows } from '../settings.ts';
import type { Beneath } from './above.ts';
import type { Foundation } from './foundation.ts';

interface AuthorizingParts {
  readonly foundation: Pick<Foundation, 'clock' | 'chance' | 'audit' | 'log'>;
  readonly below: Pick<Beneath, 'state'>;
  readonly client: DirectoryClient;
  readonly realms: Realms<typeof rows>;
  readonly people: People;
  readonly sessions: Sessions;
  readonly csrf: Csrf;
}

/** OAuth 2.0 and OpenID Connect, over the sessions and the directory. */
export function oauthOf({ foundation, below, client, realms, people, sessions, csrf }: AuthorizingParts): Oauth {
  const { audit, log, clock, chance } = foundation;
  const claims = openClaims({ client });
  return createOauth({
    ...{ client, realms, people, sessions, csrf, audit, log, clock, chance },
    state: below.state,
    claims: {
      claimsOf: async (realm, application, entryUuid, scopes) => (await claims.of(realm, application, entryUuid, scopes)) ?? {},
      claimNames: (scope) => claimsOfScopes[scope] ?? [],
    },
    consents: openConsents({ client, clock }),
    settingsOf: realms.settingsOf,
    standingId: realms.standing.id,
  });
}
