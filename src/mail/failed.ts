import type { Clock } from '#base';
import type { Kept, State } from '#state';
import { type Queue, together, type Waiting } from './queue.ts';
import type { LetterKind } from './texts.ts';

/** A mail as operators see it: nothing of what it says. */
export interface MailShown {
  readonly id: string;
  readonly state: 'waiting' | 'failed';
  readonly kind: string;
  /** Whose it is. */
  readonly subject: string;
  readonly writtenMs: number;
  readonly attempts: number;
  /** Of the last try that failed. */
  readonly why: string;
}

/** `over`: how many say nothing good any more. */
export interface Retried {
  readonly tried: number;
  readonly over: number;
}

/** Mails that were given up. What one says is kept apart, and only as long as it is good. */
export interface FailedMails {
  note(realm: string, given: Waiting, kind: LetterKind | undefined, hours: number): Promise<void>;
  list(realm: string, limit: number): Promise<readonly MailShown[]>;
  retry(realm: string, id: string | undefined): Promise<Retried>;
  /** Drops those of a realm, at most so many. @returns how many there were */
  drop(realm: string, limit: number): Promise<number>;
}

interface Failed {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly correlationId: string;
  readonly writtenMs: number;
  readonly untilMs: number;
  readonly attempts: number;
  readonly why: string;
}

const hourMs = 3_600_000;
/** Mails of all realms that are kept after they were given up; the oldest goes first. */
const failedMax = 10_000;
/** Mails of a realm that one retry takes. */
const retriedMax = 1000;
const whyLengthMax = 300;

const failedKind = 'mail-failed';
/** Under which doctor finds how many there are. */
export const failedMailRows = `${failedKind}/${together}`;

/** Opens the mails that were given up, in the shared state. */
export function openFailed(state: State, clock: Clock, queue: Queue): FailedMails {
  const { place } = queue;
  const kind = state.kind<Failed>({ name: failedKind, parse: parseFailed, rowsMax: () => failedMax });
  const contents = state.kind<string>({
    name: 'mail-unsent',
    parse: (value) => (typeof value === 'string' ? value : undefined),
    rowsMax: () => failedMax,
  });
  const waitingOf = async (realm: string, id: string | undefined, limit: number) =>
    (await queue.kind.list(place, realm, limit)).filter(
      (kept) => queue.open(kept)?.to !== undefined && (id === undefined || kept.value.id === id),
    );
  const failedOf = async (realm: string, id: string | undefined, limit: number) =>
    (await kind.list(place, realm, limit)).filter(({ value }) => id === undefined || value.id === id);

  const again = async (realm: string, kept: Kept<Failed>): Promise<boolean> => {
    const { id, subject, correlationId, writtenMs, untilMs } = kept.value;
    const content = await contents.take(place, id);
    if (content === undefined || untilMs <= clock.nowMs()) return false;
    await queue.putBack(realm, {
      id,
      subject,
      correlationId,
      content: content.value,
      writtenMs,
      untilMs,
      attempts: 0,
      nextMs: 0,
      claimedMs: 0,
    });
    await kind.remove(kept);
    return true;
  };

  return {
    note: async (realm, { id, subject, correlationId, content, writtenMs, untilMs, attempts, why = '' }, what, hours) => {
      const value = { id, kind: what ?? '', subject, correlationId, writtenMs, untilMs, attempts, why: why.slice(0, whyLengthMax) };
      if (content !== '' && untilMs > clock.nowMs()) await contents.put(place, id, content, untilMs, realm);
      await kind.put(place, id, value, clock.nowMs() + hours * hourMs, realm);
    },
    list: async (realm, limit) => {
      const failed = (await failedOf(realm, undefined, limit)).map(
        ({ value }): MailShown => ({ ...shown(value), state: 'failed', kind: value.kind }),
      );
      const waiting = (await waitingOf(realm, undefined, limit)).map(
        (kept): MailShown => ({ ...shown(kept.value), state: 'waiting', kind: queue.open(kept)?.kind ?? '' }),
      );
      return [...failed, ...waiting].toSorted((a, b) => a.writtenMs - b.writtenMs).slice(0, limit);
    },
    retry: async (realm, id) => {
      let [tried, over] = [0, 0];
      for (const kept of await failedOf(realm, id, retriedMax)) {
        if (await again(realm, kept)) tried++;
        else over++;
      }
      for (const kept of await waitingOf(realm, id, retriedMax)) {
        // One that somebody tries at this moment, or that is due, needs nobody's help.
        if (kept.value.nextMs > clock.nowMs() && (await queue.kind.replace(kept, { ...kept.value, nextMs: 0 })) !== undefined) tried++;
      }
      return { tried, over };
    },
    drop: async (realm, limit) => {
      const [failed, unsent] = [await kind.list(place, realm, limit), await contents.list(place, realm, limit)];
      for (const kept of failed) await kind.remove(kept);
      for (const kept of unsent) await contents.remove(kept);
      return failed.length + unsent.length;
    },
  };
}

function shown({ id, subject, writtenMs, attempts, why = '' }: Pick<Waiting, 'id' | 'subject' | 'writtenMs' | 'attempts' | 'why'>) {
  return { id, subject, writtenMs, attempts, why };
}

function parseFailed(value: unknown): Failed | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const row = value as Record<string, unknown>;
  const words = ['id', 'kind', 'subject', 'correlationId', 'why'].every((name) => typeof row[name] === 'string');
  const numbers = ['writtenMs', 'untilMs', 'attempts'].every((name) => Number.isSafeInteger(row[name]));
  return words && numbers ? (value as Failed) : undefined;
}
