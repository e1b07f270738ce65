import { fromBase32, text } from '#base';
import { type Totp, type TotpAlgorithm, type TotpParameters, totpAlgorithms, totpDigits, totpPeriodS, totpSecretOctets } from '#keys';

/** An authenticator app as its person's entry keeps it. */
export interface TotpCredential extends TotpParameters {
  readonly addedMs: number;
}

/** More than any credential takes. */
const credentialOctetsMax = 1024;
const fields = ['secret', 'algorithm', 'digits', 'period', 'addedMs'];

/**
 * Reads the value of `stsTotpCredential`: JSON text `{"secret":"<base32>","algorithm":"SHA1","digits":6,"period":30,"addedMs":…}`.
 *
 * @returns `undefined` for anything else, and for parameters that no code could be made with
 */
export function readTotpCredential(octets: Uint8Array): TotpCredential | undefined {
  const given = octets.length > credentialOctetsMax ? undefined : text(octets);
  const object = given === undefined ? undefined : parseJson(given);
  if (typeof object !== 'object' || object === null || Object.keys(object).some((name) => !fields.includes(name))) return undefined;
  const { secret: base32, algorithm, digits, period, addedMs } = object as Readonly<Record<string, unknown>>;
  const secret = typeof base32 === 'string' ? fromBase32(base32) : undefined;
  if (secret === undefined || !isWithin(secret.length, totpSecretOctets)) return undefined;
  if (!isAlgorithm(algorithm) || !isWithin(digits, totpDigits) || !isWithin(period, totpPeriodS)) return undefined;
  if (!isWithin(addedMs, { min: 0, max: Number.MAX_SAFE_INTEGER })) return undefined;
  return { secret, algorithm, digits, period, addedMs };
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

function isAlgorithm(value: unknown): value is TotpAlgorithm {
  return totpAlgorithms.some((each) => each === value);
}

function isWithin(value: unknown, { min, max }: { readonly min: number; readonly max: number }): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}

export type TotpJudgement =
  /** `step` is to be kept as the last one: no code of it or of an earlier one is taken again. */
  | { readonly kind: 'accepted'; readonly step: number }
  /** The code is right, and it or a later one was taken before. */
  | { readonly kind: 'replay' }
  | { readonly kind: 'wrong' };

/**
 * Judges a code. One that is that of several steps by chance is taken for the oldest that was not used.
 *
 * @param lastStep  the newest that was accepted; `undefined` before the first
 * @see RFC 6238 §5.2: a code is accepted once
 */
export function judgeTotp(
  totp: Totp,
  credential: TotpCredential,
  lastStep: number | undefined,
  presented: { readonly code: string; readonly window: number; readonly nowMs: number },
): TotpJudgement {
  const steps = totp.steps(credential, presented.code, presented.nowMs, presented.window);
  const step = steps.find((each) => lastStep === undefined || each > lastStep);
  if (step !== undefined) return { kind: 'accepted', step };
  return { kind: steps.length === 0 ? 'wrong' : 'replay' };
}
