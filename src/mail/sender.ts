import type { Audit, Log } from '#audit';
import { type Clock, text } from '#base';
import type { ErrorRow } from '#catalogue';
import type { Timers } from '#jobs';
import { parseDn } from '#ldap';
import type { Kept } from '#state';
import { type MailAddress, parseMailAddress } from './address.ts';
import { type Delivered, deliver } from './deliver.ts';
import { errors } from './errors.ts';
import type { FailedMails } from './failed.ts';
import { type GivenText, readMailText, writeLetter } from './letter.ts';
import type { Content, Queue, Waiting } from './queue.ts';
import { findServer, type MailSettings, type ServerOptions } from './server.ts';
import type { LetterKind } from './texts.ts';

/** A realm at the moment a mail of it is handed over. */
export interface Sending {
  readonly settings: MailSettings;
  /** Under which its entries stand. */
  readonly suffix: string;
  /** What it says in a mail in place of our own words; `undefined` where it has none of its own. */
  readonly textOf: (kind: LetterKind) => Promise<GivenText | undefined>;
}

export interface SenderOptions extends ServerOptions {
  readonly queue: Queue;
  readonly failed: FailedMails;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly audit: Pick<Audit, 'record'>;
  readonly log: Pick<Log, 'warn'>;
  /** A realm as its entry says it is by now; `undefined` when it is gone. */
  readonly realmNow: (realm: string) => Promise<Sending | undefined>;
}

export interface Sender {
  /** Looks soon for what is due. */
  wake(): void;
  /** Looks now, and waits for all that is under way. */
  run(): Promise<string>;
  /** Cuts what is under way: it is tried again after the next start. */
  stop(): Promise<void>;
}

/** Mails of all realms that are handed over at the same time. */
const connectionsMax = 32;
/** How much longer than its delivery may take a mail stays claimed: one whose process died is free by then. */
const claimedBeyondMs = 5000;
const nameMax = 100;

type Went = Delivered | { readonly kind: 'later'; readonly why: string; readonly error: ErrorRow };

/** Hands over what waits. Of several senders on one queue one has each mail: who claims it first, against what it was. */
export function openSender(options: SenderOptions): Sender {
  const { queue, failed: givenUp, clock, log } = options;
  const tell = tellerOf(options);
  const ends = new AbortController();
  const underWay = new Set<Promise<void>>();
  const busy = new Map<string, number>();
  let looking: Promise<void> | undefined;
  let again = false;

  const settle = async (claimed: Kept<Waiting>, went: Went, settings: MailSettings): Promise<void> => {
    const { owner: realm, value } = claimed;
    if (went.kind === 'sent') {
      if (await queue.kind.remove(claimed)) tell(realm, value, undefined, '');
      return;
    }
    const attempts = value.attempts + 1;
    const waitS = Math.min(settings['mail.retryFirstS'] * 2 ** (attempts - 1), settings['mail.retryLongestS']);
    const nextMs = clock.nowMs() + waitS * 1000;
    const error = 'error' in went ? went.error : errors.notHandedOver;
    const isLast = went.kind === 'never' || attempts >= settings['mail.attemptsMax'] || nextMs >= value.untilMs;
    log.warn(error, `realm ${realm}: ${error.means}: ${went.why}`, { attempts, ...(isLast ? {} : { waitS }) });
    if (!isLast) await queue.kind.replace(claimed, { ...value, attempts, nextMs, claimedMs: 0, why: went.why });
    else if (await queue.kind.remove(claimed)) {
      tell(realm, value, errors.givenUp, `${went.why}; tries: ${attempts}`);
      await givenUp.note(
        realm,
        { ...value, attempts, claimedMs: 0, why: went.why },
        queue.open(claimed)?.kind,
        settings['mail.failedKeptHours'],
      );
    }
  };
  const attempt = async (kept: Kept<Waiting>, realm: Sending): Promise<void> => {
    const claimedMs = clock.nowMs() + realm.settings['mail.smtpTimeoutMs'] + claimedBeyondMs;
    const claimed = await queue.kind.replace(kept, { ...kept.value, claimedMs });
    if (claimed === undefined) return;
    const content = queue.open(claimed);
    if (content?.to === undefined) {
      if ((await queue.kind.remove(claimed)) && content === undefined) tell(kept.owner, kept.value, errors.unsealable, '');
      return;
    }
    const went = await handOver(options, claimed, { ...content, to: content.to }, realm, ends.signal);
    if (ends.signal.aborted && went.kind !== 'sent') await queue.kind.replace(claimed, { ...claimed.value, claimedMs: 0 });
    else await settle(claimed, went, realm.settings);
  };
  const begin = (kept: Kept<Waiting>, realm: Sending) => {
    busy.set(kept.owner, (busy.get(kept.owner) ?? 0) + 1);
    const going = attempt(kept, realm)
      .then(wake, (thrown: unknown) => failed(thrown))
      .finally(() => {
        underWay.delete(going);
        const left = (busy.get(kept.owner) ?? 1) - 1;
        if (left > 0) busy.set(kept.owner, left);
        else busy.delete(kept.owner);
      });
    underWay.add(going);
  };
  const failed = (thrown: unknown) =>
    log.warn(errors.notHandedOver, `${errors.notHandedOver.means}: ${thrown instanceof Error ? thrown.message : 'unknown error'}`);
  const look = async (): Promise<void> => {
    const realms = new Map<string, Sending | undefined>();
    for (const kept of await queue.all()) {
      const nowMs = clock.nowMs();
      if (kept.value.nextMs > nowMs || kept.value.claimedMs > nowMs) continue;
      if (ends.signal.aborted || underWay.size >= connectionsMax) return;
      if (!realms.has(kept.owner)) realms.set(kept.owner, await options.realmNow(kept.owner));
      const realm = realms.get(kept.owner);
      // A realm that is gone owes nothing.
      if (realm === undefined) await queue.kind.remove(kept);
      else if ((busy.get(kept.owner) ?? 0) < realm.settings['mail.connectionsMax']) begin(kept, realm);
    }
  };
  const wake = () => {
    again = true;
    looking ??= (async () => {
      while (again && !ends.signal.aborted) {
        again = false;
        await look().catch(failed);
      }
      looking = undefined;
    })();
  };
  return {
    wake,
    run: async () => {
      wake();
      await looking;
      while (underWay.size > 0) await Promise.all([...underWay, looking]);
      return `${(await queue.all()).length} mails wait`;
    },
    stop: async () => {
      ends.abort();
      await Promise.all([...underWay, looking]);
    },
  };
}

async function handOver(
  options: SenderOptions,
  { owner, value }: Kept<Waiting>,
  { to, kind, fill }: Content & { readonly to: MailAddress },
  { settings, suffix, textOf }: Sending,
  ends: AbortSignal,
): Promise<Went> {
  if (settings['mail.smtpHost'] === '') return { kind: 'later', why: 'the realm has no mail server (mail.smtpHost)' };
  const found = findServer(owner, settings, options);
  if (found.kind === 'unusable') return { kind: 'later', why: found.why, error: found.error };
  const from = senderOf(settings, suffix);
  if (from === undefined) return { kind: 'later', why: 'there is no address that it could come from (mail.from)' };
  const messageId = `<${value.id}@${from.slice(from.indexOf('@') + 1)}>`;
  const fromName = (fill['realm'] ?? '').slice(0, nameMax);
  const mail = {
    ...writeLetter(kind, fill, wordsOf(options, owner, kind, await textOf(kind))),
    from,
    fromName,
    to,
    messageId,
    writtenMs: value.writtenMs,
  };
  return await deliver(mail, found.server, options.timers, ends);
}

/** What is not fit, since another version took it, is told; then our own words stand. */
function wordsOf({ log }: Pick<SenderOptions, 'log'>, realm: string, kind: LetterKind, given: GivenText | undefined) {
  const words = given && readMailText(kind, given);
  if (given !== undefined && words === undefined) log.warn(errors.textUnfit, `realm ${realm}: cn=${kind}: ${errors.textUnfit.means}`);
  return words;
}

/** The address that a realm's mail comes from. */
export function senderOf(settings: MailSettings, suffix: string): MailAddress | undefined {
  if (settings['mail.from'] !== '') return parseMailAddress(settings['mail.from']);
  // RFC 2247: a suffix of domain components is a domain.
  const labels = (parseDn(suffix) ?? []).flat().map(({ type, value }) => (type.toLowerCase() === 'dc' ? text(value) : undefined));
  const domain = labels.length > 0 && labels.every((label) => label !== undefined) ? labels.join('.') : settings['mail.smtpHost'];
  return parseMailAddress(`no-reply@${domain}`);
}

/** Tells the audit trail what became of a mail. */
export function tellerOf({ audit }: Pick<SenderOptions, 'audit'>) {
  return (
    realm: string,
    { subject, correlationId }: Pick<Waiting, 'subject' | 'correlationId'>,
    error: ErrorRow | undefined,
    why: string,
  ) =>
    audit.record({
      realm,
      door: 'service',
      subject,
      action: 'mail.send',
      outcome: error === undefined ? 'success' : 'failed',
      ...(error === undefined ? {} : { error }),
      summary: error === undefined ? 'a mail was handed over to the mail server' : why === '' ? error.means : `${error.means}: ${why}`,
      correlationId,
      address: '',
    });
}
