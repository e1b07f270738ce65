import { base32Of, utf8 } from '#base';
import { constantTimeEqual } from './digest.ts';

/** What an authenticator app and the service share (RFC 6238 §4). */
export interface TotpParameters {
  /** `totpSecretOctets` of them. */
  readonly secret: Uint8Array;
  readonly algorithm: TotpAlgorithm;
  /** 6 to 8. */
  readonly digits: number;
  /** Seconds of a step, `totpPeriodS` of them. */
  readonly period: number;
}

export const totpAlgorithms = ['SHA1', 'SHA256', 'SHA512'] as const;
export type TotpAlgorithm = (typeof totpAlgorithms)[number];

/** RFC 4226 §4 R6: 128 bits at least. The library takes no more than 64 octets. */
export const totpSecretOctets = { min: 16, max: 64 } as const;
export const totpDigits = { min: 6, max: 8 } as const;
export const totpPeriodS = { min: 15, max: 300 } as const;

/** The step of a moment (RFC 6238 §4.2), counted from 1970. */
export function totpStep(period: number, nowMs: number): number {
  return Math.floor(nowMs / 1000 / period);
}

/** Makes codes and finds them again. */
export interface Totp {
  /** The code of a step. */
  code(parameters: TotpParameters, step: number): string;
  /**
   * The steps about a moment whose code is the one that is given, the oldest first. The work is the same whichever they are.
   *
   * @param code    as it was typed; one that is no row of digits is nobody's
   * @param window  steps of skew either side (RFC 6238 §5.2)
   */
  steps(parameters: TotpParameters, code: string, nowMs: number, window: number): number[];
}

const libraryNames = { SHA1: 'sha1', SHA256: 'sha256', SHA512: 'sha512' } as const;

let loaded: Promise<Totp> | undefined;

/** The library is loaded with the first use: a start is mostly loading. */
export function loadTotp(): Promise<Totp> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Totp> {
  const { generateSync } = await import('otplib');
  const code: Totp['code'] = ({ secret, algorithm, digits, period }, step) =>
    generateSync({
      strategy: 'totp',
      secret: base32Of(secret),
      algorithm: libraryNames[algorithm],
      digits: digits as 6 | 7 | 8,
      period,
      epoch: step * period,
    });
  return {
    code,
    steps(parameters, given, nowMs, window) {
      const typed = utf8(/^[0-9]{6,8}$/.test(given) ? given : '');
      const now = totpStep(parameters.period, nowMs);
      const found: number[] = [];
      for (let step = Math.max(0, now - window); step <= now + window; step++)
        if (constantTimeEqual(utf8(code(parameters, step)), typed)) found.push(step);
      return found;
    },
  };
}
