import { Worker } from 'node:worker_threads';
import type { SettingValues } from '#catalogue';
import { openAuditRows } from './audit-rows.ts';
import type { AuditAnswer, AuditAsked, AuditCall } from './audit-thread.ts';
import { placeOf } from './database.ts';
import type { settings as rows } from './settings.ts';

/** What is kept of an event. */
export interface StoredAuditRow {
  /** Of a row that was read. */
  readonly id?: number;
  readonly timeMs: number;
  readonly realm: string;
  readonly door: string;
  readonly subject: string;
  readonly action: string;
  readonly outcome: 'success' | 'refused' | 'failed';
  readonly errorCode: string | undefined;
  readonly summary: string;
  readonly correlationId: string;
  readonly address: string;
}

/** Which rows are asked for: all that fit every field given. */
export interface StoredAuditFilter {
  readonly codePrefix?: string;
  readonly realm?: string;
  readonly door?: string;
  readonly subject?: string;
  readonly subjects?: readonly string[];
  readonly action?: string;
  readonly outcome?: StoredAuditRow['outcome'];
  readonly correlationId?: string;
  /** Inclusive bounds. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The last row of the page before. */
  readonly behind?: { readonly timeMs: number; readonly id: number };
  readonly limit: number;
}

/** Keeps audit rows, as many as its bound says. A thread of its own writes them: they would take as long as a tenth of the writes that they tell of. */
export interface AuditStore {
  /**
   * Writes rows in one transaction, all or none, in the order of the calls. Nobody waits for them or for the disk: a process that is killed loses those of the
   * last moment, a loss of power some more.
   *
   * @throws Error  when they cannot be written
   */
  append(rows: readonly StoredAuditRow[]): Promise<void>;
  /** Rows that fit, the newest first; what was given to `append` before is among them. */
  query(filter: StoredAuditFilter): Promise<StoredAuditRow[]>;
  /** How many rows carry each error code, of one realm or of all. */
  counts(realm?: string): Promise<ReadonlyMap<string, number>>;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

export interface AuditStoreOptions {
  /** Not used in memory mode. */
  readonly file: string;
  readonly settings: SettingValues<typeof rows>;
}

/**
 * Opens the audit's file, or makes it. Its thread is started when there is first something to do.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 as `openStore`
 */
export function openAuditStore({ file, settings }: AuditStoreOptions): AuditStore {
  const place = placeOf(file, settings['persistence.mode']);
  // A file that cannot be used is refused here and now.
  openAuditRows(place.path).close();
  let thread: Thread | undefined;
  const ask = (call: AuditCall) => {
    thread ??= startThread(place.path, () => place.forget());
    return thread.ask(call);
  };
  // What has no name any more cannot be opened later.
  if (settings['persistence.mode'] === 'memory') ask({ kind: 'query', filter: { limit: 0 } }).catch(() => undefined);

  return {
    append: async (fresh) => void (await ask({ kind: 'append', rows: fresh, rowsMax: settings['persistence.auditRowsMax'] })),
    query: async (filter) => (await ask({ kind: 'query', filter })).rows ?? [],
    counts: async (realm) => new Map((await ask({ kind: 'counts', ...(realm === undefined ? {} : { realm }) })).counts),
    close: async () => {
      if (thread === undefined) return;
      // Of a thread that is gone there is nothing to wait for: what it did not do was told to whoever had asked.
      await thread.ask({ kind: 'close' }).catch(() => undefined);
      await thread.end();
    },
  };
}

interface Thread {
  /** @throws Error  what failed in the thread, or that it is gone */
  ask(call: AuditCall): Promise<AuditAnswer>;
  end(): Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: AuditAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** @param opened  called when it has opened the file */
function startThread(path: string, opened: () => void): Thread {
  const worker = new Worker(new URL('./audit-thread.ts', import.meta.url), { workerData: path });
  const waiting = new Map<number, Waiting>();
  let number = 0;
  let gone: Error | undefined;
  // At rest it keeps no process alive: whoever ends without closing the store has nothing to wait for.
  worker.unref();

  const end = (reason: Error) => {
    gone = reason;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  worker.once('message', opened);
  worker.on('message', (answer: AuditAnswer) => {
    const { id, why } = answer;
    const asked = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if (why === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(why));
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => end(gone ?? new Error('the thread of the audit has ended')));

  return {
    ask: (call) =>
      new Promise((resolve, reject) => {
        if (gone !== undefined) {
          reject(gone);
          return;
        }
        waiting.set(++number, { resolve, reject });
        worker.ref();
        worker.postMessage({ id: number, call } satisfies AuditAsked);
      }),
    end: async () => void (await worker.terminate()),
  };
}
