import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { AuditRow } from '#audit';
import type { Clock } from '#base';
import type { Addresses } from '#commands';
import type { Timers } from '#jobs';
import { startAtrium } from '../../src/main.ts';
import { lendCertificate } from './certificate.ts';
import { observe, observeAnswer, observeLog } from './observed.ts';

/** A whole Atrium of a test: every part real, on ports of the system's choice, in a folder of its own. */
export interface TestAtrium extends AsyncDisposable {
  readonly addresses: Addresses;
  readonly suffix: string;
  readonly adminDn: string;
  readonly adminPassword: string;
  /** Where its data lies; the authority to trust is `tls/ca.pem` in it. */
  readonly dataDir: string;
  /** What was recorded so far. */
  readonly audit: readonly AuditRow[];
  /** Waits for a row that fits, the first behind the first `from`. A thread beside the main one tells of its own behind its answers: look for those so. */
  recorded(fits: (row: AuditRow) => boolean, from?: number): Promise<AuditRow>;
  /** The log so far, as text. */
  log(): string;
  stop(): Promise<void>;
}

export interface TestOptions {
  /** Environment names and values, over those of every test. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** A folder to start on; it then outlives this Atrium. */
  readonly dataDir?: string;
  /** Told of each row of the audit trail in the moment it is recorded. */
  readonly heard?: (row: AuditRow) => void;
}

const root = dirname(dirname(import.meta.dirname));
const adminPassword = 'Correct-horse-7-battery';

/** The environment of an Atrium for tests: product mode, ports of the system's choice, the cheapest hash that may be. */
export function testEnvironment(dataDir: string): Readonly<Record<string, string>> {
  return {
    STS_GLOBAL_DATA_DIR: dataDir,
    STS_KEYS_KEK: 'a key-encryption key of forty octets or so',
    STS_ADMIN_BOOTSTRAP_PASSWORD: adminPassword,
    STS_SECURITY_PASSWORD_HASH_LOG_N: '14',
    STS_SECURITY_PASSWORD_HASH_R: '1',
    STS_LDAP_HOST: 'localhost',
    STS_LDAP_PORT: '0',
    STS_LDAP_TLS_PORT: '0',
    STS_HTTP_HOST: 'localhost',
    STS_HTTP_PORT: '0',
    STS_HTTP_TLS_PORT: '0',
    STS_HTTP_BESIDE_PORT: '0',
    STS_HTTP_BESIDE_TLS_PORT: '0',
    // A process that is just loading what its first request needs, on a machine that does much else, may take seconds to answer itself.
    STS_CLIENT_CONNECT_TIMEOUT_MS: '20000',
    STS_LOG_FORMAT: 'json',
    STS_LOG_LEVEL: 'debug',
  };
}

/** Starts one. @throws Error with the lines for the operator when the start is refused */
export async function startTestAtrium({ settings = {}, clock, timers, dataDir, heard }: TestOptions = {}): Promise<TestAtrium> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'atrium-test-'));
  lendCertificate(folder);
  const rows: AuditRow[] = [];
  const waiting = new Set<() => void>();
  const logStream = new PassThrough();
  let log = '';
  logStream.on('data', (chunk: Buffer) => {
    log += chunk.toString();
    observeLog(chunk.toString());
  });
  const started = await startAtrium({
    root,
    environment: { ...testEnvironment(folder), ...settings },
    logStream,
    ...(clock === undefined ? {} : { clock }),
    ...(timers === undefined ? {} : { timers }),
    heard: (audit) =>
      audit.subscribe((row) => {
        rows.push(row);
        observe(row.errorCode);
        observeAnswer(row.summary);
        heard?.(row);
        for (const look of waiting) look();
      }),
  });
  const forget = () => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  };
  if (started.kind === 'refused') {
    forget();
    for (const line of started.lines) observeLog(line);
    throw new Error(started.lines.join('\n'));
  }
  const { service } = started;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.stop();
    return stopped;
  };
  return {
    addresses: service.addresses,
    suffix: service.suffix,
    adminDn: `uid=admin,ou=people,${service.suffix}`,
    adminPassword,
    dataDir: folder,
    audit: rows,
    recorded: (fits, from = 0) =>
      new Promise((resolve) => {
        const look = () => {
          const found = rows.slice(from).find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    log: () => log,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      forget();
    },
  };
}
