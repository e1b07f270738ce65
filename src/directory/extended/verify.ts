import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { codesLeft, credentialsErrors, judgeTotp, readTotpCredential, recoveryForm, withoutCode } from '#credentials';
import { loadTotp, type Totp } from '#keys';
import { type BerReader, decodeBer, encodeBer } from '#ldap';
import type { Snapshot, StoredEntry } from '#store';
import { accountOf, mayAuth, refuseRemoved } from '../account.ts';
import { counted } from '../attempts.ts';
import type { Call } from '../call.ts';
import { type Engine, hashCost } from '../engine.ts';
import { changedEntry } from '../entry-change.ts';
import { errors } from '../errors.ts';
import {
  heldApp,
  lastStep,
  lastStepKey,
  lastStepOf,
  recoveryCode,
  recoveryCodeKey,
  secondFactorsOf,
  secondFactorUsed,
  totpCredential,
  totpCredentialKey,
} from '../holders.ts';
import { entryNamed, realmOfId } from '../named.ts';
import { nameOf, type Realm } from '../realm.ts';
import { type Attributes, attributesOf } from '../record.ts';
import { done } from '../result.ts';
import { checkSealable, storedForm } from '../sealing.ts';
import { VerificationRefused } from '../verification.ts';
import { commit, writerName } from '../write.ts';
import type { ExtendedKind } from './kind.ts';

const tags = { totp: 0xa0, recovery: 0xa1, enrolTotp: 0xa2, holder: 0xa3, left: 0x80, onlyFirst: 0x80 } as const;
/** `totp.window` allows no more. */
const windowMax = 10;

type Secret =
  /** Nothing is shown: whether anybody may sign in as the entry from there. */
  | { readonly kind: 'holder' }
  | { readonly kind: 'totp'; readonly code: string; readonly window: number }
  | { readonly kind: 'recovery'; readonly code: string }
  | {
      readonly kind: 'enrolTotp';
      readonly credential: Uint8Array;
      readonly code: string;
      readonly window: number;
      /** Only for who holds no second factor. */
      readonly onlyFirst: boolean;
    };

interface Asked {
  readonly dn: string;
  readonly secret: Secret;
}

/**
 * Judges what somebody shows beside a password and spends it, in one commit: what could not be written was not accepted. On the web layer's socket alone.
 *
 * Request: SEQUENCE { dn OCTET STRING, CHOICE { totp [0] SEQUENCE { code OCTET STRING, window INTEGER }, recovery [1] SEQUENCE { code OCTET STRING },
 * enrolTotp [2] SEQUENCE { credential OCTET STRING, code OCTET STRING, window INTEGER, onlyFirst [0] BOOLEAN DEFAULT FALSE },
 * holder [3] SEQUENCE { } } }. `window` is in steps either side. To enrol is a write: it takes the right to write `stsTotpCredential`, and is asked for on behalf of a person; with `onlyFirst` it is refused to
 * who holds a second factor at the moment of the commit. Answer: SEQUENCE { left [0] INTEGER OPTIONAL }, the codes that are left of
 * a set; of a refusal, why. With `holder` nothing is judged but whether rules of access let anybody sign in as the entry from there, and nothing is counted. Who has failed too often is refused before anything is judged, with the seconds to wait in the door's control.
 */
export const verify: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.60',
  name: 'verify',
  offered: ({ trusted }) => trusted,
  async perform(call, value, tell, about) {
    const asked = value && decodeBer(value, readAsked);
    if (asked === undefined) throw refuse(errors.verifyMalformed);
    const { engine } = call;
    about({ action: 'ldap.verify', subject: asked.dn, what: whats[asked.secret.kind] });
    const snapshot = engine.store.snapshot();
    const realm = realmOfId(engine, snapshot, asked.dn, 'dn');
    refuseRemoved(realm);
    nameOf(engine.schema, asked.dn);
    if (asked.secret.kind === 'holder') {
      checkHolder(call, snapshot, asked.dn);
      return { kind: 'extendedResponse', result: done };
    }
    const { secret } = asked;
    const { said, left } = await counted(call, { realm, dn: asked.dn }, () => spend(call, realm, asked.dn, secret));
    tell(said);
    const answer = encodeBer((ber) => ber.sequence(() => void (left !== undefined && ber.number(left, tags.left))));
    return { kind: 'extendedResponse', result: done, value: answer };
  },
};

function readAsked(ber: BerReader): Asked {
  return ber.sequence(() => ({ dn: ber.string(), secret: readSecret(ber) }));
}

function readSecret(ber: BerReader): Secret {
  const { tag } = ber;
  const secret = ber.sequence((): Secret => {
    if (tag === tags.totp) return { kind: 'totp', code: ber.string(), window: windowOf(ber) };
    if (tag === tags.holder) return { kind: 'holder' };
    if (tag === tags.recovery) return { kind: 'recovery', code: ber.string() };
    if (tag === tags.enrolTotp) {
      const given = { credential: ber.octets(), code: ber.string(), window: windowOf(ber) };
      return { kind: 'enrolTotp', ...given, onlyFirst: ber.more && ber.boolean(tags.onlyFirst) };
    }
    throw refuse(errors.verifyMalformed);
  }, tag);
  return secret;
}

function windowOf(ber: BerReader): number {
  const window = ber.number();
  if (window > windowMax) throw refuse(errors.verifyMalformed);
  return window;
}

const whats: Readonly<Record<Secret['kind'], string>> = {
  holder: 'whether one may sign in from there',
  totp: 'a code of an authenticator app',
  recovery: 'a recovery code',
  enrolTotp: 'enrolment of an authenticator app',
};

interface Spent {
  /** For the audit. */
  readonly said: string;
  /** Codes of a set. */
  readonly left?: number;
}

function spend(call: Call, realm: Realm, dn: string, secret: Exclude<Secret, { kind: 'holder' }>): Promise<Spent> {
  switch (secret.kind) {
    case 'totp':
      return spendTotp(call, dn, secret);
    case 'recovery':
      return spendRecovery(call, realm, dn, secret.code);
    case 'enrolTotp':
      return enrolTotp(call, realm, dn, secret);
  }
}

async function spendTotp(call: Call, dn: string, { code, window }: Secret & { kind: 'totp' }): Promise<Spent> {
  const { engine } = call;
  const totp = await loadTotp();
  await commit(engine, (look) => {
    const { entry, attributes } = holderOf(call, look(), dn);
    const held = heldApp(engine, entry.uuid, attributes);
    if (held.kind === 'none') throw new VerificationRefused(credentialsErrors.factorAbsent, 'absent');
    if (held.kind === 'unreadable') throw refuse(credentialsErrors.factorUnreadable);
    const step = judged(totp, engine, held.credential, lastStepOf(attributes), code, window);
    attributes.set(lastStepKey, { description: lastStep, values: [Buffer.from(String(step))] });
    // With the same commit: the web layer would note it with another.
    attributes.set(secondFactorUsed.toLowerCase(), { description: secondFactorUsed, values: [utf8('TRUE')] });
    return changedEntry(engine, look(), entry, attributes, { touched });
  });
  return { said: `${whats.totp}: accepted` };
}

/** @returns the step whose code it is */
function judged(
  totp: Totp,
  { clock }: Pick<Engine, 'clock'>,
  credential: Parameters<typeof judgeTotp>[1],
  last: number | undefined,
  code: string,
  window: number,
): number {
  const judgement = judgeTotp(totp, credential, last, { code, window, nowMs: clock.nowMs() });
  switch (judgement.kind) {
    case 'accepted':
      return judgement.step;
    case 'replay':
      throw new VerificationRefused(credentialsErrors.codeReplayed, 'replay');
    case 'wrong':
      throw new VerificationRefused(credentialsErrors.codeWrong, 'wrong');
  }
}

/** The set may be another one by the time its hash is made: then the try is judged again, by that one. */
const setsMax = 3;

async function spendRecovery(call: Call, realm: Realm, dn: string, code: string): Promise<Spent> {
  const { engine } = call;
  const form = recoveryForm(code);
  for (let tries = 1; ; tries++) {
    const seen = setOf(call, dn);
    // The hash comes first and always: whatever the person holds, a try is one.
    const { index } = await engine.hasher.findInSet(form ?? unlike, seen, hashCost(realm));
    const found = form === undefined || index === undefined ? undefined : seen[index];
    let left = 0;
    try {
      await commit(engine, (look) => {
        const { entry, attributes } = holderOf(call, look(), dn);
        const values = attributes.get(recoveryCodeKey)?.values;
        if (values === undefined) throw new VerificationRefused(credentialsErrors.factorAbsent, 'absent');
        const now = codesLeft(values);
        if (found === undefined || !now.includes(found)) {
          if (tries < setsMax && now[0]?.split('$')[1] !== seen[0]?.split('$')[1]) throw new SetChanged();
          throw new VerificationRefused(credentialsErrors.codeWrong, 'wrong');
        }
        const rest = withoutCode(values, found);
        left = codesLeft(rest).length;
        attributes.set(recoveryCodeKey, { description: recoveryCode, values: rest });
        return changedEntry(engine, look(), entry, attributes, { touched });
      });
      return { said: `${whats.recovery}: accepted, ${left} left`, left };
    } catch (error) {
      if (!(error instanceof SetChanged)) throw error;
    }
  }
}

/** Of no code: it is hashed for the work alone. */
const unlike = new Uint8Array(10);

class SetChanged extends Error {}

function setOf({ engine }: Call, dn: string): readonly string[] {
  const entry = entryNamed(engine, engine.store.snapshot(), dn);
  return entry === undefined ? [] : codesLeft(attributesOf(engine.schema, entry).get(recoveryCodeKey)?.values ?? []);
}

async function enrolTotp(
  call: Call,
  realm: Realm,
  dn: string,
  { credential, code, window, onlyFirst }: Secret & { kind: 'enrolTotp' },
): Promise<Spent> {
  const { engine, asker } = call;
  const totp = await loadTotp();
  const type = engine.schema.attributeType(totpCredential);
  if (type === undefined) throw new Error(`no schema defines ${totpCredential}`);
  checkSealable(type, [credential]);
  const given = readTotpCredential(credential);
  if (given === undefined) throw refuse(errors.verifyMalformed);
  await commit(engine, (look) => {
    const snapshot = look();
    const { entry, attributes } = holderOf(call, snapshot, dn);
    // Another sign-in with the same password may have enrolled one since it was decided that there is none.
    if (onlyFirst && secondFactorsOf(engine, entry).length > 0) throw new VerificationRefused(credentialsErrors.factorHeld, 'held');
    if (!asker.rightsAt(entry, snapshot).mayWrite(type)) throw refuse(errors.accessDenied, { why: `${totpCredential} may not be changed` });
    const step = judged(totp, engine, given, undefined, code, window);
    const stored = storedForm(engine, realm, entry.uuid, totpCredentialKey, credential);
    attributes.set(totpCredentialKey, { description: totpCredential, values: [stored] });
    // RFC 6238 §5.2: a code works once, the one that confirmed enrolment included.
    attributes.set(lastStepKey, { description: lastStep, values: [Buffer.from(String(step))] });
    return changedEntry(engine, snapshot, entry, attributes, { touched, by: writerName(engine, asker.identity) });
  });
  return { said: `${whats.enrolTotp}: written` };
}

interface Holder {
  readonly entry: StoredEntry;
  readonly attributes: Attributes;
}

/** @throws VerificationRefused of nobody, and of whom rules of access let nobody be from there */
function checkHolder(call: Call, snapshot: Snapshot, dn: string): void {
  const entry = entryNamed(call.engine, snapshot, dn);
  if (entry === undefined || !mayAuth(call, snapshot, entry)) throw new VerificationRefused(credentialsErrors.holderElsewhere, 'wrong');
}

/** Whose code it is. @throws VerificationRefused of nobody's and of a disabled account */
function holderOf(call: Call, snapshot: Snapshot, dn: string): Holder {
  const { engine } = call;
  const entry = entryNamed(engine, snapshot, dn);
  if (entry === undefined || !mayAuth(call, snapshot, entry)) throw new VerificationRefused(credentialsErrors.holderUnknown, 'wrong');
  if (accountOf(entry, engine.clock.nowMs()).bar !== undefined) throw new VerificationRefused(credentialsErrors.holderDisabled, 'wrong');
  return { entry, attributes: new Map(attributesOf(engine.schema, entry)) };
}

const touched: ReadonlySet<string> = new Set([lastStepKey, totpCredentialKey, recoveryCodeKey, secondFactorUsed.toLowerCase()]);
