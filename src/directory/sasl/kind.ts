import type { Report } from '../account.ts';
import type { Call } from '../call.ts';
import type { Identity } from '../types.ts';

/** How a step of a SASL exchange ended (RFC 4422 §3). */
export type Step =
  | { readonly kind: 'done'; readonly identity: Identity; readonly credentials?: Uint8Array }
  | { readonly kind: 'more'; readonly credentials: Uint8Array; next(credentials: Uint8Array | undefined, teller: Teller): Promise<Step> };

/** What the audit trail is told while someone authenticates. */
export interface Teller extends Report {
  /** Who it is said to be, as the client has it. */
  subject(name: string): void;
}

/** One SASL mechanism: a row of `table.ts`. */
export interface SaslKind {
  readonly mechanism: string;
  /** Where it is offered and listed. */
  offered(call: Pick<Call, 'engine' | 'connection'>): boolean;
  /**
   * The first step.
   *
   * @throws Refusal  `saslMalformed` (2), what a judgement refuses (49), `notAuthorized` (50)
   */
  begin(call: Call, credentials: Uint8Array | undefined, teller: Teller): Step | Promise<Step>;
}
