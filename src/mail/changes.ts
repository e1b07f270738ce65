import type { Log } from '#audit';
import type { Clock } from '#base';
import { Refusal } from '#catalogue';
import type { Notice, Notices } from '#state';
import { parseMailAddress } from './address.ts';
import type { Mail } from './mail.ts';
import { changedByTexts, changeTexts } from './texts.ts';

export interface ChangesOptions {
  readonly notices: Notices;
  readonly mail: Mail;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** What mails call a realm; `undefined` for one that is not there any more. */
  readonly nameOf: (realm: string) => Promise<string | undefined>;
}

/** Taken in one look. */
const takenMax = 100;
/** After that nobody is told any more. */
const keptMs = 86_400_000;

/**
 * Tells people by mail that what they sign in with has changed: whatever waits, at once when it comes, and whenever it is asked for.
 *
 * @returns tells of what waits
 */
export function tellChanges(options: ChangesOptions): () => Promise<void> {
  let under: Promise<void> | undefined;
  const run = async () => {
    for (;;) {
      const notices = await options.notices.take(takenMax);
      if (notices.length === 0) return;
      for (const notice of notices) await tellOrLog(options, notice);
    }
  };
  const tellAll = () => {
    under ??= run().finally(() => {
      under = undefined;
    });
    return under;
  };
  options.notices.onPut(() => void tellAll());
  return tellAll;
}

/** What cannot be told is told to operators: the change itself stands. */
async function tellOrLog(options: ChangesOptions, notice: Notice): Promise<void> {
  try {
    await tell(options, notice);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { realm, subject, changes } = notice;
    options.log.warn(error.row, `the person ${subject} of realm ${realm} is not told of ${changes.join(', ')}: ${error.tells}`);
  }
}

async function tell({ mail, clock, nameOf }: ChangesOptions, notice: Notice): Promise<void> {
  const { realm, subject, addresses, changes, isOwn, atMs } = notice;
  const realmName = await nameOf(realm);
  if (realmName === undefined || !mail.canSend(realm)) return;
  const what = changes.flatMap((change) => changeTexts[change] ?? []).join(' ');
  const when = `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const fill = { what, when, by: isOwn ? changedByTexts.own : changedByTexts.other };
  for (const address of addresses) {
    const to = parseMailAddress(address);
    if (to === undefined) continue;
    // Counted apart from codes: who has many of them mailed does not thereby keep this from its reader.
    const counted = `changes ${address}`;
    await mail.send({
      ...{ realm, realmName, to, counted, kind: 'changed', fill, subject: `urn:uuid:${subject}`, correlationId: 'changes' },
      untilMs: clock.nowMs() + keptMs,
    });
  }
}
