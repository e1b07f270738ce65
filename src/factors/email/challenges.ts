import { type Chance, token, utf8 } from '#base';
import type { HashCost, Hasher } from '#keys';
import type { Kept, State } from '#state';

/** What was mailed and is waited for: its hash alone. */
interface Challenge {
  /** `{SCRYPT}…` */
  readonly hash: string;
  /** How often something was held against it. */
  readonly tries: number;
  /** To whom it went; empty for nobody. */
  readonly to: string;
}

/** What came of holding something against what was mailed. */
export type Held =
  | { readonly kind: 'right'; readonly to: string }
  | { readonly kind: 'wrong'; readonly left: number }
  /** It was wrong, and it was the last try. */
  | { readonly kind: 'ended' }
  /** There is nothing to hold it against: never was, used, replaced or too old. */
  | { readonly kind: 'over' };

/** Secrets that are mailed: each is worth something once, until a time, for whoever holds its key. */
export interface Challenges {
  /**
   * Makes a secret in place of the last one under the key.
   *
   * @param kind  a code to type, six digits; or a token in a link
   * @param key   what it is for: a sign-in, a page of a session
   * @returns the secret; it is kept as its scrypt hash
   */
  begin(realm: string, key: string, kind: 'code' | 'link', to: string, untilMs: number): Promise<string>;
  /**
   * Holds what came back against it. A try is counted before it is judged, so that of many at once no more are judged than there are tries.
   *
   * @param triesMax  wrong ones after which it is worth nothing
   */
  judge(realm: string, key: string, presented: string, triesMax: number): Promise<Held>;
}

export interface ChallengesOptions {
  readonly state: State;
  readonly hasher: Hasher;
  readonly chance: Chance;
  readonly costOf: (realm: string) => HashCost;
  /** Secrets of a realm that are waited for. */
  readonly rowsMax: (realm: string) => number;
}

const linkOctets = 32;
const codeDigits = 6;

export function openChallenges({ state, hasher, chance, costOf, rowsMax }: ChallengesOptions): Challenges {
  const kind = state.kind<Challenge>({ name: 'emailed', parse: parseChallenge, rowsMax });
  const admit = async (realm: string, key: string, triesMax: number): Promise<Kept<Challenge> | undefined> => {
    for (;;) {
      const kept = await kind.get(realm, key);
      if (kept === undefined || kept.value.tries >= triesMax) return undefined;
      const counted = await kind.replace(kept, { ...kept.value, tries: kept.value.tries + 1 });
      if (counted !== undefined) return counted;
    }
  };
  /** Spends it: of several right ones one does, and none does when a newer secret stands there. */
  const spend = async (realm: string, key: string, { hash }: Challenge): Promise<boolean> => {
    for (;;) {
      const now = await kind.get(realm, key);
      if (now === undefined || now.value.hash !== hash) return false;
      const spent = await kind.replace(now, { ...now.value, hash: '', tries: Number.MAX_SAFE_INTEGER });
      if (spent === undefined) continue;
      await kind.remove(spent);
      return true;
    }
  };
  return {
    begin: async (realm, key, what, to, untilMs) => {
      const secret = what === 'code' ? digits(chance) : token(chance, linkOctets);
      const hash = await hasher.hash(utf8(secret), costOf(realm));
      await kind.put(realm, key, { hash, tries: 0, to }, untilMs);
      return secret;
    },
    judge: async (realm, key, presented, triesMax) => {
      const admitted = await admit(realm, key, triesMax);
      // The same work where there is nothing to hold it against.
      const { matches } = await hasher.verify(utf8(presented), admitted?.value.hash, costOf(realm));
      if (admitted === undefined) return { kind: 'over' };
      if (matches) return (await spend(realm, key, admitted.value)) ? { kind: 'right', to: admitted.value.to } : { kind: 'over' };
      const left = triesMax - admitted.value.tries;
      return left > 0 ? { kind: 'wrong', left } : { kind: 'ended' };
    },
  };
}

/** Six digits, each number as likely as any other. */
function digits(chance: Chance): string {
  const numbers = 10 ** codeDigits;
  const fair = Math.floor(2 ** 32 / numbers) * numbers;
  for (;;) {
    const drawn = Buffer.from(chance.octets(4)).readUInt32BE();
    if (drawn < fair) return String(drawn % numbers).padStart(codeDigits, '0');
  }
}

function parseChallenge(value: unknown): Challenge | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { hash, tries, to } = value as Record<string, unknown>;
  return typeof hash === 'string' && Number.isSafeInteger(tries) && typeof to === 'string' ? (value as Challenge) : undefined;
}
