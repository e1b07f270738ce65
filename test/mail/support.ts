import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { AuditEvent } from '#audit';
import { systemChance, utf8 } from '#base';
import type { ErrorRow, SettingValues } from '#catalogue';
import { systemTimers, type Timers } from '#jobs';
import { sealingKey } from '#keys';
import { type GivenText, type Letter, type Mail, mailSettings, openMail, parseMailAddress } from '#mail';
import { openState } from '#state';
import { openStateStore, storeSettings } from '#store';
import { observe, observeLog } from '../support/observed.ts';
import type { TestSmtp } from '../support/smtp.ts';

type Values = SettingValues<typeof mailSettings>;
const standing = Object.fromEntries(Object.entries(mailSettings).map(([name, row]) => [name, row.default])) as unknown as Values;
const stateStanding = Object.fromEntries(
  Object.entries(storeSettings).map(([name, row]) => [name, row.default]),
) as unknown as SettingValues<typeof storeSettings>;

/** Mail of a test: a real queue and a real sender, with a clock that is moved by hand. */
export interface TestMail {
  readonly mail: Mail;
  readonly events: AuditEvent[];
  readonly warnings: string[];
  readonly file: string;
  readonly dataDir: string;
  /** Sends a code to somebody of a realm. */
  send(more?: Partial<Omit<Letter, 'to'>> & { readonly to?: string | undefined }): Promise<boolean>;
  pass(ms: number): void;
  /** Another process on the same state: a connection, a queue and a sender of its own. */
  beside(): TestMail;
  close(): Promise<void>;
}

export interface MailTestOptions {
  readonly settings?: Partial<Values>;
  /** What a realm sets of its own, by its id. */
  readonly realms?: Readonly<Record<string, Partial<Values>>>;
  readonly kek?: string;
  readonly previousKek?: string;
  readonly dataDir?: string;
  readonly timers?: Timers;
  /** Words in the place of ours, of every realm. */
  readonly text?: GivenText;
}

export const settingsFor = ({ port, caFile }: TestSmtp, more: Partial<Values> = {}): Partial<Values> => ({
  'mail.smtpHost': 'localhost',
  'mail.smtpPort': port,
  'mail.smtpCaFile': caFile,
  ...more,
});

/** Opens the mail room on a state of its own, or on that of a folder. */
export function openTestMail(t: ExecutionContext, options: MailTestOptions = {}, clock = { ms: 1_800_000_000_000 }): TestMail {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'atrium-mail-'));
  if (options.dataDir === undefined) t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  const file = join(dataDir, 'state.sqlite');
  const nowMs = () => clock.ms;
  const store = openStateStore({ file, settings: stateStanding, clock: { nowMs }, epoch: 1 });
  const service: Values = { ...standing, ...options.settings };
  const settingsOf = (realm: string): Values => ({ ...service, ...options.realms?.[realm] });
  const events: AuditEvent[] = [];
  const warnings: string[] = [];
  const kek = options.kek ?? 'a key-encryption key of forty octets or so';
  const mail = openMail({
    state: openState({ store, clock: { nowMs } }),
    clock: { nowMs },
    chance: systemChance,
    timers: options.timers ?? systemTimers,
    audit: {
      record: (event) => {
        events.push(event);
        observe(event.error?.code);
      },
    },
    log: {
      warn: (row: ErrorRow, words: string) => {
        warnings.push(`[${row.code}] ${words}`);
        observeLog(`[${row.code}]`);
      },
    },
    dataDir,
    service,
    settingsOf,
    realmNow: async (realm) =>
      realm === 'gone' ? undefined : { suffix: 'dc=example,dc=com', settings: settingsOf(realm), textOf: async () => options.text },
    keys: [kek, options.previousKek ?? ''].filter((key) => key !== '').map((key) => sealingKey(utf8(key), 'mail that waits')),
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      await mail[Symbol.asyncDispose]();
      store.close();
    })();
    return closed;
  };
  t.teardown(close);
  return {
    mail,
    events,
    warnings,
    file,
    dataDir,
    send: ({ to = 'ada@example.org', ...more } = {}) =>
      mail.send({
        realm: 'default',
        realmName: 'Example',
        to: parseMailAddress(to),
        counted: to,
        kind: 'code',
        fill: { code: '271828', minutes: '10' },
        untilMs: clock.ms + 600_000,
        subject: 'urn:uuid:ada',
        correlationId: 'c',
        ...more,
      }),
    pass: (ms) => {
      clock.ms += ms;
    },
    beside: () => openTestMail(t, { ...options, dataDir }, clock),
    close,
  };
}
