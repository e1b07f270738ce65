import type { Clock } from '#base';
import type { Kept } from '#state';
import type { WebRealm } from '#web';
import { subOf } from '../provider/claims.ts';
import type { KeptTokens } from './kept.ts';
import type { ArtifactRecord, SetRecord } from './records.ts';
import type { Standing } from './standings.ts';

/** One token set, member by member as document 1 has it. */
export interface SetView {
  readonly audience: readonly string[];
  readonly client_id: string;
  /** Names all that came of the authorization. */
  readonly family: string;
  readonly grant: string;
  readonly scope: string;
  readonly sub: string;
  readonly username: string;
  readonly sessionId: string;
  readonly setId: string;
  readonly setKey: string;
  /** How many tokens and codes there are. */
  readonly size: number;
  readonly members: readonly MemberView[];
  readonly families: readonly string[];
  readonly expiresAtMs: number;
  readonly issuedAt: number;
  readonly lastExpiresAtMs: number;
  readonly revocableCount: number;
  readonly revokedCount: number;
  /** Whether its tokens came of one authorization. */
  readonly grouped: boolean;
  /** Whether a person signed in for it. */
  readonly sessionAuthenticated: boolean;
  readonly kinds: readonly string[];
  /** `active`, `expired`, or why it is worth nothing: `signed-out`, `disabled`, `reused` … */
  readonly state: string;
  /** How many members are in each state. */
  readonly states: Readonly<Record<string, number>>;
}

export interface MemberView {
  readonly kind: string;
  readonly state: 'active' | 'used' | 'revoked' | 'expired';
  readonly issuedAt: number;
  readonly expiresAtMs: number;
}

export interface OpenedSet {
  readonly found: boolean;
  readonly set: SetView | null;
  readonly setKey: string;
  readonly why: string;
}

interface Whose {
  readonly entryUuid?: string;
  readonly clientId?: string;
}

interface SetPage {
  readonly sets: readonly SetView[];
  /** Behind which there may be more. */
  readonly next?: number | undefined;
}

interface ConsentAt {
  readonly realm: string;
  readonly entryUuid: string;
  readonly clientId: string;
  /** Empty for the server itself. */
  readonly resource: string;
}

/** Token sets as operators and people see them: what was issued, to whom, and what it is worth at this moment. No token can be read here. */
export interface TokenSets {
  /** Some of the sets of a person, of an application, or of a whole realm; the newest first, at most `limit`. */
  list(realm: WebRealm, whose: Whose, limit: number, behind?: number): Promise<SetPage>;
  open(realm: WebRealm, setKey: string): Promise<OpenedSet>;
  /** @returns true when it was in force */
  revoke(realm: WebRealm, setKey: string): Promise<boolean>;
  /** What an application was given for somebody at a place: when they withdraw their consent. @returns how many sets were in force */
  revokeConsent(at: ConsentAt): Promise<number>;
}

export interface TokenSetsOptions {
  readonly kept: KeptTokens;
  readonly standing: Standing;
  readonly clock: Clock;
  /** What somebody is called, to operators. */
  readonly userNameOf: (realm: WebRealm, entryUuid: string) => Promise<string>;
}

const membersMax = 1000;
const setsMax = 10_000;
const keyPattern = /^[\w-]{10,64}$/;

export function openTokenSets({ kept, standing, clock, userNameOf }: TokenSetsOptions): TokenSets {
  const view = async (realm: WebRealm, found: Kept<SetRecord>): Promise<SetView> => {
    const { value: set } = found;
    const fallen = await standing.of(realm, found);
    const artifacts = await kept.artifactsOf(realm.id, set.id, membersMax);
    const nowMs = clock.nowMs();
    const members = artifacts.map((artifact) => memberOf(artifact, fallen, nowMs));
    const states: Record<string, number> = {};
    for (const { state } of members) states[state] = (states[state] ?? 0) + 1;
    const isPerson = set.entryUuid !== '';
    return {
      ...{ audience: set.audience, client_id: set.clientId, family: set.id, grant: set.grant, scope: set.scope },
      sub: isPerson ? subOf(set.entryUuid) : set.clientId,
      username: isPerson ? await userNameOf(realm, set.entryUuid) : '',
      sessionId: set.sid ?? '',
      ...{ setId: set.id, setKey: set.id, size: members.length, members, families: [set.id] },
      expiresAtMs: found.expiresAtMs,
      issuedAt: set.issuedAtMs,
      lastExpiresAtMs: Math.max(set.issuedAtMs, ...members.map(({ expiresAtMs }) => expiresAtMs)),
      revocableCount: states['active'] ?? 0,
      revokedCount: states['revoked'] ?? 0,
      grouped: members.length > 1,
      sessionAuthenticated: isPerson && set.sid !== undefined,
      kinds: [...new Set(members.map(({ kind }) => kind))],
      state: fallen ?? 'active',
      states,
    };
  };
  return {
    list: async (realm, { entryUuid, clientId }, limit, behind) => {
      const fits = ({ value, expiresAtMs }: Kept<SetRecord>) =>
        expiresAtMs > clock.nowMs() && (clientId === undefined || value.clientId === clientId);
      const { kept: found, next } = await kept.pageOfSets(realm.id, { owner: entryUuid, limit, behind, fits });
      return { sets: await Promise.all(found.map((each) => view(realm, each))), next };
    },
    open: async (realm, setKey) => {
      const found = keyPattern.test(setKey) ? await kept.set(realm.id, setKey) : undefined;
      if (found === undefined)
        return { found: false, set: null, setKey, why: 'no token set has this key: it was never issued, or it is over' };
      const set = await view(realm, found);
      return { found: true, set, setKey, why: set.state === 'active' ? '' : set.state };
    },
    revoke: async (realm, setKey) => keyPattern.test(setKey) && kept.revoke(realm.id, setKey, 'operator'),
    revokeConsent: async ({ realm, entryUuid, clientId, resource }) => {
      let count = 0;
      // One that began when nobody had to be asked is for the server itself, and for what its tokens name.
      const stoodOn = ({ consented, audience }: SetRecord) =>
        consented === undefined ? resource === '' || audience.includes(resource) : Object.hasOwn(consented, resource);
      for (const found of await kept.setsOf(realm, entryUuid, setsMax)) {
        if (found.value.clientId === clientId && stoodOn(found.value) && (await kept.revokeKept(found, 'consent-withdrawn'))) count++;
      }
      return count;
    },
  };
}

const kinds: Readonly<Record<string, string>> = {
  AuthorizationCode: 'authorization_code',
  AccessToken: 'access_token',
  ClientCredentials: 'access_token',
  RefreshToken: 'refresh_token',
};

function memberOf({ value, expiresAtMs }: Kept<ArtifactRecord>, fallen: string | undefined, nowMs: number): MemberView {
  const isOver = expiresAtMs <= nowMs;
  const state = isOver ? 'expired' : value.consumed === true ? 'used' : fallen === undefined ? 'active' : 'revoked';
  return { kind: kinds[value.model] ?? value.model, state, issuedAt: value.atMs, expiresAtMs };
}
