import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorRow } from '#catalogue';

/** The codes that the test files noted in the folder of this run. */
export function readObserved(folder: string): Set<string> {
  const file = join(folder, 'codes');
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
}

/** Answers of running services that no handler classified. @see specification document 2, "General rules" 5 */
export function readUnclassified(folder: string): readonly string[] {
  const file = join(folder, 'unclassified');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return [...new Set(lines)].map((line) => `an answer has no code of its own: ${line}`);
}

/**
 * Holds what was seen against the table: a code is live exactly when a running service showed it.
 *
 * @param whole  false when only some test files ran: then a live code may well not have been seen
 * @returns what does not agree
 */
export function observedAgainstTable(seen: ReadonlySet<string>, rows: readonly ErrorRow[], whole = true): string[] {
  const byCode = new Map<string, ErrorRow>(rows.map((row) => [row.code, row]));
  const unknown = [...seen].filter((code) => !byCode.has(code)).map((code) => `${code} was seen and is in no table`);
  const notLive = [...seen]
    .filter((code) => (byCode.get(code)?.state ?? 'live') !== 'live')
    .map((code) => `${code} was seen, and its row says ${byCode.get(code)?.state}`);
  const unseen = rows
    .filter(({ code, state }) => state === 'live' && !seen.has(code))
    .map(({ code, means }) => `${code} is live and no test saw it: ${means}`);
  return [...unknown, ...notLive, ...(whole ? unseen : [])];
}
