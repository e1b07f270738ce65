import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type Area, areas, type ErrorRow, listedErrors, listedRanges } from '#catalogue';
import { errorRows, errorTables } from '../../src/tables.ts';
import { observedAgainstTable, readUnclassified } from '../gate/codes.ts';
import { observeAnswer, observedFolderEnv } from '../support/observed.ts';
import { compareLedger, ledgerOfTable, readLedger } from './ledger.ts';

const ownFirst = 9000;

function partsOf(code: string): { readonly area: Area; readonly number: number } | undefined {
  const [, area = '', number = ''] = /^STS-([A-Z0-9]+)-(\d{4})$/.exec(code) ?? [];
  return area in areas ? { area: area as Area, number: Number(number) } : undefined;
}

test('there are 41 areas', (t) => {
  t.is(Object.keys(areas).length, 41);
});

test('every code is well formed and of a known area', (t) => {
  t.true(errorRows.length > 0);
  for (const { code } of errorRows) t.truthy(partsOf(code), code);
  for (const { area, first, last } of listedRanges) {
    t.true(area in areas, area);
    t.true(first < last && last < ownFirst, `${area} ${first}`);
  }
});

test('no two rows have the same code, in whatever room they are', (t) => {
  const codes = errorRows.map(({ code }) => code);
  t.deepEqual(
    codes.filter((code, at) => codes.indexOf(code) !== at),
    [],
  );
});

test('no two ranges overlap', (t) => {
  for (const a of listedRanges) {
    for (const b of listedRanges)
      t.false(a !== b && a.area === b.area && a.first <= b.last && b.first <= a.last, `${a.area} ${a.first} and ${b.first}`);
  }
});

/** Rows whose number is not ours and that the specification does not list. */
function strangers(rows: readonly ErrorRow[]): string[] {
  return rows
    .filter(({ code }) => {
      const { area, number } = partsOf(code) ?? { area: undefined, number: 0 };
      const inRange = listedRanges.some((range) => range.area === area && range.first <= number && number <= range.last);
      return number < ownFirst && !inRange && !listedErrors.some((listed) => listed.code === code);
    })
    .map(({ code }) => code);
}

test('our own codes begin at 9000 in each area', (t) => {
  const rooms = Object.values(errorTables).flatMap((table) => Object.values(table));
  t.deepEqual(strangers(rooms), []);
  t.deepEqual(strangers([{ code: 'STS-LDAP-0042', means: 'planted', sees: {}, state: 'reserved' }]), ['STS-LDAP-0042']);
});

test('a door shows a status of its protocol, and a live row says what it means', (t) => {
  for (const { code, means, sees } of errorRows) {
    t.true(means.length > 0, code);
    t.true(sees.http === undefined || (sees.http >= 200 && sees.http <= 599), code);
    t.true(sees.ldap === undefined || (sees.ldap > 0 && sees.ldap <= 4096), code);
  }
});

test('a code is never renumbered, reused or removed: the ledger remembers (node test/catalogue/ledger.ts appends)', (t) => {
  const { faults, next } = compareLedger(readLedger(), ledgerOfTable());
  t.deepEqual(faults, []);
  const written = new Set(readLedger().map(({ code, name, state }) => `${code} ${name} ${state}`));
  t.deepEqual(
    next.filter(({ code, name, state }) => !written.has(`${code} ${name} ${state}`)),
    [],
    'the ledger is behind the table: node test/catalogue/ledger.ts',
  );
});

test('the ledger catches a code that is reused, removed or brought back', (t) => {
  const ledger = [
    { code: 'STS-LDAP-9001', name: 'directory.old', state: 'live' },
    { code: 'STS-LDAP-9002', name: '-', state: 'reserved' },
    { code: 'STS-LDAP-9003', name: '-', state: 'retired' },
  ];
  const at = (index: number, change: object) => ledger.map((line, i) => (i === index ? { ...line, ...change } : line));
  t.is(compareLedger(ledger, ledger).faults.length, 0);
  t.is(compareLedger(ledger, at(0, { name: 'directory.other' })).faults.length, 1);
  t.is(compareLedger(ledger, ledger.slice(1)).faults.length, 1);
  t.is(compareLedger(ledger, at(2, { state: 'live' })).faults.length, 1);
  t.is(compareLedger(ledger, at(1, { name: 'directory.taken', state: 'live' })).faults.length, 0);
});

test('a code is live exactly when a running service showed it', (t) => {
  const row = (state: ErrorRow['state']): ErrorRow => ({ code: 'STS-LDAP-9001', means: 'planted', sees: {}, state });
  const seen = new Set(['STS-LDAP-9001']);
  t.is(observedAgainstTable(seen, [row('live')]).length, 0);
  t.is(observedAgainstTable(new Set(), [row('live')]).length, 1);
  t.is(observedAgainstTable(new Set(), [row('live')], false).length, 0);
  t.is(observedAgainstTable(seen, [row('reserved')]).length, 1);
  t.is(observedAgainstTable(seen, [row('retired')]).length, 1);
  t.is(observedAgainstTable(seen, []).length, 1);
  t.is(observedAgainstTable(new Set(), [row('reserved'), row('retired')]).length, 0);
});

test('an answer that no handler classified fails the suite, with where it was given', (t) => {
  const [folder, before] = [mkdtempSync(join(tmpdir(), 'atrium-observed-')), process.env[observedFolderEnv]];
  process.env[observedFolderEnv] = folder;
  try {
    observeAnswer('[STS-LDAP-9001] ldap.bind: something with a code');
    t.deepEqual(readUnclassified(folder), []);
    for (let times = 0; times < 2; times++) observeAnswer('[STS-HTTP-0002] GET /somewhere: planted');
    t.deepEqual(readUnclassified(folder), ['an answer has no code of its own: [STS-HTTP-0002] GET /somewhere: planted']);
  } finally {
    if (before === undefined) delete process.env[observedFolderEnv];
    else process.env[observedFolderEnv] = before;
    rmSync(folder, { recursive: true });
  }
});
