import { type Chance, token } from '#base';
import type { SettingValues } from '#catalogue';
import type { Kept } from './kind.ts';
import type { settings as rows } from './settings.ts';
import type { State } from './state.ts';

/** Something that others are to be told of. */
export interface OutboxEvent {
  /** By its id. */
  readonly realm: string;
  readonly kind: OutboxKind;
  /** The entryUUID of whom it is about. */
  readonly subject: string;
  /** What there is to say beside that, as JSON has it. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

export const outboxKinds = ['credential-change', 'session-revoked', 'account-disabled', 'account-enabled', 'account-purged'] as const;
export type OutboxKind = (typeof outboxKinds)[number];

/** What happened and was not told of yet, in the order in which it happened. Where nobody fetches it the oldest goes. */
export interface Outbox {
  /**
   * @param name  of what happened, where it may be found again, after a crash: while it is kept under its name it is put once
   * @returns a handle, to take it back by when what it says did not come about
   */
  put(event: OutboxEvent, name?: string): Promise<string>;
  takeBack(realm: string, handle: string): Promise<void>;
  /** The oldest first. */
  read(realm: string, limit: number): Promise<readonly Kept<OutboxEvent>[]>;
  /** To be called when it was told. False when somebody else has done so. */
  remove(kept: Kept<OutboxEvent>): Promise<boolean>;
}

/** What puts events needs no more. */
export type Outgoing = Pick<Outbox, 'put' | 'takeBack'>;

export interface OutboxOptions {
  readonly state: Pick<State, 'kind'>;
  readonly chance: Chance;
  readonly settingsOf: (realm: string) => Pick<SettingValues<typeof rows>, 'outbox.eventsMax' | 'outbox.keepS'>;
}

const handleOctets = 18;

export function openOutbox({ state, chance, settingsOf }: OutboxOptions): Outbox {
  const kind = state.kind<OutboxEvent>({
    name: 'outbox',
    parse: (value) => (isEvent(value) ? value : undefined),
    rowsMax: (realm) => settingsOf(realm)['outbox.eventsMax'],
  });
  return {
    put: async (event, name) => {
      const handle = name ?? token(chance, handleOctets);
      await kind.putNew(event.realm, handle, event, event.atMs + settingsOf(event.realm)['outbox.keepS'] * 1000, event.subject);
      return handle;
    },
    takeBack: async (realm, handle) => void (await kind.take(realm, handle)),
    read: (realm, limit) => kind.list(realm, undefined, limit),
    remove: (kept) => kind.remove(kept),
  };
}

/** Where nobody is told of anything: a directory without the state that a service shares. */
export const untold: Outgoing = { put: async () => '', takeBack: async () => undefined };

function isEvent(value: unknown): value is OutboxEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { realm, kind, subject, detail, atMs } = value as Readonly<Record<string, unknown>>;
  return (
    typeof realm === 'string' &&
    typeof subject === 'string' &&
    outboxKinds.some((each) => each === kind) &&
    typeof detail === 'object' &&
    detail !== null &&
    Number.isSafeInteger(atMs)
  );
}
