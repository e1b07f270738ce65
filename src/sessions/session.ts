/** One authentication of a session's person: when, how, through which door, from where. */
export interface AuthenticationEvent {
  readonly whenMs: number;
  /** Methods (RFC 8176): `pwd`, `hwk`, `otp`. */
  readonly amr: readonly string[];
  readonly acr: string;
  readonly door: string;
  /** The browser's address. */
  readonly address: string;
  /** By which mechanisms of the policy, the first factor first; absent where none of them is what it was. */
  readonly mechanisms?: readonly string[];
}

/** A session as its readers see it. */
export interface Session {
  readonly realm: string;
  /** `urn:uuid:<entryUUID>`; stays when the entry is renamed. Empty for somebody who did not sign in. */
  readonly subject: string;
  readonly entryUuid: string;
  /** Stable for the life of the session. */
  readonly sid: string;
  readonly authenticated: boolean;
  /** The oldest first; never empty. */
  readonly events: readonly AuthenticationEvent[];
  readonly createdMs: number;
  readonly lastUsedMs: number;
  /** When it ends whatever happens. */
  readonly endsAtMs: number;
}

/** Which sessions a page is of, and which page. */
interface SessionsAsked {
  readonly entryUuid?: string | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly behind?: number | undefined;
}

interface SessionPage {
  readonly sessions: readonly Session[];
  /** Where it ended, when there may be more. */
  readonly next?: number | undefined;
}

export interface SessionLists {
  /** The live sessions of a person, the one used last first, at most `limit`. */
  list(realm: string, entryUuid: string, limit: number): Promise<readonly Session[]>;
  /** Some of the live sessions of a person, or of a realm, of those who signed in and those who did not, the one used last first. */
  page(realm: string, asked: SessionsAsked): Promise<SessionPage>;
}

/** A session that is no more. */
export interface EndedSession {
  readonly realm: string;
  readonly entryUuid: string;
  readonly sid: string;
}

/** What of it is kept. The cookie's secret half is here as its SHA-256 alone. */
export interface SessionRecord extends Omit<Session, 'realm' | 'entryUuid' | 'endsAtMs'> {
  /** base64url. */
  readonly secretHash: string;
}

/** The subject of a session of somebody who did not sign in. */
export const nobody = '';

export const subjectPrefix = 'urn:uuid:';

export function subjectOf(entryUuid: string): string {
  return subjectPrefix + entryUuid.toLowerCase();
}

/** The session of a record. */
export function sessionOf(realm: string, record: SessionRecord, lifetimeS: number): Session {
  const { secretHash: _, ...rest } = record;
  return { ...rest, realm, entryUuid: record.subject.slice(subjectPrefix.length), endsAtMs: record.createdMs + lifetimeS * 1000 };
}

/** Reads back what was kept. */
export function parseSession(json: unknown): SessionRecord | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const record = json as Partial<SessionRecord>;
  const whole =
    typeof record.subject === 'string' &&
    (record.subject.startsWith(subjectPrefix) || (record.subject === nobody && record.authenticated === false)) &&
    typeof record.sid === 'string' &&
    typeof record.authenticated === 'boolean' &&
    typeof record.createdMs === 'number' &&
    typeof record.lastUsedMs === 'number' &&
    typeof record.secretHash === 'string' &&
    Array.isArray(record.events) &&
    record.events.length > 0;
  return whole ? (record as SessionRecord) : undefined;
}

/** A session's events with one more: the first is kept, for it began the session, and then the last ones. */
export function appendEvent(
  events: readonly AuthenticationEvent[],
  event: AuthenticationEvent,
  eventsMax: number,
): readonly AuthenticationEvent[] {
  const all = [...events, event];
  return all.length <= eventsMax ? all : [...all.slice(0, 1), ...all.slice(all.length - eventsMax + 1)];
}
