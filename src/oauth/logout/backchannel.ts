import type { Audit } from '#audit';
import { type Chance, type Clock, token } from '#base';
import type { SettingValues } from '#catalogue';
import type { EndedSession } from '#sessions';
import type { Kept, State } from '#state';
import { fillText, type WebRealm } from '#web';
import type { Application } from '../applications/index.ts';
import { errors } from '../errors.ts';
import { subOf } from '../provider/claims.ts';
import type { settings as rows } from '../settings.ts';
import type { KeptTokens } from '../tokens/kept.ts';
import type { SetRecord } from '../tokens/records.ts';

/** An application that waits to hear that a session has ended. */
interface Notice {
  readonly realm: string;
  readonly clientId: string;
  /** Of the authorization server at which the sign-in to it began. */
  readonly issuer: string;
  readonly entryUuid: string;
  readonly sid: string;
  readonly tries: number;
  readonly dueMs: number;
}

/** Tells applications that somebody signed out, until they have heard it (OpenID Connect Back-Channel Logout 1.0). */
export interface Backchannel {
  /** Takes in that a session has ended: what is to be told is on disk before anything is sent. */
  ended(session: EndedSession): Promise<void>;
  /** Tells what is due. @returns what it did, for the job */
  send(): Promise<string>;
  /** Takes in what ended while nobody was there to hear of it. */
  catchUp(realms: readonly WebRealm[], isLive: (realm: string, entryUuid: string, sid: string) => Promise<boolean>): Promise<void>;
}

export interface BackchannelOptions {
  readonly state: Pick<State, 'kind'>;
  readonly kept: Pick<KeptTokens, 'setsOf' | 'changeSet'>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: Pick<Audit, 'record'>;
  readonly realmOf: (id: string) => Promise<WebRealm | undefined>;
  readonly applicationOf: (realm: WebRealm, clientId: string) => Promise<Application | undefined>;
  /** Signs by the realm's current key, as ID tokens are for the application. */
  readonly sign: (realm: WebRealm, application: Application, claims: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly post: (url: string, form: URLSearchParams) => Promise<number>;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

/** Notices of all realms wait in one line. */
const line = 'all';
const noticesMax = 100_000;
const sentAtOnce = 100;
const setsMax = 10_000;
const firstWaitMs = 5000;
const longestWaitMs = 3_600_000;
const idOctets = 16;
const eventName = 'http://schemas.openid.net/event/backchannel-logout';

export function openBackchannel(options: BackchannelOptions): Backchannel {
  const { state, kept, clock, chance, audit, realmOf, applicationOf, sign, post, settingsOf } = options;
  const notices = state.kind<Notice>({
    name: 'oauth-logout',
    parse: (value) => (typeof value === 'object' && value !== null && 'issuer' in value ? (value as Notice) : undefined),
    rowsMax: () => noticesMax,
  });
  const queue = async (realm: string, sets: readonly Kept<SetRecord>[]): Promise<void> => {
    const told = new Set<string>();
    for (const set of sets) {
      const { clientId, issuer, entryUuid, sid = '', tells } = set.value;
      if (tells !== true) continue;
      // Of two processes that hear of it one takes it on.
      if ((await kept.changeSet(set, { ...set.value, tells: false })) === undefined || told.has(`${clientId} ${issuer}`)) continue;
      told.add(`${clientId} ${issuer}`);
      const nowMs = clock.nowMs();
      const notice: Notice = { realm, clientId, issuer, entryUuid, sid, tries: 0, dueMs: nowMs };
      await notices.put(line, token(chance, idOctets), notice, nowMs + settingsOf(realm)['oauth.logoutKeepS'] * 1000, clientId);
    }
  };
  /** Undefined when it was heard; why not otherwise. */
  const tell = async ({ realm: id, clientId, issuer, entryUuid, sid }: Notice): Promise<string | undefined> => {
    const realm = await realmOf(id);
    const application = realm && (await applicationOf(realm, clientId));
    // Nobody is there to hear it any more.
    if (realm === undefined || application?.backchannelLogoutUri === undefined) return undefined;
    const nowS = Math.floor(clock.nowMs() / 1000);
    const logoutToken = await sign(realm, application, {
      ...{ iss: issuer, aud: clientId, iat: nowS, exp: nowS + 120, jti: token(chance, idOctets), sub: subOf(entryUuid) },
      ...(application.backchannelLogoutSession ? { sid } : {}),
      events: { [eventName]: {} },
    });
    const status = await post(application.backchannelLogoutUri, new URLSearchParams({ logout_token: logoutToken }));
    return status === 200 || status === 204 ? undefined : `it answered ${status}`;
  };
  const sendOne = async (notice: Kept<Notice>): Promise<boolean> => {
    const { tries, realm, clientId } = notice.value;
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** tries);
    // Taken on before it is sent: of two processes one sends it.
    const mine = await notices.replace(notice, { ...notice.value, tries: tries + 1, dueMs: clock.nowMs() + waitMs });
    if (mine === undefined) return false;
    const why = await tell(notice.value).catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : 'unknown'));
    if (why === undefined) await notices.remove(mine);
    const row = errors.logoutNotTaken;
    audit.record({
      realm,
      door: 'service',
      subject: clientId,
      action: 'logout.tell',
      ...(why === undefined ? { outcome: 'success' } : { outcome: 'failed', error: row }),
      summary: why === undefined ? 'an application was told that somebody signed out' : fillText(row.means, { why }),
      correlationId: '',
      address: '',
    });
    return why === undefined;
  };
  return {
    ended: async ({ realm, entryUuid, sid }) => {
      const sets = await kept.setsOf(realm, entryUuid, setsMax);
      await queue(
        realm,
        sets.filter(({ value }) => value.sid === sid),
      );
    },
    send: async () => {
      const due = (await notices.list(line, undefined, noticesMax)).filter(({ value }) => value.dueMs <= clock.nowMs());
      const done = await Promise.all(due.slice(0, sentAtOnce).map(sendOne));
      return `${done.filter((heard) => heard).length} of ${due.length} applications were told that somebody signed out`;
    },
    catchUp: async (realms, isLive) => {
      for (const { id } of realms) {
        const waiting = (await kept.setsOf(id, undefined, setsMax)).filter(({ value }) => value.tells === true);
        for (const set of waiting) if (!(await isLive(id, set.value.entryUuid, set.value.sid ?? ''))) await queue(id, [set]);
      }
    },
  };
}
