import type { Log } from '#audit';
import type { Clock } from '#base';
import { Refusal } from '#catalogue';
import { errors } from './errors.ts';

/** Tells the log what keeps the web layer from the directory. Who asked learns that it cannot be answered; why is for operators alone. */
export type Report = (thrown: unknown) => void;

/** One line a second for each code: a directory that is gone or full of work refuses thousands of requests. */
const quietMs = 1000;

export function createReport(log: Pick<Log, 'warn'> | undefined, clock: Clock): Report {
  const toldMs = new Map<string, number>();
  return (thrown) => {
    if (log === undefined || !(thrown instanceof Refusal) || !rows.has(thrown.row)) return;
    const { row, detail } = thrown;
    const nowMs = clock.nowMs();
    // Either way, since a clock may be set back.
    if (Math.abs(nowMs - (toldMs.get(row.code) ?? Number.NEGATIVE_INFINITY)) < quietMs) return;
    toldMs.set(row.code, nowMs);
    log.warn(
      row,
      row.means.replace(/\{(\w+)\}/g, (_, name: string) => String(detail[name])),
    );
  };
}

const rows: ReadonlySet<unknown> = new Set(Object.values(errors));
