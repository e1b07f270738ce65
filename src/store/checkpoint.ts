import type Database from 'better-sqlite3';

/** What a pass over the write-ahead log did: how many frames the log has, and how many of them stand in the database. */
export interface Pass {
  readonly frames: number;
  readonly carried: number;
}

export type PassAnswer = { readonly kind: 'passed'; readonly pass: Pass } | { readonly kind: 'failed'; readonly code: string };

/** What the thread is asked for, one at a time. It answers `close` with nothing. */
export type Asked = 'pass' | 'close';

type Row = [busy: number, frames: number, carried: number];

/** One pass by a connection: all that nobody still reads in its older form. The connection must not be within a transaction. */
export function checkpointOf(database: Database.Database): () => Pass {
  const statement = database.prepare<[], Row>('PRAGMA wal_checkpoint(PASSIVE)').raw();
  return () => {
    const [, frames, carried] = statement.get() ?? [0, 0, 0];
    return { frames, carried };
  };
}
