import { type Chance, token } from '#base';
import type { State } from './state.ts';

/** What somebody is to be told of their account: what they sign in with has changed. */
export interface Notice {
  readonly realm: string;
  /** The entryUUID of whose account it is. */
  readonly subject: string;
  /** The addresses that the entry had before. */
  readonly addresses: readonly string[];
  /** What has changed, a word each. */
  readonly changes: readonly string[];
  /** They did it themselves, or somebody in their name. */
  readonly isOwn: boolean;
  readonly atMs: number;
}

/** What people are to be told, handed over by who sees it to who can tell them: below the LDAP interface nobody sends mail. */
export interface Notices {
  put(notice: Notice): Promise<void>;
  /** The oldest, which nobody else is given: at most `limit`. */
  take(limit: number): Promise<readonly Notice[]>;
  /** Called after each that was put in this process. */
  onPut(listener: () => void): void;
}

/** Kept so long until somebody takes them: an older one says nothing new. */
const keptMs = 86_400_000;
/** In one realm; the oldest go first. */
const rowsMax = 10_000;
const idOctets = 16;
/** Realms share one list, so that whoever takes need not know which there are. */
const together = 'all';

/** Opens them in the shared state. */
export function openNotices(state: State, chance: Chance): Notices {
  const kind = state.kind<Notice>({ name: 'notice', parse: parseNotice, rowsMax: () => rowsMax });
  const listeners: (() => void)[] = [];
  return {
    put: async (notice) => {
      await kind.put(together, token(chance, idOctets), notice, notice.atMs + keptMs, notice.subject);
      for (const listener of listeners) listener();
    },
    take: async (limit) => {
      const taken: Notice[] = [];
      for (const kept of await kind.list(together, undefined, limit)) if (await kind.remove(kept)) taken.push(kept.value);
      return taken;
    },
    onPut: (listener) => void listeners.push(listener),
  };
}

function parseNotice(value: unknown): Notice | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { realm, subject, addresses, changes, isOwn, atMs } = value as Record<string, unknown>;
  const texts = (each: unknown) => Array.isArray(each) && each.every((one) => typeof one === 'string');
  const whole = typeof realm === 'string' && typeof subject === 'string' && typeof isOwn === 'boolean' && Number.isSafeInteger(atMs);
  return whole && texts(addresses) && texts(changes) ? (value as Notice) : undefined;
}
