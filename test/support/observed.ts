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

/** Notes every code at the front of the lines of a log: `[STS-LDAP-9001] …`. */
export function observeLog(text: string): void {
  for (const [, code] of text.matchAll(/\[(STS-[A-Z0-9]+-\d{4})\]/g)) observe(code);
}
