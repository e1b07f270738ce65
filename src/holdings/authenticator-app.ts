/** An authenticator app as its entry shows it: no secret. */
export interface AuthenticatorApp {
  readonly algorithm: 'SHA1' | 'SHA256' | 'SHA512';
  readonly digits: number;
  /** Seconds of a step. */
  readonly period: number;
  readonly addedMs: number;
  /** The newest step whose code was accepted (RFC 6238 §5.2). */
  readonly lastStep?: number;
}

/** The value of `stsAuthenticatorApp`: `algorithm=SHA1 digits=6 period=30 added=<ms> lastStep=<n>`. */
export function printAuthenticatorApp({ algorithm, digits, period, addedMs, lastStep }: AuthenticatorApp): string {
  const last = lastStep === undefined ? '' : ` lastStep=${lastStep}`;
  return `algorithm=${algorithm} digits=${digits} period=${period} added=${addedMs}${last}`;
}

const form = /^algorithm=(SHA1|SHA256|SHA512) digits=(\d{1,2}) period=(\d{1,5}) added=(\d{1,15})(?: lastStep=(\d{1,15}))?$/;

/** Reads a value of `stsAuthenticatorApp`; `undefined` for what is none. */
export function parseAuthenticatorApp(value: string): AuthenticatorApp | undefined {
  const [, algorithm, digits, period, addedMs, lastStep] = form.exec(value) ?? [];
  if (algorithm === undefined) return undefined;
  return {
    algorithm: algorithm as AuthenticatorApp['algorithm'],
    digits: Number(digits),
    period: Number(period),
    addedMs: Number(addedMs),
    ...(lastStep === undefined ? {} : { lastStep: Number(lastStep) }),
  };
}
