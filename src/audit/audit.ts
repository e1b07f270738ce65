import type { Clock } from '#base';
import { errors } from './errors.ts';
import { oneLine } from './escape.ts';
import type { Log } from './log.ts';
import type { AuditEvent, AuditFilter, AuditRow, AuditSink } from './row.ts';

/** What happened in the service, for operators: each row kept, told to the log, and told to those who listen. */
export interface Audit {
  record(event: AuditEvent): void;
  /** Rows that fit, the newest first; what was recorded before the call is among them. */
  query(filter: AuditFilter): Promise<readonly AuditRow[]>;
  /** How many rows carry each error code, of one realm or of all; what was recorded before the call is among them. */
  counts(realm?: string): Promise<ReadonlyMap<string, number>>;
  /** Called with each row as it is recorded. Returns the way to stop it. */
  subscribe(listener: (row: AuditRow) => void): () => void;
  /** Hands what is waiting to the sink. */
  flush(): void;
  /** Flushes; what is recorded afterwards goes to the sink at once. */
  close(): void;
}

export interface AuditOptions {
  readonly sink: AuditSink;
  readonly log: Log;
  readonly clock: Clock;
  /** Characters kept of each text. */
  readonly lengthMax?: number;
}

const lengthMaxStanding = 1024;
/** Rows that wait at most for the end of the turn of the event loop. */
const waitingMax = 1000;

/** Where there is much to record, rows of so many milliseconds reach the sink together: a transaction for a few rows costs as much as for many. */
const gatherMs = 50;

/** Opens the audit trail. Rows recorded in one turn of the event loop reach the sink together, and at its end unless others did so just before. */
export function createAudit({ sink, log, clock, lengthMax = lengthMaxStanding }: AuditOptions): Audit {
  const listeners = new Set<(row: AuditRow) => void>();
  let waiting: AuditRow[] = [];
  let due = false;
  let flushedMs = Number.NEGATIVE_INFINITY;
  let closed = false;

  const flush = () => {
    due = false;
    if (waiting.length === 0) return;
    const rows = waiting;
    waiting = [];
    flushedMs = clock.nowMs();
    sink.append(rows).catch((error: unknown) => {
      // The service goes on: what was refused or done has been answered already. The rows' own lines stand in the log.
      log.error(errors.auditNotWritten, `${rows.length} audit rows are lost: ${error instanceof Error ? error.message : 'unknown error'}`);
    });
  };

  const record = (event: AuditEvent) => {
    const row = rowOf(event, clock.nowMs(), lengthMax);
    waiting.push(row);
    tell(log, event, row);
    for (const listener of listeners) listener(row);
    if (closed || waiting.length >= waitingMax) flush();
    else if (!due) {
      due = true;
      if (row.timeMs - flushedMs >= gatherMs) setImmediate(flush);
      else setTimeout(flush, gatherMs);
    }
  };

  return {
    record,
    query: (filter) => {
      flush();
      return sink.query(filter);
    },
    counts: (realm) => {
      flush();
      return sink.counts(realm);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    flush,
    close: () => {
      closed = true;
      flush();
    },
  };
}

function rowOf(event: AuditEvent, timeMs: number, lengthMax: number): AuditRow {
  const said = oneLine(event.summary, lengthMax);
  return {
    timeMs,
    realm: oneLine(event.realm, lengthMax),
    door: oneLine(event.door, lengthMax),
    subject: oneLine(event.subject, lengthMax),
    action: oneLine(event.action, lengthMax),
    outcome: event.outcome,
    errorCode: event.error?.code,
    summary: event.error === undefined ? said : `[${event.error.code}] ${said}`,
    correlationId: oneLine(event.correlationId, lengthMax),
    address: oneLine(event.address, lengthMax),
  };
}

/** A failure is the operator's to mend and warns; a refusal is the service at work; a success is detail. */
function tell(log: Log, event: AuditEvent, row: AuditRow): void {
  const fields = { action: row.action, door: row.door, subject: row.subject, address: row.address, correlationId: row.correlationId };
  if (event.error === undefined) log.debug(event.summary, fields);
  else if (event.outcome === 'failed') log.error(event.error, event.summary, fields);
  else log.warn(event.error, event.summary, fields);
}
