import type { StoredAuditFilter, StoredAuditRow } from './audit.ts';
import { checkpointOf } from './checkpoint.ts';
import { type Format, openDatabase, smallPageOctets } from './database.ts';
import { isDiskError } from './reasons.ts';

/** The file, as who examines it must know it. */
export const auditFormat: Format = {
  applicationId: 0x41747241, // "AtrA"
  version: 1,
  pageOctets: smallPageOctets,
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

/** How long a call waits for another process. */
const busyMs = 1000;
/** Rows after which the log is carried over into the file: some 4 MiB. */
const rowsOfPass = 5000;

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

/** The audit's file in the thread that has it open. */
export interface AuditRows {
  /** Writes rows in one transaction, all or none, and forgets the oldest beyond `rowsMax`. @throws SqliteError */
  append(rows: readonly StoredAuditRow[], rowsMax: number): void;
  query(filter: StoredAuditFilter): StoredAuditRow[];
  /** How many rows carry each error code, of one realm or of all. */
  counts(realm: string | undefined): (readonly [code: string, count: number])[];
  close(): void;
}

/**
 * Opens the audit's file, or makes it.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 as `openStore`
 */
export function openAuditRows(path: string): AuditRows {
  const database = openDatabase(path, auditFormat, busyMs);
  database.pragma('wal_autocheckpoint = 0');
  const insert = database.prepare<Columns>(
    `INSERT INTO audit (time_ms, realm, door, subject, action, outcome, error_code, summary, correlation_id, address)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = database.prepare<[number]>('DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?');
  const append = database.transaction((fresh: readonly StoredAuditRow[], rowsMax: number) => {
    for (const row of fresh) insert.run(...columnsOf(row));
    trim.run(rowsMax);
  });
  const carryOver = checkpointOf(database);
  let uncarried = 0;

  return {
    append(fresh, rowsMax) {
      append.immediate(fresh, rowsMax);
      uncarried += fresh.length;
      if (uncarried < rowsOfPass) return;
      uncarried = 0;
      try {
        carryOver();
      } catch (error) {
        // What could not be carried over stays in the log, and is tried again after as many rows.
        if (!isDiskError(error)) throw error;
      }
    },
    query: (filter) => {
      const { where, values } = conditionsOf(filter);
      return database
        .prepare<unknown[], Row>(
          `SELECT id, time_ms AS timeMs, realm, door, subject, action, outcome, error_code AS errorCode, summary, correlation_id AS correlationId, address
           FROM audit ${where} ORDER BY time_ms DESC, id DESC LIMIT ?`,
        )
        .all(...values, filter.limit)
        .map((row) => ({ ...row, errorCode: row.errorCode ?? undefined }));
    },
    counts: (realm) =>
      database
        .prepare<unknown[], { readonly code: string; readonly count: number }>(
          `SELECT error_code AS code, count(*) AS count FROM audit WHERE error_code IS NOT NULL ${realm === undefined ? '' : 'AND realm = ?'} GROUP BY error_code`,
        )
        .all(...(realm === undefined ? [] : [realm]))
        .map(({ code, count }) => [code, count] as const),
    close: () => void database.close(),
  };
}

/** By place, not by name: these are the largest part of what the thread does. */
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
  const { subjects, behind } = filter;
  const conditions = [
    ...given.map(([condition]) => condition),
    ...(subjects === undefined ? [] : [`subject IN (${subjects.map(() => '?').join(', ')})`]),
    ...(behind === undefined ? [] : ['(time_ms, id) < (?, ?)']),
  ];
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const more = [...(subjects ?? []), ...(behind === undefined ? [] : [behind.timeMs, behind.id])];
  return { where, values: [...given.map(([, value]) => value), ...more] };
}
