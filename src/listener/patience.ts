import type { Limits } from './settings.ts';

/** How a connection stands with time. */
export interface Waits {
  readonly phase: 'open' | 'ending' | 'closing' | 'gone';
  /** Octets that the peer has not taken, and when it last took some. */
  readonly unsent: number;
  readonly takenMs: number;
  readonly closingSinceMs: number;
  /** Since when TLS is being agreed on. */
  readonly securingSinceMs: number | undefined;
  /** Since when the rest of a message is waited for; `undefined` while none is, or while nothing is taken anyway. */
  readonly partialSinceMs: number | undefined;
  readonly atRest: boolean;
  readonly readMs: number;
}

/** `stalled`: it reads nothing; `deaf`: it was told goodbye and does not hang up; `insecure`: no TLS came of it. */
type Verdict = 'patient' | 'stalled' | 'deaf' | 'insecure' | 'slow' | 'idle';

/** Whether a peer has been too slow or silent for too long. */
export function judgeTime(waits: Waits, limits: Limits, nowMs: number): Verdict {
  const stallMs = limits['ldap.stallTimeoutS'] * 1000;
  const idleMs = limits['ldap.idleTimeoutS'] * 1000;
  const { phase, securingSinceMs, partialSinceMs } = waits;
  if (securingSinceMs !== undefined) return nowMs - securingSinceMs >= stallMs ? 'insecure' : 'patient';
  if (waits.unsent > 0 && nowMs - waits.takenMs >= stallMs) return 'stalled';
  if (phase === 'closing' && nowMs - waits.closingSinceMs >= stallMs) return 'deaf';
  if (phase !== 'open') return 'patient';
  if (partialSinceMs !== undefined && nowMs - partialSinceMs >= stallMs) return 'slow';
  return idleMs > 0 && waits.atRest && nowMs - waits.readMs >= idleMs ? 'idle' : 'patient';
}
