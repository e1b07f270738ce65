import type { SettingValues } from '#catalogue';
import { startCheckpointer } from './checkpointer.ts';
import { type Format, openDatabase, placeOf } from './database.ts';
import type { settings as rows } from './settings.ts';

/** What is kept of an event. */
export interface StoredAuditRow {
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
  readonly action?: string;
  readonly outcome?: StoredAuditRow['outcome'];
  readonly correlationId?: string;
  /** Inclusive bounds. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly limit: number;
}

/** Keeps audit rows, as many as its bound says. */
export interface AuditStore {
  /**
   * Writes rows in one transaction, all or none. It waits for no disk: a killed process loses none of them, a loss of power those of the last moments.
   *
   * @throws SqliteError  when they cannot be written
   */
  append(rows: readonly StoredAuditRow[]): void;
  /** Rows that fit, the newest first. */
  query(filter: StoredAuditFilter): StoredAuditRow[];
  close(): Promise<void>;
}

export interface AuditStoreOptions {
  /** Not used in memory mode. */
  readonly file: string;
  readonly settings: SettingValues<typeof rows>;
}

/** The file, as who examines it must know it. */
export const auditFormat: Format = {
  applicationId: 0x41747241, // "AtrA"
  version: 1,
  migrations: [],
  tables: `
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT, time_ms INTEGER NOT NULL, realm TEXT NOT NULL, door TEXT NOT NULL, subject TEXT NOT NULL,
      action TEXT NOT NULL, outcome TEXT NOT NULL, error_code TEXT, summary TEXT NOT NULL, correlation_id TEXT NOT NULL, address TEXT NOT NULL
    );
    CREATE INDEX audit_time ON audit (time_ms);
    CREATE INDEX audit_code ON audit (error_code, time_ms) WHERE error_code IS NOT NULL;
    CREATE INDEX audit_subject ON audit (subject, time_ms);
    CREATE INDEX audit_correlation ON audit (correlation_id, time_ms);
  `,
};

/** Rows after which the log is carried over into the file: some 4 MiB. */
const rowsOfPass = 5000;

/** How long a call waits for another process. */
const busyMs = 1000;

type Columns = [
  timeMs: number,
  realm: string,
  door: string,
  subject: string,
  action: string,
  outcome: string,
  errorCode: string | null,
  summary: string,
  correlationId: string,
  address: string,
];

type Row = Omit<StoredAuditRow, 'errorCode'> & { readonly errorCode: string | null };

/**
 * Opens the audit's file, or makes it.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 as `openStore`
 */
export function openAuditStore({ file, settings }: AuditStoreOptions): AuditStore {
  const place = placeOf(file, settings['persistence.mode']);
  const database = openDatabase(place.path, auditFormat, busyMs);
  const insert = database.prepare<Columns>(
    `INSERT INTO audit (time_ms, realm, door, subject, action, outcome, error_code, summary, correlation_id, address)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = database.prepare<[number]>('DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?');
  // SQLite would carry its log over within a write, and wait for the disk in the thread that serves.
  const onDisk = settings['persistence.mode'] === 'sqlite';
  if (onDisk) database.pragma('wal_autocheckpoint = 0');
  const checkpointer = onDisk ? startCheckpointer(place.path) : undefined;
  let uncarried = 0;
  let passing: Promise<void> | undefined;
  const carryOver = (rows: number) => {
    uncarried += rows;
    if (checkpointer === undefined || passing !== undefined || uncarried < rowsOfPass) return;
    uncarried = 0;
    // What could not be carried over stays in the log, and is tried again after as many rows.
    const passed = () => {
      passing = undefined;
    };
    passing = checkpointer.pass().then(passed, passed);
  };
  place.forget();

  const append = database.transaction((fresh: readonly StoredAuditRow[]) => {
    for (const row of fresh) insert.run(...columnsOf(row));
    trim.run(settings['persistence.auditRowsMax']);
  });

  return {
    append: (fresh) => {
      append.immediate(fresh);
      carryOver(fresh.length);
    },
    query: (filter) => {
      const { where, values } = conditionsOf(filter);
      return database
        .prepare<unknown[], Row>(
          `SELECT time_ms AS timeMs, realm, door, subject, action, outcome, error_code AS errorCode, summary, correlation_id AS correlationId, address
           FROM audit ${where} ORDER BY time_ms DESC, id DESC LIMIT ?`,
        )
        .all(...values, filter.limit)
        .map((row) => ({ ...row, errorCode: row.errorCode ?? undefined }));
    },
    close: async () => {
      await passing;
      await checkpointer?.close();
      database.close();
    },
  };
}

/** By place, not by name: a write is answered by the thread that also does this. */
function columnsOf(row: StoredAuditRow): Columns {
  const { timeMs, realm, door, subject, action, outcome, errorCode, summary, correlationId, address } = row;
  return [timeMs, realm, door, subject, action, outcome, errorCode ?? null, summary, correlationId, address];
}

/** The conditions that are asked for. Only texts of this file reach SQL; what a client gave is bound. */
function conditionsOf(filter: StoredAuditFilter): { where: string; values: (string | number)[] } {
  const asked: readonly (readonly [condition: string, value: string | number | undefined])[] = [
    ['realm = ?', filter.realm],
    ['door = ?', filter.door],
    ['subject = ?', filter.subject],
    ['action = ?', filter.action],
    ['outcome = ?', filter.outcome],
    ['correlation_id = ?', filter.correlationId],
    ['error_code >= ?', filter.codePrefix],
    ['error_code < ?', filter.codePrefix === undefined ? undefined : `${filter.codePrefix}\u{10FFFF}`],
    ['time_ms >= ?', filter.fromMs],
    ['time_ms <= ?', filter.toMs],
  ];
  const given = asked.filter((row): row is [string, string | number] => row[1] !== undefined);
  const where = given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`;
  return { where, values: given.map(([, value]) => value) };
}
