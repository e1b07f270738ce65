import { type Chance, text, typedToken, utf8 } from '#base';
import { type SealingKey, seal, unseal } from '#keys';
import type { Kept, Kind, State } from '#state';
import { type MailAddress, parseMailAddress } from './address.ts';
import type { Fill } from './letter.ts';
import { type LetterKind, letters } from './texts.ts';

/** What a mail says, and to whom: sealed where there is a key-encryption key, since it opens doors until it is used. */
export interface Content {
  /** `undefined`: it is for nobody, and waits only so that nobody can tell. */
  readonly to: MailAddress | undefined;
  readonly kind: LetterKind;
  readonly fill: Fill;
}

/** A mail that waits. */
export interface Waiting {
  readonly id: string;
  /** For the audit trail: whose it is, and what asked for it. */
  readonly subject: string;
  readonly correlationId: string;
  readonly content: string;
  readonly writtenMs: number;
  /** From then on it says nothing good any more. */
  readonly untilMs: number;
  readonly attempts: number;
  /** Not to be tried before. */
  readonly nextMs: number;
  /** Somebody tries it until then. */
  readonly claimedMs: number;
  /** Of the last try that failed. */
  readonly why?: string;
}

export interface Queue {
  readonly kind: Kind<Waiting>;
  /** Under which all of them are kept. Realms share one list, so that whoever sends need not know which there are; the owner of a row is its realm. */
  readonly place: string;
  /** How many of a realm wait, up to a number. */
  count(realm: string, upTo: number): Promise<number>;
  put(realm: string, waiting: Omit<Waiting, 'id' | 'content'>, content: Content): Promise<void>;
  /** Puts back what was given up, under the name that it had. */
  putBack(realm: string, waiting: Waiting): Promise<void>;
  /** `undefined`: it was sealed under another key. */
  open(kept: Kept<Waiting>): Content | undefined;
  /** All that wait, of all realms, the oldest first. */
  all(): Promise<readonly Kept<Waiting>[]>;
}

/** All realms share one list. */
export const together = 'all';
/** Mails that one look takes into view. */
const lookedAtMax = 10_000;
const idOctets = 16;

/**
 * Opens the mails that wait, in the shared state.
 *
 * @param keys  the first seals, all open; without one, mails are kept as they are
 */
export function openQueue(state: State, chance: Chance, keys: readonly SealingKey[], gone: (kept: Kept<Waiting>) => void): Queue {
  // What had a time and was not sent within it is told; what somebody took is gone in silence.
  const kind = state.kind<Waiting>({ name: 'mail', parse: parseWaiting, gone: (kept) => gone(kept) });
  const [sealing] = keys;
  return {
    kind,
    place: together,
    count: async (realm, upTo) => (await kind.list(together, realm, upTo)).length,
    put: async (realm, waiting, content) => {
      const id = typedToken(chance, idOctets);
      const plain = utf8(JSON.stringify(content));
      const kept = sealing === undefined ? plain : seal(sealing, plain, placeOf(realm, id));
      await kind.put(together, id, { ...waiting, id, content: text(kept) ?? '' }, waiting.untilMs, realm);
    },
    putBack: (realm, waiting) => kind.put(together, waiting.id, waiting, waiting.untilMs, realm),
    open: ({ owner, value }) => {
      const stored = utf8(value.content);
      const plain =
        keys.length === 0 ? stored : keys.map((key) => unseal(key, stored, placeOf(owner, value.id))).find((one) => one !== undefined);
      return plain === undefined ? undefined : parseContent(text(plain) ?? '');
    },
    all: () => kind.list(together, undefined, lookedAtMax),
  };
}

function placeOf(realm: string, id: string): string {
  return `mail ${realm} ${id}`;
}

function parseWaiting(value: unknown): Waiting | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, subject, correlationId, content, ...numbers } = value as Record<string, unknown>;
  const words = [id, subject, correlationId, content].every((each) => typeof each === 'string');
  const times = ['writtenMs', 'untilMs', 'attempts', 'nextMs', 'claimedMs'].every((name) => Number.isSafeInteger(numbers[name]));
  return words && times ? (value as Waiting) : undefined;
}

function parseContent(stored: string): Content | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { to, kind, fill } = value as Record<string, unknown>;
  if (typeof kind !== 'string' || !Object.hasOwn(letters, kind) || typeof fill !== 'object' || fill === null) return undefined;
  const address = typeof to === 'string' ? parseMailAddress(to) : undefined;
  const filled = Object.fromEntries(Object.entries(fill).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  return { to: address, kind: kind as LetterKind, fill: filled };
}
