import { parentPort, workerData } from 'node:worker_threads';
import type { StoredAuditFilter, StoredAuditRow } from './audit.ts';
import { type AuditRows, openAuditRows } from './audit-rows.ts';

/** What the thread is asked for. */
export type AuditCall =
  | { readonly kind: 'append'; readonly rows: readonly StoredAuditRow[]; readonly rowsMax: number }
  | { readonly kind: 'query'; readonly filter: StoredAuditFilter }
  | { readonly kind: 'counts'; readonly realm?: string }
  | { readonly kind: 'close' };

export interface AuditAsked {
  readonly id: number;
  readonly call: AuditCall;
}

export interface AuditAnswer {
  readonly id: number;
  /** Of a query. */
  readonly rows?: StoredAuditRow[];
  /** Of a count: by code. */
  readonly counts?: readonly (readonly [code: string, count: number])[];
  /** What failed. */
  readonly why?: string;
}

// The thread that has the audit's file open. It does one thing behind the other, in the order in which it was asked.
if (parentPort !== null) {
  const port = parentPort;
  const kept = openAuditRows(String(workerData));
  port.on('message', ({ id, call }: AuditAsked) => port.postMessage(answer(kept, id, call)));
}

function answer(kept: AuditRows, id: number, call: AuditCall): AuditAnswer {
  try {
    switch (call.kind) {
      case 'append':
        kept.append(call.rows, call.rowsMax);
        return { id };
      case 'query':
        return { id, rows: kept.query(call.filter) };
      case 'counts':
        return { id, counts: kept.counts(call.realm) };
      case 'close':
        kept.close();
        return { id };
    }
  } catch (error) {
    return { id, why: error instanceof Error ? error.message : String(error) };
  }
}
