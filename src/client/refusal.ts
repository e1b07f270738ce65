import { type Result, resultName } from '#ldap';

/** The directory refused an operation. For the room that asked; what a person is told is that room's business. */
export class ClientRefusal extends Error {
  /** Result code (RFC 4511 §4.1.9); any number a server may send. */
  readonly code: number;
  readonly diagnostic: string;
  readonly matchedDN: string;
  constructor({ code, diagnostic, matchedDN }: Result) {
    super(`${resultName(code)} (${code})${diagnostic === '' ? '' : `: ${diagnostic}`}`);
    this.code = code;
    this.diagnostic = diagnostic;
    this.matchedDN = matchedDN;
  }
}
