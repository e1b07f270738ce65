import type { PasswordPolicy } from './password-policy.ts';

type Times = Pick<PasswordPolicy, 'maxAgeS' | 'warnS' | 'graceLogins' | 'minAgeS'>;

/** What an entry says of its password's age. */
export interface PasswordTimes {
  /** `pwdChangedTime`, in milliseconds; `undefined` for a password that was set before such times were kept, or came by an import without one. */
  readonly changedMs: number | undefined;
  /** How often it was let in since it expired: values of `pwdGraceUseTime`. */
  readonly graceUses: number;
}

/** What becomes of somebody with the right password, by its age. */
export type PasswordAge =
  | { readonly kind: 'good' }
  /** It is good for so many seconds more. */
  | { readonly kind: 'expiring'; readonly leftS: number }
  /** It has expired and is let in once more; `left` is how often after this time. */
  | { readonly kind: 'grace'; readonly left: number }
  | { readonly kind: 'expired' };

/**
 * When a password expires, in milliseconds; `undefined` for never.
 *
 * @see draft-behera-ldap-password-policy §5.3.2: a password without a time of its change never expires
 */
export function passwordExpiryMs({ maxAgeS }: Times, changedMs: number | undefined): number | undefined {
  return maxAgeS === 0 || changedMs === undefined ? undefined : changedMs + maxAgeS * 1000;
}

/** @see draft-behera-ldap-password-policy §7.1 */
export function passwordAge(policy: Times, { changedMs, graceUses }: PasswordTimes, nowMs: number): PasswordAge {
  const expiresMs = passwordExpiryMs(policy, changedMs);
  if (expiresMs === undefined) return { kind: 'good' };
  const leftMs = expiresMs - nowMs;
  if (leftMs <= 0) {
    const left = policy.graceLogins - graceUses - 1;
    return left < 0 ? { kind: 'expired' } : { kind: 'grace', left };
  }
  return leftMs <= policy.warnS * 1000 ? { kind: 'expiring', leftS: Math.ceil(leftMs / 1000) } : { kind: 'good' };
}

/** Seconds until a password's owner may set another; 0 where they may now. */
export function passwordTooYoungS({ minAgeS }: Times, changedMs: number | undefined, nowMs: number): number {
  return minAgeS === 0 || changedMs === undefined ? 0 : Math.max(0, Math.ceil((changedMs + minAgeS * 1000 - nowMs) / 1000));
}
