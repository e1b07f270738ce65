import type { ErrorRow } from '#catalogue';
import { applicationRefusals } from '#policy';

/** What clients see is the protocol's own error; which of these it was stands in the audit trail. */
export const errors = {
  invalidRequest: row('9000', 'a request is malformed, or says what it may not', 400),
  ...applicationRefusals,
  invalidGrant: row('9002', 'a code or a refresh token is not good: unknown, over, of another client or server, or not proved', 400),
  unsupported: row('9004', 'a grant type, response type or token type is not one of this server', 400),
  invalidScope: row('9005', 'a client asks for a scope that it may not have', 400),
  accessDenied: row('9006', 'the person cancelled the sign-in, or said no', 303),
  invalidTarget: row('9007', 'a client asks for a resource that it may not have tokens for', 400),
  interactionNeeded: row('9008', 'a request that may show nothing (prompt=none) needs the person', 303),
  invalidRedirectUri: row('9009', 'a redirect URI is not one of its client', 400),
  invalidRequestUri: row('9010', 'a pushed request is unknown, over, or was used', 400),
  invalidRequestObject: row('9011', 'a signed request is malformed, over, or not signed by its client', 400),
  invalidProof: row('9012', 'a DPoP proof is malformed, old, of another request or key, or was used', 401),
  invalidToken: row('9013', 'an access token is not good: unknown, over, revoked, or for somebody else', 401),
  insufficientScope: row('9014', 'an access token lacks a scope', 403),
  failed: { ...row('9015', 'a request failed by a fault of this service: STS-HTTP-0003 says so', 500), state: 'retired' },
  reused: row('9016', 'a code or a refresh token was used twice: all that came of its authorization is revoked', 400),
  unmet: row('9018', 'the sign-in is not of the class that the application asks for', 303),
  serverNameRefused: row('9019', 'a path names an authorization server that there cannot be', 404),
  tooLong: row('9020', 'an authorization request is longer than could be come back to', 400),

  logoutNotTaken: {
    code: 'STS-LOGOUT-9000',
    means: 'an application did not take the news that somebody signed out; it is told again: {why}',
    sees: {},
    state: 'live',
  },
  webfingerMalformed: row('9100', 'a webfinger request without one resource (RFC 7033 §4.2)', 400),
  webfingerUnknown: row('9101', 'a webfinger request for what is no realm of this service', 404),
  keysUnavailable: row(
    '9102',
    'nothing can be signed: there is no key-encryption key (keys.kek), or the signing keys do not open under the one at hand',
    503,
  ),
  consentGone: row('9103', 'a question for consent that nobody waits for an answer to: answered, over, or of another browser', 410),
  consentUnkept: row('9104', 'a consent that the directory does not let its person keep', 403),
  bodyTooLong: row('9330', 'the form that came to an endpoint is longer than oauth.formOctetsMax', 413),
  sentTwice: row('9331', 'a request carries a header or a parameter twice of which there may be one (RFC 6749 §3.1, §3.2)', 400),
  codesTooMany: row('9105', 'a person typed more codes of devices than may be tried within an hour, and none was one', 429),
} as const satisfies Record<string, ErrorRow>;

function row(digits: `${number}`, means: string, http: number): ErrorRow {
  return { code: `STS-OAUTH-${digits}`, means, sees: { http }, state: 'live' };
}
