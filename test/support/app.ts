import { execFileSync } from 'node:child_process';
import { base32Of, type Chance, systemChance } from '#base';

/** An authenticator app as somebody has it: codes are made by oathtool, which knows nothing of this service. */
export interface App {
  /** The value of `stsTotpCredential`. */
  readonly credential: string;
  readonly secret: string;
  /** The code of a moment, or of one so many steps later. */
  code(atMs: number, stepsLater?: number): string;
  /** One that is right nowhere near that moment. */
  wrong(atMs: number): string;
}

interface Given {
  readonly algorithm?: 'SHA1' | 'SHA256' | 'SHA512';
  readonly digits?: number;
  readonly period?: number;
  readonly secret?: string;
  readonly addedMs?: number;
}

export function createApp(given: Given = {}, chance: Chance = systemChance): App {
  const { algorithm = 'SHA1', digits = 6, period = 30, secret = base32Of(chance.octets(20)), addedMs = 1_795_000_000_000 } = given;
  const options = [`--totp=${algorithm.toLowerCase()}`, '--base32', `--digits=${digits}`, `--time-step-size=${period}s`];
  const codes = (atMs: number, more: readonly string[]) =>
    execFileSync('oathtool', [...options, `--now=@${Math.floor(atMs / 1000)}`, ...more, secret])
      .toString()
      .trim()
      .split('\n');
  return {
    credential: JSON.stringify({ secret, algorithm, digits, period, addedMs }),
    secret,
    code: (atMs, stepsLater = 0) => codes(atMs + stepsLater * period * 1000, [])[0] ?? '',
    wrong: (atMs) => {
      const near = codes(atMs - 20 * period * 1000, ['--window=40']);
      for (let n = 0; ; n++) {
        const code = String(n).padStart(digits, '0');
        if (!near.includes(code)) return code;
      }
    },
  };
}
