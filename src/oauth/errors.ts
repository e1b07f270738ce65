import type { ErrorRow } from '#catalogue';

export const errors = {
  webfingerMalformed: row('9100', 'a webfinger request without one resource (RFC 7033 §4.2)', 400),
  webfingerUnknown: row('9101', 'a webfinger request for what is no realm of this service', 404),
  keysUnavailable: row(
    '9102',
    'nothing can be signed: there is no key-encryption key (keys.kek), or the signing keys do not open under the one at hand',
    503,
  ),
} as const satisfies Record<string, ErrorRow>;

function row(digits: `${number}`, means: string, http: number): ErrorRow {
  return { code: `STS-OAUTH-${digits}`, means, sees: { http }, state: 'live' };
}
