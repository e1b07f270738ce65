import type { Chance, Clock } from '#base';
import type { SealingKey } from '#keys';
import { openHourly, type State } from '#state';
import type { MailAddress } from './address.ts';
import { errors } from './errors.ts';
import { type MailShown, openFailed, type Retried } from './failed.ts';
import type { Fill } from './letter.ts';
import { openQueue } from './queue.ts';
import { openSender, type SenderOptions, tellerOf } from './sender.ts';
import type { MailSettings } from './server.ts';
import type { LetterKind } from './texts.ts';

/** A mail as a room asks for it. */
export interface Letter {
  readonly realm: string;
  /** What mails call the realm. */
  readonly realmName: string;
  /** `undefined` is nobody: the same is done, and nothing is sent. */
  readonly to: MailAddress | undefined;
  /** Under which the mails of an hour are counted: the address, or what was typed for one. */
  readonly counted: string;
  readonly kind: LetterKind;
  /** Besides `{realm}`, which is filled in here. */
  readonly fill: Fill;
  /** From then on it says nothing good any more. */
  readonly untilMs: number;
  /** For the audit trail: whose mail it is. */
  readonly subject: string;
  readonly correlationId: string;
}

/** The mail of the service. */
export interface Mail extends AsyncDisposable {
  /** Whether a realm has a mail server. */
  canSend(realm: string): boolean;
  /**
   * Takes a mail, and has it tried at once beside whoever asks, here or in the process that delivers: they are not told what becomes of it, the audit trail is.
   *
   * @returns whether it was taken; what was not is in the audit trail
   * @throws Refusal STS-STORE-9008 when it cannot be kept
   */
  send(letter: Letter): Promise<boolean>;
  /** The mails of a realm that wait or were given up, the oldest first, at most so many. */
  list(realm: string, limit: number): Promise<readonly MailShown[]>;
  /** Has one tried again now; all of the realm that wait or were given up without an id. */
  retry(realm: string, id: string | undefined): Promise<Retried>;
  /** Has the process that delivers look soon for what is due. */
  wake(): void;
  /** Hands over what is due: the job `mail.send`. */
  run(): Promise<string>;
  /** Drops what waits of a realm that is being removed. @returns how many are left */
  drop(realm: string): Promise<number>;
}

export interface MailOptions extends Omit<SenderOptions, 'queue' | 'failed'> {
  readonly state: State;
  /** Tells the process that hands mails over that one waits, and may fail: it looks by itself, too. Absent where this process does. */
  readonly wakeOther?: () => Promise<void>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** The settings of a realm that a request came for. */
  readonly settingsOf: (realm: string) => MailSettings;
  /** By which waiting mails are sealed, the one in force first; none in development mode without a key-encryption key. */
  readonly keys: readonly SealingKey[];
}

/** Mails that are dropped in one turn of the event loop. */
const droppedAtOnce = 200;

/** Opens the mail of the service. Several processes may, on one state: each mail is handed over by one of them. */
export function openMail(options: MailOptions): Mail {
  const { state, wakeOther, clock, chance, keys, settingsOf } = options;
  const tell = tellerOf(options);
  const queue = openQueue(state, chance, keys, (kept) => {
    const content = queue.open(kept);
    if (content?.to === undefined) return;
    tell(kept.owner, kept.value, errors.givenUp, 'its time is over');
    const lost = { ...kept.value, content: '', why: kept.value.why ?? 'its time is over' };
    void failed.note(kept.owner, lost, content.kind, settingsOf(kept.owner)['mail.failedKeptHours']).catch(() => undefined);
  });
  const failed = openFailed(state, clock, queue);
  const rate = openHourly(state, clock, 'mail-rate');
  const sender = openSender({ ...options, queue, failed });
  const wake = wakeOther === undefined ? sender.wake : gathered(wakeOther);
  return {
    canSend: (realm) => settingsOf(realm)['mail.smtpHost'] !== '',
    send: async ({ realm, realmName, to, counted, kind, fill, untilMs, subject, correlationId }) => {
      const settings = settingsOf(realm);
      const waiting = { subject, correlationId, writtenMs: clock.nowMs(), untilMs, attempts: 0, nextMs: 0, claimedMs: 0 };
      const isCounted = await rate.enter(realm, counted, settings['mail.perAddressPerHour']);
      const isFull = (await queue.count(realm, settings['mail.queueMax'])) >= settings['mail.queueMax'];
      if (!isCounted || isFull) {
        if (to !== undefined) tell(realm, waiting, isCounted ? errors.queueFull : errors.tooMany, '');
        return false;
      }
      await queue.put(realm, waiting, { to, kind, fill: { ...fill, realm: realmName } });
      wake();
      return true;
    },
    list: failed.list,
    retry: async (realm, id) => {
      const retried = await failed.retry(realm, id);
      wake();
      return retried;
    },
    wake,
    run: sender.run,
    drop: async (realm) => {
      const waiting = await queue.kind.list(queue.place, realm, droppedAtOnce);
      for (const kept of waiting) await queue.kind.remove(kept);
      return waiting.length + (await failed.drop(realm, droppedAtOnce));
    },
    [Symbol.asyncDispose]: sender.stop,
  };
}

/** Of what is asked for while it is under way, once more behind it is enough. */
function gathered(act: () => Promise<void>): () => void {
  let again = false;
  let underWay = false;
  const go = async () => {
    underWay = true;
    while (again) {
      again = false;
      // Whoever does not hear it looks by itself before long.
      await act().catch(() => undefined);
    }
    underWay = false;
  };
  return () => {
    again = true;
    if (!underWay) void go();
  };
}
