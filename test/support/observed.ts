import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the folder in which a run of the suite collects the codes it saw. Absent when a test file runs by itself. */
export const observedFolderEnv = 'ATRIUM_OBSERVED_FOLDER';

const seen = new Set<string>();

/**
 * Notes that a running service showed an error code, in an audit row or at the front of a line of its log.
 * The gate holds what was seen against the table: a live code that nobody saw fails the run, and so does one that is not in the table.
 */
export function observe(code: string | undefined): void {
  const folder = process.env[observedFolderEnv];
  if (code === undefined || folder === undefined || seen.has(code)) return;
  seen.add(code);
  // Test files run side by side; a line this short is appended whole.
  appendFileSync(join(folder, 'codes'), `${code}\n`);
}

/** The codes of answers that no handler classified: a running service that gives one lacks a code of its own there. */
const unclassified = /STS-HTTP-000[23]/;

/**
 * Notes an answer of a running service that was recorded under a fallback: whoever finds one at the end of the suite knows which place lacks a code.
 *
 * @param where  the row's summary, or a line of the log
 * @see specification document 2, "General rules" 5
 */
export function observeAnswer(where: string): void {
  const folder = process.env[observedFolderEnv];
  if (folder !== undefined && unclassified.test(where)) appendFileSync(join(folder, 'unclassified'), `${where.trim().slice(0, 400)}\n`);
}

/** Notes every code at the front of the lines of a log: `[STS-LDAP-9001] …`. */
export function observeLog(text: string): void {
  for (const [, code] of text.matchAll(/\[(STS-[A-Z0-9]+-\d{4})\]/g)) observe(code);
}
