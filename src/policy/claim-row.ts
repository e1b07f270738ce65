/** What a scope tells of a person: the claim, and the attribute of their entry that it is read from. */
export interface ClaimRow {
  readonly scope: string;
  readonly claim: string;
  readonly attribute: string;
}

/** Claims that tokens have of their own: no attribute takes their place. */
export const reservedClaims: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'azp', 'auth_time', 'acr', 'amr', 'at_hash', 'c_hash', 's_hash', 'sid'],
  ...['act', 'may_act', 'cnf', 'scope', 'client_id', 'events', '_claim_names', '_claim_sources', '__proto__', 'constructor', 'prototype'],
]);

/** Reads `scope claim attribute`, as a value of `stsClaim` has it; `undefined` for what is none. */
export function claimRowOf(value: string): ClaimRow | undefined {
  const [, scope, claim, attribute] = /^([!#-[\]-~]{1,64}) ([A-Za-z_][\w:./-]{0,99}) ([A-Za-z][A-Za-z0-9-]{0,63})$/.exec(value) ?? [];
  return scope === undefined || claim === undefined || attribute === undefined ? undefined : { scope, claim, attribute };
}
