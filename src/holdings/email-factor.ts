/** An address of a person, as far as it can be a factor. */
export interface EmailFactor {
  readonly address: string;
  /** The person has shown that they read what is sent there. */
  readonly verified: boolean;
  /** The person wants it as a factor. */
  readonly optedIn: boolean;
  /** Wrong codes in a row, as a second factor. */
  readonly failures: number;
  /** The same as a first factor, which anybody may try who knows the name. */
  readonly firstFailures: number;
}

/**
 * The address that a code would go to: the first that is verified, else the first. What was verified counts only while it is an address of the entry.
 *
 * @param values  of an attribute of the entry
 */
export function emailFactorOf(values: (attribute: string) => readonly string[]): EmailFactor | undefined {
  const addresses = values('mail');
  const proved = new Set(values('stsVerifiedMail').map((address) => address.toLowerCase()));
  const verified = addresses.find((address) => proved.has(address.toLowerCase()));
  const address = verified ?? addresses[0];
  if (address === undefined) return undefined;
  return {
    address,
    verified: verified !== undefined,
    optedIn: values('stsEmailFactor')[0]?.toUpperCase() === 'TRUE',
    failures: naturalOf(values('stsEmailFailures')[0]) ?? 0,
    firstFailures: naturalOf(values('stsEmailFirstFailures')[0]) ?? 0,
  };
}

/**
 * How a mailed factor of somebody stands in a role: `failed` where it is turned off, for too many wrong codes. A link as a first factor is asked for by
 * anybody, and nobody needs to be kept from guessing what nobody can.
 */
export function mailedAs(
  email: EmailFactor | undefined,
  role: 'first' | 'second',
  kind: 'code' | 'link',
  failureLimit: number,
): 'none' | 'good' | 'failed' {
  if (email?.verified !== true || (role === 'second' && !email.optedIn)) return 'none';
  if (role === 'first') return kind === 'link' || email.firstFailures < failureLimit ? 'good' : 'failed';
  return email.failures < failureLimit ? 'good' : 'failed';
}

/** A number that is not negative; `undefined` for what is none. */
export function naturalOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
