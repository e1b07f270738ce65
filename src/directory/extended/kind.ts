import type { Response } from '#ldap';
import type { About } from '../audit.ts';
import type { Call } from '../call.ts';
import type { Connection } from '../types.ts';

/** One extended operation (RFC 4511 §4.12): a row of `table.ts`. */
export interface ExtendedKind {
  readonly oid: string;
  /** What the RFC calls it. */
  readonly name: string;
  /** Where it is offered and listed; everywhere when it does not say. */
  readonly offered?: (connection: Connection) => boolean;
  /**
   * @param value  the request's, if it brings one
   * @param tell  what was written, for the audit trail; an operation that only reads leaves no row
   * @param about  for the audit trail: of whom the request is, where it is not of who asks
   * @throws Refusal  what the operation refuses
   */
  perform(
    call: Call,
    value: Uint8Array | undefined,
    tell: (summary: string) => void,
    about: (about: About) => void,
  ): Response | Promise<Response>;
}
