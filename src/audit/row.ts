import type { ErrorRow } from '#catalogue';

/** How it ended: done, refused as the rules say, or failed although the rules allowed it. */
export type Outcome = 'success' | 'refused' | 'failed';

/** What a room says of something that happened. Texts may come from a client: they are shortened and escaped before they are kept. */
export interface AuditEvent {
  readonly realm: string;
  /** By which door it came: `ldap`, `ldaps`, `operators`, `web`, `http`, `https`; `service` for what the service does by itself. */
  readonly door: string;
  /** Who acts, or who was named: a DN, a `urn:uuid:`; empty when nobody was. */
  readonly subject: string;
  /** What was done, `area.verb`: `ldap.bind`, `session.begin`. */
  readonly action: string;
  readonly outcome: Outcome;
  /** Why not. Every refusal and failure has one. */
  readonly error?: ErrorRow;
  /** One sentence for an operator, without secrets. The error's code is put in front of it. */
  readonly summary: string;
  /** The same for all that belongs to one request or connection. */
  readonly correlationId: string;
  /** The client's address as text; empty for the service itself. */
  readonly address: string;
}

/** What is kept of it. */
export interface AuditRow {
  /** Of a row that was read: ascends in the order in which they were written. */
  readonly id?: number;
  readonly timeMs: number;
  readonly realm: string;
  readonly door: string;
  readonly subject: string;
  readonly action: string;
  readonly outcome: Outcome;
  readonly errorCode: string | undefined;
  /** Begins with `[STS-…]` when there is a code. */
  readonly summary: string;
  readonly correlationId: string;
  readonly address: string;
}

/** Which rows are asked for: all that fit every given field, the newest first. */
export interface AuditFilter {
  /** A code, or the beginning of one: `STS-LDAP` asks for a whole area. */
  readonly codePrefix?: string;
  readonly realm?: string;
  readonly door?: string;
  readonly subject?: string;
  /** One of these subjects. */
  readonly subjects?: readonly string[];
  readonly action?: string;
  readonly outcome?: Outcome;
  readonly correlationId?: string;
  /** Inclusive bounds of the time. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The last row of the page before. */
  readonly behind?: { readonly timeMs: number; readonly id: number };
  /** At most this many rows. */
  readonly limit: number;
}

/** Where rows are kept. `store` gives one; it bounds how many it keeps. */
export interface AuditSink {
  /** Resolves when they are written. Calls are carried out in their order. */
  append(rows: readonly AuditRow[]): Promise<void>;
  query(filter: AuditFilter): Promise<readonly AuditRow[]>;
  /** How many rows carry each error code, of one realm or of all. */
  counts(realm?: string): Promise<ReadonlyMap<string, number>>;
}
