import { PassThrough } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { type AuditEvent, type AuditRow, type AuditSink, auditErrors, createAudit, createLog, type LogLevel, oneLine } from '#audit';
import { type ErrorRow, readSettings } from '#catalogue';
import { openAuditStore, storeSettings } from '#store';
import { observe } from '../support/observed.ts';

const clock = { nowMs: () => Date.UTC(2026, 10, 21, 2, 30) };
const row = { code: 'STS-LDAP-9999', means: 'for this test', sees: {}, state: 'reserved' } as const satisfies ErrorRow;
const event = {
  realm: 'default',
  door: 'ldap',
  subject: 'uid=ada,ou=people,dc=example,dc=com',
  action: 'ldap.bind',
  outcome: 'refused',
  error: row,
  summary: 'wrong password',
  correlationId: 'c1',
  address: '192.0.2.1',
} as const satisfies AuditEvent;

function openLog({ json = true, level = 'debug' as LogLevel } = {}) {
  const stream = new PassThrough({ encoding: 'utf8' });
  const log = createLog({ json, level, stream, clock });
  return {
    log,
    lines: async () => {
      await log.close();
      return String(stream.read() ?? '')
        .split('\n')
        .filter(Boolean);
    },
  };
}

/** The store's own table in memory, and how rows came to it. */
function openSink(): AuditSink & { readonly batches: (readonly AuditRow[])[]; close(): Promise<void> } {
  const batches: (readonly AuditRow[])[] = [];
  const { values } = readSettings(storeSettings, { environment: { STS_PERSISTENCE_MODE: 'memory' } });
  const store = openAuditStore({ file: '', settings: values });
  return {
    batches,
    append: (rows) => {
      batches.push(rows);
      return store.append(rows);
    },
    query: (filter) => store.query(filter),
    counts: (realm) => store.counts(realm),
    close: () => store.close(),
  };
}

test('an audit row has time, realm, door, subject, action, outcome, errorCode, correlation id, and a summary that begins with the code', async (t) => {
  const sink = openSink();
  const audit = createAudit({ sink, log: openLog().log, clock });
  audit.record(event);
  const { error: _, ...told } = event;
  t.deepEqual((await audit.query({ limit: 1 }))[0], {
    id: 1,
    ...told,
    timeMs: clock.nowMs(),
    errorCode: 'STS-LDAP-9999',
    summary: '[STS-LDAP-9999] wrong password',
  });
});

test('rows of one turn of the event loop reach the sink together', async (t) => {
  const sink = openSink();
  const audit = createAudit({ sink, log: openLog().log, clock });
  for (let i = 0; i < 5; i++) audit.record(event);
  t.is(sink.batches.length, 0);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(
    sink.batches.map((rows) => rows.length),
    [5],
  );
});

test('rows that wait are bounded even within one turn', (t) => {
  const sink = openSink();
  const audit = createAudit({ sink, log: openLog().log, clock });
  for (let i = 0; i < 2500; i++) audit.record(event);
  t.deepEqual(
    sink.batches.map((rows) => rows.length),
    [1000, 1000],
  );
  audit.close();
  t.is(sink.batches.flat().length, 2500);
  audit.record(event);
  t.is(sink.batches.flat().length, 2501);
});

test('who listens hears each row until they stop', (t) => {
  const audit = createAudit({ sink: openSink(), log: openLog().log, clock });
  const heard: string[] = [];
  const stop = audit.subscribe(({ summary }) => heard.push(summary));
  audit.record(event);
  stop();
  audit.record(event);
  t.deepEqual(heard, ['[STS-LDAP-9999] wrong password']);
});

test('the log puts the code in front of its words, as JSON and for people', async (t) => {
  for (const json of [true, false]) {
    const { log, lines } = openLog({ json });
    log.warn(row, 'wrong password', { door: 'ldap' });
    const [line = ''] = await lines();
    if (json) {
      t.deepEqual(JSON.parse(line), {
        time: '2026-11-21T02:30:00.000Z',
        level: 'warn',
        message: '[STS-LDAP-9999] wrong password',
        fields: { door: 'ldap' },
      });
    } else t.is(line, '2026-11-21T02:30:00.000Z warn  [STS-LDAP-9999] wrong password  door=ldap');
  }
});

test('lines below the level are left out', async (t) => {
  const { log, lines } = openLog({ level: 'warn' });
  log.debug('one');
  log.info('two');
  log.warn(row, 'three');
  log.error(row, 'four');
  t.is((await lines()).length, 2);
});

test('a failure is logged as an error, a refusal as a warning, a success as detail', async (t) => {
  const { log, lines } = openLog();
  const audit = createAudit({ sink: openSink(), log, clock });
  audit.record({ ...event, outcome: 'failed' });
  audit.record(event);
  const { error: _, ...succeeded } = event;
  audit.record({ ...succeeded, outcome: 'success', summary: 'bound' });
  t.deepEqual(
    (await lines()).map((line) => JSON.parse(line).level),
    ['error', 'warn', 'debug'],
  );
});

test('rows that cannot be written do not end the service, and the log says so', async (t) => {
  const { log, lines } = openLog();
  const sink = openSink();
  await sink.close();
  const audit = createAudit({ sink, log, clock });
  audit.record(event);
  audit.flush();
  await new Promise((resolve) => setImmediate(resolve));
  const text = (await lines()).join('\n');
  t.regex(text, new RegExp(`\\[${auditErrors.auditNotWritten.code}\\] 1 audit rows are lost: the thread of the audit has ended`));
  observe(auditErrors.auditNotWritten.code);
});

test('whatever a client sends, a row and a line of the log stay one line and keep their limits', async (t) => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\n', '\r\n[STS-LDAP-0001] forged', '\x1b[2J', '\u202e', '\u2028', '\ud800', 'x'.repeat(5000)),
  );
  const sink = openSink();
  await fc.assert(
    fc.asyncProperty(nasty, async (text) => {
      const { log, lines } = openLog({ json: false });
      const audit = createAudit({ sink, log, clock });
      audit.record({ ...event, subject: text, summary: text, address: text, correlationId: text, realm: text, door: text, action: text });
      t.is((await lines()).length, 1);
      for (const kept of Object.values((await audit.query({ limit: 1 }))[0] ?? {})) {
        t.notRegex(String(kept), /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202e]/u);
        t.true(String(kept).length < 20_000);
      }
    }),
    { numRuns: 100 },
  );
});

test('what is cut off is shown', (t) => {
  t.is(oneLine('x'.repeat(11), 10), `${'x'.repeat(10)}…`);
  t.is(oneLine('a\tb\x1b', 10), 'a\\u{9}b\\u{1b}');
});
