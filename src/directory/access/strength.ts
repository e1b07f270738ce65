import type { Identity } from '../types.ts';

/** One word of a strength. */
export type Word =
  | { readonly kind: 'app-password' | 'own-password' | 'certificate' | 'session' | 'two-factors' | 'all-factors' | 'operators' }
  | { readonly kind: 'fresh'; readonly seconds: number };

/** How someone came in. */
export interface CameIn extends Pick<Identity, 'strength' | 'session'> {
  /** Whether they had a second factor by the time at which the session's authentication was. One that came since was there for them to add. */
  readonly heldSecond: boolean;
}

export const strengthWords = ['app-password', 'own-password', 'certificate', 'session', 'two-factors', 'all-factors', 'operators'] as const;

/** More than any session lasts. */
export const freshMaxS = 31_557_600;

/**
 * @param text  words joined by `+`
 * @returns the words, or what is wrong with them
 */
export function readStrength(text: string): readonly Word[] | { readonly why: string } {
  const words: Word[] = [];
  for (const part of text.split('+').map((each) => each.trim().toLowerCase())) {
    const plain = strengthWords.find((each) => each === part);
    const seconds = /^fresh:(0|[1-9]\d{0,8})$/.exec(part)?.[1];
    if (plain !== undefined) words.push({ kind: plain });
    else if (seconds !== undefined && Number(seconds) >= 1 && Number(seconds) <= freshMaxS)
      words.push({ kind: 'fresh', seconds: Number(seconds) });
    else return { why: `${part}: no such strength; there are ${strengthWords.join(', ')} and fresh:<seconds, 1 to ${freshMaxS}>` };
  }
  return words;
}

/** Whether the words of one of the alternatives all hold; without alternatives, always. */
export function holdsOneOf(strengths: readonly (readonly Word[])[], cameIn: CameIn, nowMs: number): boolean {
  return strengths.length === 0 || strengths.some((words) => words.every((word) => holds(word, cameIn, nowMs)));
}

function holds(word: Word, { strength, session, heldSecond }: CameIn, nowMs: number): boolean {
  switch (word.kind) {
    case 'app-password':
      return strength === 'appPassword';
    case 'own-password':
      return strength === 'ownPassword';
    case 'certificate':
      return strength === 'certificate';
    case 'operators':
      return strength === 'operatorsSocket';
    case 'session':
      return session !== undefined;
    case 'two-factors':
      return session !== undefined && session.factors >= 2;
    case 'all-factors':
      return session !== undefined && (session.factors >= 2 || !heldSecond);
    case 'fresh':
      return session !== undefined && nowMs - session.authenticatedMs <= word.seconds * 1000;
  }
}

/** Until when what holds now holds, in milliseconds since 1970: freshness passes, nothing else of a strength does. */
export function holdsUntilMs(strengths: readonly (readonly Word[])[], { session }: Pick<CameIn, 'session'>, nowMs: number): number {
  if (session === undefined) return Number.POSITIVE_INFINITY;
  const ends = strengths
    .flat()
    .flatMap((word) => (word.kind === 'fresh' ? [session.authenticatedMs + word.seconds * 1000] : []))
    .filter((endMs) => endMs >= nowMs);
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}
