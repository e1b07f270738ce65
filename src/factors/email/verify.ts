import type { Audit } from '#audit';
import { utf8 } from '#base';
import type { DirectoryClient } from '#client';
import type { Mail, MailAddress } from '#mail';
import type { Limits } from '#state';
import type { WebRealm } from '#web';
import type { Challenges } from './challenges.ts';
import type { EmailRules, Limited, Reader, Visit } from './email.ts';
import { errors } from './errors.ts';
import type { Failures } from './failures.ts';

/** Somebody who is signed in, and shows that they read what is sent to an address of theirs. */
export interface Verifying {
  readonly realm: WebRealm;
  /** Of the session. */
  readonly sid: string;
  readonly person: Reader;
  readonly rules: EmailRules;
  readonly visit: Visit;
  readonly nowMs: number;
}

export type Verified =
  | Limited
  | { readonly kind: 'verified'; readonly address: string }
  | { readonly kind: 'wrong'; readonly left: number }
  | { readonly kind: 'ended' | 'over' };

/** Addresses that people have shown to read. Only an address of the person's entry is ever written to. */
export interface EmailVerification {
  send(verifying: Verifying, address: MailAddress): Promise<Limited | { readonly kind: 'sent'; readonly untilMs: number }>;
  /** A right code: the address is written to the entry as verified, and the failures of the factor are forgotten. */
  confirm(verifying: Verifying, mails: readonly string[], code: string): Promise<Verified>;
}

export interface EmailVerificationOptions {
  readonly challenges: Challenges;
  readonly failures: Failures;
  readonly mail: Pick<Mail, 'send'>;
  readonly limits: Limits;
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly audit: Pick<Audit, 'record'>;
}

const minuteMs = 60_000;

export function openEmailVerification({ challenges, failures, mail, limits, client, audit }: EmailVerificationOptions): EmailVerification {
  const keyOf = ({ sid }: Verifying) => `verify ${sid}`;
  const enter = ({ realm, person, visit }: Verifying) => limits.enter({ realm: realm.id, identity: person.dn, address: visit.address });
  const note = ({ realm, person, visit }: Verifying, summary: string, error?: (typeof errors)[keyof typeof errors]) =>
    audit.record({
      realm: realm.id,
      subject: `urn:uuid:${person.entryUuid}`,
      action: 'factor.email.verify',
      outcome: error === undefined ? 'success' : 'refused',
      ...(error === undefined ? {} : { error }),
      summary,
      ...visit,
    });
  /** What was verified and still stands on the entry stays; the rest goes. */
  const write = (dn: string, mails: readonly string[], before: readonly string[], address: string) => {
    const kept = before.filter((one) => mails.some((each) => same(each, one)) && !same(one, address));
    const values = [...kept, address].map(utf8);
    return client.as('self').modify(dn, [
      { operation: 'replace', attribute: { description: 'stsVerifiedMail', values } },
      { operation: 'replace', attribute: { description: 'stsEmailFailures', values: [] } },
      { operation: 'replace', attribute: { description: 'stsEmailFirstFailures', values: [] } },
    ]);
  };
  return {
    send: async (verifying, address) => {
      const { realm, person, rules, visit, nowMs } = verifying;
      const attempt = await enter(verifying);
      if (attempt.kind === 'limited') return attempt;
      const untilMs = nowMs + rules.emailCodeTtlS * 1000;
      const code = await challenges.begin(realm.id, keyOf(verifying), 'code', address, untilMs);
      await mail.send({
        realm: realm.id,
        realmName: realm.name,
        to: address,
        counted: address,
        kind: 'verify',
        fill: { code, minutes: String(Math.max(1, Math.floor((rules.emailCodeTtlS * 1000) / minuteMs))) },
        untilMs,
        subject: `urn:uuid:${person.entryUuid}`,
        correlationId: visit.correlationId,
      });
      note(verifying, 'a code that verifies an address is on its way');
      return { kind: 'sent', untilMs };
    },
    confirm: async (verifying, mails, code) => {
      const { realm, person, rules } = verifying;
      const attempt = await enter(verifying);
      if (attempt.kind === 'limited') return attempt;
      const held = await challenges.judge(realm.id, keyOf(verifying), code, rules.emailCodeAttempts);
      if (held.kind === 'right' && mails.some((one) => same(one, held.to))) {
        await failures.settled(person.dn);
        const before = (await client.as('self').read(person.dn, ['stsVerifiedMail']))?.all('stsVerifiedMail') ?? [];
        await write(person.dn, mails, before, held.to);
        await attempt.succeeded();
        note(verifying, 'a mail address was verified');
        return { kind: 'verified', address: held.to };
      }
      const error = held.kind === 'wrong' ? errors.emailWrong : held.kind === 'ended' ? errors.emailEnded : errors.emailOver;
      note(verifying, error.means, error);
      return held.kind === 'right' ? { kind: 'over' } : held;
    },
  };
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
