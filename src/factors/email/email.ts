import type { Audit } from '#audit';
import type { ErrorRow } from '#catalogue';
import { type Holdings, mailedAs } from '#holdings';
import { type Mail, type MailAddress, parseMailAddress } from '#mail';
import type { Attempt, Limits } from '#state';
import type { WebRealm } from '#web';
import type { Challenges } from './challenges.ts';
import { errors } from './errors.ts';
import type { Failures, Role } from './failures.ts';

/** What the authentication policy says of emailed factors. */
export interface EmailRules {
  /** Seconds that a code or link is good. */
  readonly emailCodeTtlS: number;
  /** Wrong ones before the step ends. */
  readonly emailCodeAttempts: number;
  /** Wrong ones in a row, over all steps, that turn a person's factor off. */
  readonly emailFailureLimit: number;
}

/** A person as an emailed factor needs them. */
export interface Reader {
  readonly dn: string;
  readonly entryUuid: string;
  readonly disabled: boolean;
  readonly holdings: Holdings;
}

/** From where somebody asks, for limits and audit rows. */
export interface Visit {
  readonly door: string;
  readonly address: string;
  readonly correlationId: string;
}

/** An emailed code or link as a factor of one sign-in. */
export interface Asking {
  readonly realm: WebRealm;
  /** Which sign-in: a new code or link of it takes the place of the last. */
  readonly key: string;
  /** `undefined` for a name that nobody has. */
  readonly person: Reader | undefined;
  /** The DN for which attempts are counted, whether anybody has it or not. */
  readonly identity: string;
  readonly role: Role;
  readonly kind: 'code' | 'link';
  readonly rules: EmailRules;
  readonly visit: Visit;
}

export interface Sending extends Asking {
  /** Until when the sign-in waits. */
  readonly waitsUntilMs: number;
  readonly nowMs: number;
  /** The address that a link leads to. */
  readonly linkOf: (secret: string) => string;
}

export type Limited = Attempt & { readonly kind: 'limited' };
export type Sent = Limited | { readonly kind: 'sent'; readonly untilMs: number };
export type Judged =
  | Limited
  | { readonly kind: 'right'; readonly person: Reader }
  | { readonly kind: 'wrong'; readonly left: number }
  | { readonly kind: 'ended' | 'over' };

/** Emailed codes and links. */
export interface EmailFactors {
  /**
   * Mails a code or link to the person's verified address. For a name that nobody has, or whose address does not count, the same is done, and the mail is
   * for nobody.
   */
  send(sending: Sending): Promise<Sent>;
  /** Judges what came back. */
  judge(asking: Asking, presented: string): Promise<Judged>;
}

export interface EmailFactorOptions {
  readonly challenges: Challenges;
  readonly failures: Failures;
  readonly mail: Pick<Mail, 'send'>;
  readonly limits: Limits;
  readonly audit: Pick<Audit, 'record'>;
  /** A person as the directory says it by now. */
  readonly personNow: (realm: WebRealm, entryUuid: string) => Promise<Reader | undefined>;
}

const minuteMs = 60_000;

/**
 * The address that is a factor of a person: one they have shown to read, and which has not failed too often. A second factor they must also want.
 *
 * What anybody can do who knows a name, which is to try codes as a first factor, turns nothing else off: not the second factor, and not a link as the
 * first one, which nobody guesses.
 *
 * @see specification document 1, "Emailed code or link"
 */
export function factorAddress(
  person: Pick<Reader, 'disabled' | 'holdings'> | undefined,
  role: Role,
  { emailFailureLimit }: EmailRules,
  kind: 'code' | 'link' = 'code',
): MailAddress | undefined {
  const email = person?.holdings.email;
  if (person === undefined || person.disabled || email === undefined) return undefined;
  return mailedAs(email, role, kind, emailFailureLimit) === 'good' ? parseMailAddress(email.address) : undefined;
}

/** What is mailed as a first factor is asked for by anybody: of a link nobody needs to be kept from guessing, since nobody can. */
function isGuessable(role: Role, kind: 'code' | 'link'): boolean {
  return role === 'second' || kind === 'code';
}

function failuresOf({ failures, firstFailures }: NonNullable<Holdings['email']>, role: Role): number {
  return role === 'first' ? firstFailures : failures;
}

export function openEmailFactors(options: EmailFactorOptions): EmailFactors {
  const { challenges, failures, mail, limits, audit, personNow } = options;
  const note = ({ realm, person, visit }: Asking, action: string, summary: string, error?: ErrorRow) =>
    audit.record({
      realm: realm.id,
      subject: person === undefined ? '' : `urn:uuid:${person.entryUuid}`,
      action,
      outcome: error === undefined ? 'success' : 'refused',
      ...(error === undefined ? {} : { error }),
      summary,
      ...visit,
    });
  const enter = ({ realm, identity, visit }: Asking): Promise<Attempt> =>
    limits.enter({ realm: realm.id, identity, address: visit.address });

  /** What came back was right: it counts only if the factor still does. */
  const accepted = async (asking: Asking, attempt: Attempt & { readonly kind: 'admitted' }, to: string): Promise<Judged> => {
    const { realm, role, rules, kind } = asking;
    const person = asking.person && (await personNow(realm, asking.person.entryUuid));
    if (person === undefined || (factorAddress(person, role, rules, kind) as string | undefined) !== to) {
      note(asking, 'signin.email', errors.emailOver.means, errors.emailOver);
      return { kind: 'over' };
    }
    const { email } = person.holdings;
    if (email !== undefined && failuresOf(email, role) > 0) await failures.forget(person.dn, role);
    await attempt.succeeded();
    note(asking, 'signin.email', 'an emailed code or link was accepted');
    return { kind: 'right', person };
  };

  return {
    send: async (sending) => {
      const { realm, key, person, identity, role, rules, visit, kind, nowMs, waitsUntilMs } = sending;
      const attempt = await enter(sending);
      if (attempt.kind === 'limited') return attempt;
      const untilMs = Math.min(nowMs + rules.emailCodeTtlS * 1000, waitsUntilMs);
      const to = factorAddress(person, role, rules, kind);
      const secret = await challenges.begin(realm.id, key, kind, to ?? '', untilMs);
      const minutes = String(Math.max(1, Math.floor((untilMs - nowMs) / minuteMs)));
      await mail.send({
        realm: realm.id,
        realmName: realm.name,
        to,
        counted: to ?? identity,
        kind,
        fill: { minutes, ...(kind === 'code' ? { code: secret } : { link: sending.linkOf(secret) }) },
        untilMs,
        subject: person === undefined ? '' : `urn:uuid:${person.entryUuid}`,
        correlationId: visit.correlationId,
      });
      if (to === undefined) note(sending, 'signin.email.send', errors.emailNotMailed.means, errors.emailNotMailed);
      else note(sending, 'signin.email.send', `an emailed ${kind} is on its way`);
      return { kind: 'sent', untilMs };
    },
    judge: async (asking, presented) => {
      const { realm, key, person, role, rules, kind } = asking;
      const attempt = await enter(asking);
      if (attempt.kind === 'limited') return attempt;
      if (person !== undefined) await failures.settled(person.dn);
      const held = await challenges.judge(realm.id, key, presented, rules.emailCodeAttempts);
      if (held.kind === 'right') return await accepted(asking, attempt, held.to);
      const email = person !== undefined && factorAddress(person, role, rules, kind) !== undefined ? person.holdings.email : undefined;
      if (held.kind !== 'over' && person !== undefined && email !== undefined && isGuessable(role, kind))
        failures.note(
          { realm: realm.id, dn: person.dn, entryUuid: person.entryUuid, role, known: failuresOf(email, role) },
          rules.emailFailureLimit,
        );
      const error = held.kind === 'over' ? errors.emailOver : held.kind === 'ended' ? errors.emailEnded : errors.emailWrong;
      note(asking, 'signin.email', error.means, error);
      return held;
    },
  };
}
