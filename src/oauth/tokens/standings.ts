import type { Clock } from '#base';
import type { DirectoryClient } from '#client';
import { equals } from '#client';
import { barOf, validityAttributes, validityOf } from '#holdings';
import { meetsDemand } from '#policy';
import type { Sessions } from '#sessions';
import type { Kept } from '#state';
import type { WebRealm } from '#web';
import type { Application, Applications } from '../applications/index.ts';
import { demandsOf } from '../provider/demands.ts';
import type { ConsentsRead } from '../provider/deps.ts';
import type { KeptTokens } from './kept.ts';
import type { RevokedBecause, SetRecord } from './records.ts';
import { type Footing, fallOf } from './standing.ts';

/** Says what a token set is worth at this moment, and what it stands on. */
export interface Standing {
  /** Why it is worth nothing; `undefined` while it is good. */
  of(realm: WebRealm, kept: Kept<SetRecord>): Promise<RevokedBecause | 'expired' | undefined>;
  /** What the entry of somebody says, for a set that begins; `undefined` when it is gone. */
  person(realm: WebRealm, entryUuid: string): Promise<Footing['person']>;
}

export interface StandingOptions {
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly sessions: Pick<Sessions, 'bySid'>;
  readonly applications: Pick<Applications, 'find' | 'mayUse'>;
  readonly consents?: ConsentsRead | undefined;
  readonly kept: Pick<KeptTokens, 'revokeKept'>;
  readonly clock: Clock;
}

/** Asks the directory and the sessions about what a set stands on, each time it is used: one search for the person, one for the application. */
export function openStanding({ client, sessions, applications, consents, kept, clock }: StandingOptions): Standing {
  const personOf = async ({ suffix }: WebRealm, entryUuid: string): Promise<Footing['person']> => {
    const attributes = [...validityAttributes, 'pwdChangedTime'];
    const search = { base: suffix, scope: 'sub', filter: equals('entryUUID', entryUuid), attributes, sizeLimit: 2 } as const;
    const [entry] = (await client.as('self').search(search)).entries;
    if (entry === undefined) return undefined;
    const disabled =
      barOf(
        validityOf((name) => entry.one(name)),
        clock.nowMs(),
      ) !== undefined;
    return { disabled, password: entry.one('pwdChangedTime') ?? '' };
  };
  /** As at the authorization endpoint: a group that somebody has left, or a class that is asked for since, counts from the next use on. */
  const letsIn = async (realm: WebRealm, application: Application, { entryUuid, acr = '', amr = [], mechanisms = [] }: SetRecord) =>
    meetsDemand({ acr, amr, mechanisms }, demandsOf({}, application).demand) &&
    (await applications.mayUse(realm, application, { entryUuid }));
  const of: Standing['of'] = async (realm, found) => {
    const { value: set, expiresAtMs } = found;
    const nowMs = clock.nowMs();
    // What is over for good needs nobody to be asked.
    if (set.revoked !== undefined || expiresAtMs <= nowMs) return set.revoked?.why ?? 'expired';
    const application = await applications.find(realm, set.clientId);
    const isThere = application !== undefined && !application.disabled && mayUseServer(application.servers, set.server);
    const isPerson = set.entryUuid !== '';
    const [person, session, held, allowed] = await Promise.all([
      isPerson ? personOf(realm, set.entryUuid) : undefined,
      isPerson && set.bound && set.sid !== undefined ? sessions.bySid(realm.id, set.entryUuid, set.sid) : undefined,
      isPerson && set.consented !== undefined && application !== undefined ? consents?.of(realm, set.entryUuid, application) : undefined,
      isPerson && isThere ? letsIn(realm, application, set) : true,
    ]);
    const consented = held && Object.fromEntries(held.map(({ resource, atMs }) => [resource, atMs]));
    const fallen = fallOf(set, expiresAtMs, {
      ...{ nowMs, application: isThere, holder: application?.holder, allowed, person, session: session !== undefined, consented },
    });
    // What has fallen stays so, whatever is given back later; but what an application's entry says counts for as long as it says so.
    const isForNow = fallen === 'expired' || fallen === 'application-gone' || fallen === 'not-allowed';
    if (fallen !== undefined && !isForNow) await kept.revokeKept(found, fallen);
    return fallen;
  };
  return { of, person: personOf };
}

/** Whether an application may use a server: those that it names, or all of its realm. */
export function mayUseServer(servers: readonly string[], server: string): boolean {
  return servers.length === 0 || servers.includes(server);
}
