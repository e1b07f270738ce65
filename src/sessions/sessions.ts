import type { Audit } from '#audit';
import { type Chance, type Clock, token } from '#base';
import { type ErrorRow, refuse, type SettingValues } from '#catalogue';
import { constantTimeEqual, sha256 } from '#keys';
import { type Ending, endingOf, type Kept, type State } from '#state';
import { errors } from './errors.ts';
import { openParking, type Parking } from './parking.ts';
import {
  type AuthenticationEvent,
  appendEvent,
  type EndedSession,
  nobody,
  parseSession,
  type Session,
  type SessionLists,
  type SessionRecord,
  sessionOf,
  subjectOf,
  subjectPrefix,
} from './session.ts';
import type { settings as rows } from './settings.ts';
import { lastUses, type Use, waysOf } from './ways.ts';

/** Who a sign-in found, as the directory says it at this moment. */
export interface SignedIn {
  readonly entryUuid: string;
  /** `pwdAccountLockedTime` is set. */
  readonly disabled: boolean;
}

/** By which door and from where: for the audit rows. */
export interface Visit {
  readonly door: string;
  readonly address: string;
  readonly correlationId: string;
}

export interface Begun {
  readonly session: Session;
  /** For the cookie; known to the browser alone from here on. */
  readonly handle: string;
  /** `resumed`: the same person authenticated again. `replaced`: the browser's session was another person's and has ended. */
  readonly how: 'new' | 'resumed' | 'replaced';
}

/** Sessions and the requests that wait for one. Everything is looked up by (realm, token). */
export interface Sessions extends Parking, SessionLists {
  /**
   * Begins a session for someone who has just authenticated, or continues the browser's own when it is the same person's: its sid stays,
   * the event is appended, the handle changes.
   *
   * @param handles  what the browser's cookies of that name hold
   * @param person   `undefined` when the directory has no entry
   * @throws Refusal `noEntry` (STS-AUTHN-0180), `disabled` (STS-AUTHN-0201); both are in the audit trail by then
   */
  begin(
    realm: string,
    handles: readonly string[],
    person: SignedIn | undefined,
    event: Omit<AuthenticationEvent, 'whenMs' | 'address'>,
    visit: Visit,
  ): Promise<Begun>;
  /**
   * Begins a session of somebody who does not want to sign in: no methods, class `0`. Whoever may have one is not this room's business.
   *
   * @see specification document 1, "Session"
   */
  beginAnonymous(realm: string, handles: readonly string[], visit: Visit): Promise<Begun>;
  /** The live session of the first handle that has one, of somebody who signed in. Counts as a use of it. */
  find(realm: string, handles: readonly string[]): Promise<Session | undefined>;
  /** The same, or one of somebody who did not. */
  findAny(realm: string, handles: readonly string[]): Promise<Session | undefined>;
  /** Ends what the handles open. True when there was something. */
  end(realm: string, handles: readonly string[], visit: Visit): Promise<boolean>;
  /** The live session of a person with a sid; looking at it is no use of it. */
  bySid(realm: string, entryUuid: string, sid: string): Promise<Session | undefined>;
  /** Has something told of every session of somebody that has ended, however, in this process. */
  onEnd(listener: (ended: EndedSession) => void): void;
  /** Ends one session of a person, by its sid. False when there is none, or it is somebody else's. */
  endOne(realm: string, entryUuid: string, sid: string, visit: Visit): Promise<boolean>;
  /** When each mechanism last signed a person in, and from where: by its name, as far back as the audit trail goes. */
  uses(realm: string, entryUuid: string): Promise<ReadonlyMap<string, Use>>;
  /** Ends all sessions of a person, but for one if its sid is given, and says how many. */
  endAll(realm: string, entryUuid: string, visit: Visit, exceptSid?: string): Promise<number>;
  /** What ends with an account: all sessions of a person, and the sign-ins in which they have shown a factor. */
  readonly endings: readonly Ending[];
  /**
   * Ends the sessions of a whole realm and gives up the requests that wait in it, at most `limit` of each, and says how many there were.
   * When it says zero, nothing of the realm is left.
   */
  clear(realm: string, limit: number, visit: Visit): Promise<number>;
  /** Removes what has expired and says what it did: the job `sessions.sweep`. */
  sweep(): Promise<string>;
}

export interface SessionsOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: Audit;
  /** The settings in force in a realm. */
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

/** Octets of chance in a handle's secret half; in its other half and a sid. */
const secretOctets = 32;
const idOctets = 16;
/** Cookies of one name that a browser may send together; what lies beyond is not looked at. */
const handlesMax = 8;
const service: Visit = { door: 'service', address: '', correlationId: '' };

/** Opens the sessions on the shared state. */
export function openSessions({ state, clock, chance, audit, settingsOf }: SessionsOptions): Sessions {
  const { parkedKind, answeredKind, ...parking } = openParking({ state, clock, chance, settingsOf });
  const sessionKind = state.kind<SessionRecord>({
    name: 'session',
    parse: parseSession,
    rowsMax: (realm) => settingsOf(realm)['authn.maxSessions'],
    // Anybody may begin as many of these as they like: they push nobody out who signed in.
    firstToGo: nobody,
    gone: (kept, why) =>
      noteEnd(kept, why === 'expired' ? 'session ended: it expired' : 'session ended: the realm is at authn.maxSessions', service),
  });
  const listeners: ((ended: EndedSession) => void)[] = [];
  const noteEnd = ({ realm, value }: Kept<SessionRecord>, summary: string, visit: Visit) => {
    note(realm, value, 'session.end', summary, visit);
    const ended = { realm, entryUuid: value.subject.slice(subjectPrefix.length), sid: value.sid };
    if (value.subject !== nobody) for (const told of listeners) told(ended);
  };
  const note = (
    realm: string,
    { subject }: { readonly subject: string },
    action: string,
    summary: string,
    visit: Visit,
    error?: ErrorRow,
  ) => audit.record({ realm, subject, action, summary, ...visit, outcome: error ? 'refused' : 'success', ...(error ? { error } : {}) });
  const asSession = ({ realm, value }: Kept<SessionRecord>) => sessionOf(realm, value, settingsOf(realm)['authn.sessionLifetimeS']);

  // A row's own expiry was set under the settings of its last use; the ones of now may be shorter.
  const isLive = ({ realm, value }: Kept<SessionRecord>) => clock.nowMs() < endOf(value, settingsOf(realm));
  const live = async (realm: string, handle: string): Promise<Kept<SessionRecord> | undefined> => {
    const halves = parseHandle(handle);
    const kept = halves && (await sessionKind.get(realm, halves.id));
    if (!halves || !kept || !constantTimeEqual(Buffer.from(hashOf(halves.secret)), Buffer.from(kept.value.secretHash))) return undefined;
    return isLive(kept) ? kept : undefined;
  };
  const allLive = async (realm: string, handles: readonly string[]): Promise<readonly Kept<SessionRecord>[]> => {
    const found = new Map<string, Kept<SessionRecord>>();
    for (const handle of handles.slice(0, handlesMax)) {
      const kept = await live(realm, handle);
      if (kept !== undefined) found.set(kept.key, kept);
    }
    return [...found.values()];
  };
  const withSid = async (realm: string, entryUuid: string, sid: string) =>
    (await sessionKind.list(realm, subjectOf(entryUuid), settingsOf(realm)['authn.maxSessions'])).find(({ value }) => value.sid === sid);
  const page: Sessions['page'] = async (realm, { entryUuid, limit, behind }) => {
    const owner = entryUuid === undefined ? undefined : subjectOf(entryUuid);
    const { kept, next } = await sessionKind.page(realm, { owner, limit, behind, fits: isLive });
    return { sessions: kept.map(asSession), next };
  };
  const endKept = async (kept: Kept<SessionRecord>, summary: string, visit: Visit): Promise<boolean> => {
    const done = await sessionKind.remove(kept);
    if (done) noteEnd(kept, summary, visit);
    return done;
  };

  const continued = async (
    kept: Kept<SessionRecord>,
    handles: readonly string[],
    event: AuthenticationEvent,
  ): Promise<Begun | undefined> => {
    const settings = settingsOf(kept.realm);
    const secret = token(chance, secretOctets);
    const record: SessionRecord = {
      ...kept.value,
      authenticated: true,
      events: appendEvent(kept.value.events, event, settings['authn.sessionEventsMax']),
      lastUsedMs: event.whenMs,
      secretHash: hashOf(secret),
    };
    const next = await sessionKind.touch(kept, record, endOf(record, settings));
    const id = handles.map(parseHandle).find((halves) => halves !== undefined && hashOf(halves.secret) === kept.value.secretHash)?.id;
    return next === undefined || id === undefined ? undefined : { session: asSession(next), handle: `${id}.${secret}`, how: 'resumed' };
  };
  /** Continues the first of the handles' sessions that is the person's. A session that changes meanwhile is looked at again, so that no handle of before stays good. */
  const resume = async (
    realm: string,
    handles: readonly string[],
    subject: string,
    event: AuthenticationEvent,
    visit: Visit,
  ): Promise<Begun | undefined> => {
    for (;;) {
      const own = (await allLive(realm, handles)).find(({ value }) => value.subject === subject);
      if (own === undefined) return undefined;
      const begun = await continued(own, handles, event);
      if (begun === undefined) continue;
      note(realm, { subject }, 'session.resume', `the same person authenticated again${waysOf(event)}; the handle changed`, visit);
      return begun;
    }
  };
  /** Ends what the handles open of anybody else. True when there was something. */
  const endOthers = async (realm: string, handles: readonly string[], subject: string, visit: Visit): Promise<boolean> => {
    let ended = false;
    for (const other of await allLive(realm, handles)) {
      if (other.value.subject !== subject && (await endKept(other, 'session ended: another person signed in', visit))) ended = true;
    }
    return ended;
  };
  const started = async (realm: string, subject: string, event: AuthenticationEvent): Promise<{ session: Session; handle: string }> => {
    const settings = settingsOf(realm);
    const [id, secret] = [token(chance, idOctets), token(chance, secretOctets)];
    const record: SessionRecord = {
      subject,
      sid: token(chance, idOctets),
      authenticated: subject !== nobody,
      events: [event],
      createdMs: event.whenMs,
      lastUsedMs: event.whenMs,
      secretHash: hashOf(secret),
    };
    await sessionKind.put(realm, id, record, endOf(record, settings), subject);
    return { session: sessionOf(realm, record, settings['authn.sessionLifetimeS']), handle: `${id}.${secret}` };
  };
  const used = async (kept: Kept<SessionRecord> | undefined): Promise<Session | undefined> => {
    if (kept === undefined) return undefined;
    const settings = settingsOf(kept.realm);
    const nowMs = clock.nowMs();
    if (nowMs - kept.value.lastUsedMs < touchMs(settings)) return asSession(kept);
    const record = { ...kept.value, lastUsedMs: nowMs };
    return asSession((await sessionKind.touch(kept, record, endOf(record, settings))) ?? kept);
  };

  return {
    ...parking,

    begin: async (realm, handles, person, { amr, acr, door, mechanisms }, visit) => {
      const subject = person === undefined ? '' : subjectOf(person.entryUuid);
      const refused = person === undefined ? errors.noEntry : person.disabled ? errors.disabled : undefined;
      if (refused !== undefined) {
        note(realm, { subject }, 'session.begin', refused.means, visit, refused);
        throw refuse(refused);
      }
      const how = mechanisms === undefined ? {} : { mechanisms };
      const event: AuthenticationEvent = { whenMs: clock.nowMs(), amr, acr, door, address: visit.address, ...how };
      const ended = await endOthers(realm, handles, subject, visit);
      const resumed = await resume(realm, handles, subject, event, visit);
      if (resumed !== undefined) return resumed;
      const begun = await started(realm, subject, event);
      note(realm, { subject }, 'session.begin', `session began${waysOf(event)}`, visit);
      return { ...begun, how: ended ? 'replaced' : 'new' };
    },
    beginAnonymous: async (realm, handles, visit) => {
      const ended = await endOthers(realm, handles, nobody, visit);
      const event: AuthenticationEvent = { whenMs: clock.nowMs(), amr: [], acr: '0', door: 'web', address: visit.address };
      const begun = await started(realm, nobody, event);
      note(realm, { subject: nobody }, 'session.begin', 'session began of somebody who did not sign in', visit);
      return { ...begun, how: ended ? 'replaced' : 'new' };
    },

    find: async (realm, handles) => used((await allLive(realm, handles)).find(({ value }) => value.authenticated)),
    findAny: async (realm, handles) => {
      const all = await allLive(realm, handles);
      return used(all.find(({ value }) => value.authenticated) ?? all[0]);
    },
    end: async (realm, handles, visit) => {
      let ended = false;
      for (const kept of await allLive(realm, handles)) {
        if (await endKept(kept, 'session ended: the person signed out', visit)) ended = true;
      }
      return ended;
    },
    list: async (realm, entryUuid, limit) => (await page(realm, { entryUuid, limit })).sessions,
    page,
    bySid: async (realm, entryUuid, sid) => {
      const meant = await withSid(realm, entryUuid, sid);
      return meant && isLive(meant) ? asSession(meant) : undefined;
    },
    onEnd: (told) => void listeners.push(told),
    endOne: async (realm, entryUuid, sid, visit) => {
      const meant = await withSid(realm, entryUuid, sid);
      return meant !== undefined && endKept(meant, 'session ended from a session of its person', visit);
    },
    uses: (realm, entryUuid) => lastUses(audit, realm, subjectOf(entryUuid)),
    endAll: async (realm, entryUuid, visit, exceptSid) => {
      let ended = 0;
      for (const kept of await sessionKind.list(realm, subjectOf(entryUuid), settingsOf(realm)['authn.maxSessions'])) {
        if (
          kept.value.sid !== exceptSid &&
          (await endKept(
            kept,
            exceptSid === undefined ? 'session ended with all of its person' : 'session ended from another session of its person',
            visit,
          ))
        )
          ended++;
      }
      return ended;
    },
    endings: [
      endingOf({
        name: 'sessions',
        kind: sessionKind,
        prefix: subjectPrefix,
        ended: (kept) => noteEnd(kept, 'session ended: nobody may be here as this person any more', service),
      }),
      endingOf({ name: 'sign-ins under way', kind: parkedKind, prefix: subjectPrefix }),
      endingOf({ name: 'sign-ins just done', kind: answeredKind, prefix: subjectPrefix }),
    ],
    clear: async (realm, limit, visit) => {
      const ending = await sessionKind.list(realm, undefined, limit);
      for (const kept of ending) await endKept(kept, 'session ended: its realm is being removed', visit);
      const waiting = await parkedKind.list(realm, undefined, limit);
      for (const kept of waiting) await parkedKind.remove(kept);
      return ending.length + waiting.length;
    },
    sweep: async () => {
      const gone = await state.sweep();
      return `${gone.get('session') ?? 0} sessions ended, ${gone.get('parked') ?? 0} interrupted requests given up`;
    },
  };
}

/** A handle names its session by one half and proves itself by the other, which changes at every authentication. */
function parseHandle(handle: string): { readonly id: string; readonly secret: string } | undefined {
  const halves = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(handle);
  return halves?.[1] !== undefined && halves[2] !== undefined ? { id: halves[1], secret: halves[2] } : undefined;
}

function hashOf(secret: string): string {
  return Buffer.from(sha256(secret)).toString('base64url');
}

/** When a session ends unless it is used again before. */
function endOf(record: SessionRecord, settings: SettingValues<typeof rows>): number {
  const lifetimeEndMs = record.createdMs + settings['authn.sessionLifetimeS'] * 1000;
  const idleS = settings['authn.sessionIdleTimeoutS'];
  return idleS === 0 ? lifetimeEndMs : Math.min(lifetimeEndMs, record.lastUsedMs + idleS * 1000);
}

/** How old the kept last use may become. */
function touchMs(settings: SettingValues<typeof rows>): number {
  const exactS = settings['authn.sessionTouchS'];
  const idleS = settings['authn.sessionIdleTimeoutS'];
  return (idleS === 0 ? exactS : Math.min(exactS, idleS / 8)) * 1000;
}
