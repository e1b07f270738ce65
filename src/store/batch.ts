import type Database from 'better-sqlite3';
import { type Refusal, refuse } from '#catalogue';
import type { AttributeNumbers } from './attributes.ts';
import { errors } from './errors.ts';
import type { GramMerge } from './gram-merge.ts';
import type { LongCommits } from './long-commits.ts';
import type { Reader } from './reader.ts';
import { isDiskError, whyOf } from './reasons.ts';
import type { BulkResult, Change, Expectation, WatchedChange } from './types.ts';
import type { WriteAheadLog } from './wal.ts';
import type { Before, Writer } from './writer.ts';

/** A commit that was asked for. */
export interface Waiting {
  readonly expected: readonly Expectation[];
  readonly changes: readonly Change[];
  /** Gives way to others while it is written. */
  readonly bulk: boolean;
  readonly resolve: (result: BulkResult) => void;
  readonly reject: (reason: unknown) => void;
}

/** A batch that can be seen and is not known to be on disk. */
export interface Written {
  readonly batch: readonly Waiting[];
  readonly outcomes: readonly Outcome[];
  /** Of the newest commit that it holds or could see. */
  readonly number: number;
  /** Commit by commit. */
  readonly changes: readonly (readonly WatchedChange[])[];
}

export type Outcome = BulkResult | { readonly kind: 'refused'; readonly reason: unknown };

/** A commit as those who watch hear of it. */
export function recordsOf(number: number, changes: readonly Change[], before: Before): WatchedChange[] {
  return changes.map((change, part) => ({
    number,
    csn: change.kind === 'delete' ? change.csn : change.entry.csn,
    change,
    before: before[part],
  }));
}

/** What is answered when a commit fails by itself. */
export function refusedBy(error: unknown): Outcome {
  return { kind: 'refused', reason: isDiskError(error) ? refuse(errors.commitFailed, { why: whyOf(error) }) : error };
}

/** What commits rest on. */
export interface CommitsOptions {
  readonly database: Database.Database;
  readonly attributes: AttributeNumbers;
  readonly writer: Writer;
  readonly log: WriteAheadLog;
  readonly merge: GramMerge;
  readonly long: Pick<LongCommits, 'write'>;
  readonly limits: () => { readonly batchMax: number; readonly pendingMax: number; readonly commitsMax: number; readonly turnMax: number };
  /** It reads by the same connection. What it holds open is the newest state, since nobody else writes: a batch is written in that transaction. */
  readonly reader: Pick<Reader, 'release' | 'handOver'>;
  /** Called when a commit can be seen, before it is durable. */
  readonly committed: () => void;
  /** Called when what was written is taken back. */
  readonly undone: () => void;
  /** Called when all commits up to a number are on disk, before anyone is answered. */
  readonly durable: (number: number) => void;
  readonly fatal: (reason: Refusal) => void;
}
