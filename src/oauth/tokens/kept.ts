import type { Clock } from '#base';
import type { SettingValues } from '#catalogue';
import { type Ending, endingOf, type Kept, type KeptPage, type Kind, type PageAsked, type State } from '#state';
import type { settings as rows } from '../settings.ts';
import { type ArtifactRecord, parseArtifact, parseSet, type RevokedBecause, type SetRecord } from './records.ts';

/** What is kept of all that was issued. Everything belongs to a realm and to one of its authorization servers, and is found by whoever can name it. */
export interface KeptTokens {
  /** @param untilMs  when it ends whatever happens */
  beginSet(realm: string, set: SetRecord, untilMs: number): Promise<void>;
  set(realm: string, id: string): Promise<Kept<SetRecord> | undefined>;
  /** Changes a set that is as it was read; `undefined` when something else was faster. */
  changeSet(kept: Kept<SetRecord>, set: SetRecord): Promise<Kept<SetRecord> | undefined>;
  /** Revokes a set for good. @returns true when it was in force */
  revoke(realm: string, id: string, why: RevokedBecause): Promise<boolean>;
  /** The sets of somebody, the newest last; of a whole realm without one. An application's own are those of `applicationOwner`. */
  setsOf(realm: string, owner: string | undefined, limit: number): Promise<readonly Kept<SetRecord>[]>;
  /** Some of these that are meant, the newest first. */
  pageOfSets(realm: string, asked: PageAsked<SetRecord>): Promise<KeptPage<SetRecord>>;
  revokeKept(kept: Kept<SetRecord>, why: RevokedBecause): Promise<boolean>;
  put(realm: string, key: string, artifact: ArtifactRecord, untilMs: number): Promise<void>;
  artifact(realm: string, key: string): Promise<Kept<ArtifactRecord> | undefined>;
  change(kept: Kept<ArtifactRecord>, artifact: ArtifactRecord, untilMs?: number): Promise<boolean>;
  remove(kept: Kept<ArtifactRecord>): Promise<boolean>;
  /** What belongs to a set. */
  artifactsOf(realm: string, setId: string, limit: number): Promise<readonly Kept<ArtifactRecord>[]>;
  /** Notes that something was used. False when it was before. */
  useOnce(realm: string, key: string, untilMs: number): Promise<boolean>;
  readonly ending: Ending;
  /** Of a realm that is removed: so many at a time. @returns how many there were */
  drop(realm: string, limit: number): Promise<number>;
}

export interface KeptTokensOptions {
  readonly state: Pick<State, 'kind'>;
  readonly clock: Clock;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

/** The owner of what an application has for itself. */
export function applicationOwner(clientId: string): string {
  return `application:${clientId}`;
}

/** Kinds of artifacts that wait and belong to nobody yet: they have a bound of their own, so that they push out no token. */
const pending: ReadonlySet<string> = new Set(['PushedAuthorizationRequest', 'DeviceCode', 'UserCode']);
const triesMax = 8;

export function openKeptTokens({ state, clock, settingsOf }: KeptTokensOptions): KeptTokens {
  const sets = state.kind<SetRecord>({ name: 'oauth-set', parse: parseSet, rowsMax: (realm) => settingsOf(realm)['oauth.setsMax'] });
  const artifacts = state.kind<ArtifactRecord>({
    name: 'oauth-artifact',
    parse: parseArtifact,
    rowsMax: (realm) => settingsOf(realm)['oauth.artifactsMax'],
  });
  const waiting = state.kind<ArtifactRecord>({
    name: 'oauth-pending',
    parse: parseArtifact,
    rowsMax: (realm) => settingsOf(realm)['oauth.pendingMax'],
  });
  const used = state.kind<number>({
    name: 'oauth-used',
    parse: (value) => (typeof value === 'number' ? value : undefined),
    rowsMax: (realm) => settingsOf(realm)['oauth.replaysMax'],
  });
  const kindOf = ({ model }: Pick<ArtifactRecord, 'model'>): Kind<ArtifactRecord> => (pending.has(model) ? waiting : artifacts);
  const alive = <T>(kept: Kept<T> | undefined) => (kept !== undefined && kept.expiresAtMs > clock.nowMs() ? kept : undefined);
  const revokeKept = async (kept: Kept<SetRecord>, why: RevokedBecause): Promise<boolean> => {
    if (kept.value.revoked !== undefined) return false;
    return (await sets.replace(kept, { ...kept.value, revoked: { atMs: clock.nowMs(), why } })) !== undefined;
  };
  const ended = endingOf({ name: 'tokens', kind: sets });
  return {
    beginSet: (realm, set, untilMs) =>
      sets.put(realm, set.id, set, untilMs, set.entryUuid === '' ? applicationOwner(set.clientId) : set.entryUuid),
    set: async (realm, id) => alive(await sets.get(realm, id)),
    changeSet: async (kept, set) => sets.replace(kept, set),
    revoke: async (realm, id, why) => {
      for (let tries = 0; tries < triesMax; tries++) {
        const kept = await sets.get(realm, id);
        if (kept === undefined || kept.value.revoked !== undefined) return false;
        if (await revokeKept(kept, why)) return true;
      }
      throw new Error('a token set changes faster than it can be revoked');
    },
    revokeKept,
    setsOf: async (realm, owner, limit) => (await sets.list(realm, owner, limit)).filter((kept) => alive(kept) !== undefined),
    pageOfSets: (realm, asked) => sets.page(realm, asked),
    put: (realm, key, artifact, untilMs) => kindOf(artifact).put(realm, key, artifact, untilMs, artifact.setId),
    artifact: async (realm, key) => alive((await artifacts.get(realm, key)) ?? (await waiting.get(realm, key))),
    change: async (kept, artifact, untilMs) => (await kindOf(artifact).replace(kept, artifact, untilMs)) !== undefined,
    remove: (kept) => kindOf(kept.value).remove(kept),
    artifactsOf: (realm, setId, limit) => artifacts.list(realm, setId, limit),
    useOnce: (realm, key, untilMs) => used.claim(realm, key, untilMs),
    // To be disabled ends what there is for good; what is shown of it says why.
    ending: { ...ended, end: (realm, entryUuid) => endAll(realm, entryUuid) },
    drop: async (realm, limit) => {
      let count = 0;
      for (const kind of [sets, artifacts, waiting, used] as readonly Kind<unknown>[]) {
        const all = await kind.list(realm, undefined, limit);
        for (const kept of all) await kind.remove(kept);
        count += all.length;
      }
      return count;
    },
  };

  async function endAll(realm: string, entryUuid: string): Promise<number> {
    let count = 0;
    for (const kept of await sets.list(realm, entryUuid, settingsOf(realm)['oauth.setsMax'])) {
      if (await revokeKept(kept, 'disabled')) count++;
    }
    return count;
  }
}
