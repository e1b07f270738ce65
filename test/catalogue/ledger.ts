// The ledger of error codes remembers what every code has ever meant. After adding codes: node test/catalogue/ledger.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorRows, errorTables } from '../../src/tables.ts';

const path = join(import.meta.dirname, 'codes.ledger');

/** What stands behind a code: the name of its row, `-` for one that no room has taken yet, and its state. */
export interface LedgerLine {
  readonly code: string;
  readonly name: string;
  readonly state: string;
}

export function readLedger(): LedgerLine[] {
  return parseLedger(readFileSync(path, 'utf8'));
}

function parseLedger(text: string): LedgerLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [code = '', name = '', state = ''] = line.split(' ');
      return { code, name, state };
    });
}

/** The table as the ledger would write it. */
export function ledgerOfTable(): LedgerLine[] {
  const names = new Map<string, string>();
  for (const [room, table] of Object.entries(errorTables))
    for (const [name, { code }] of Object.entries(table)) names.set(code, `${room}.${name}`);
  return errorRows.map(({ code, state }) => ({ code, name: names.get(code) ?? '-', state })).sort((a, b) => (a.code < b.code ? -1 : 1));
}

export interface LedgerComparison {
  /** What may never happen to a code. */
  readonly faults: readonly string[];
  /** The ledger as it should stand, when there are no faults. */
  readonly next: readonly LedgerLine[];
}

/**
 * Holds the table against what the ledger remembers. A code may be added, taken by a room, become live, or be retired; it may not disappear,
 * come back from retirement, or come to mean something else.
 */
export function compareLedger(ledger: readonly LedgerLine[], table: readonly LedgerLine[]): LedgerComparison {
  const now = new Map(table.map((line) => [line.code, line]));
  const faults = ledger.flatMap(({ code, name, state }) => {
    const line = now.get(code);
    if (line === undefined) return [`${code} (${name}) is gone; a code stays listed, as retired`];
    if (name !== '-' && line.name !== name) return [`${code} was ${name} and is now ${line.name}; a code is never used again`];
    return state === 'retired' && line.state !== 'retired' ? [`${code} was retired and is now ${line.state}`] : [];
  });
  return { faults, next: table };
}

const heading = '# Every error code there has ever been: code, row, state. Appended to by: node test/catalogue/ledger.ts\n';

if (import.meta.main) {
  const { faults, next } = compareLedger(parseLedger(readFileSync(path, { encoding: 'utf8', flag: 'a+' })), ledgerOfTable());
  if (faults.length === 0) writeFileSync(path, `${heading}${next.map(({ code, name, state }) => `${code} ${name} ${state}\n`).join('')}`);
  process.stdout.write(faults.length === 0 ? `${next.length} codes\n` : `${faults.join('\n')}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
