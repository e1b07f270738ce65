const lengthMax = 32_768;

export interface JwtAsked {
  /** Absent where any will do. */
  readonly audience?: string;
  /** `at+jwt` for access tokens, `JWT` for ID tokens; an access token where none is said. */
  readonly typ?: string;
  /** Absent where it does not matter whether it is over. */
  readonly nowMs?: number;
}

/**
 * What a token of an authorization server says, once its signature is verified; or why it is none.
 *
 * @param keys  those that the realm publishes
 * @see RFC 9068 §4, RFC 8725 §3
 */
export async function claimsOfJwt(
  keys: { readonly keys: readonly object[] },
  token: string,
  issuer: string,
  { audience, typ = 'at+jwt', nowMs }: JwtAsked,
): Promise<Readonly<Record<string, unknown>> | string> {
  if (token === '' || token.length > lengthMax) return 'it is no token of this service';
  const { createLocalJWKSet, jwtVerify } = await import('jose');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys as never), {
      ...(typ === 'JWT' ? {} : { typ }),
      issuer,
      ...(audience === undefined ? {} : { audience }),
      // One that is over still says whose it is.
      ...(nowMs === undefined ? { currentDate: new Date(0) } : { currentDate: new Date(nowMs), requiredClaims: ['exp', 'jti'] }),
    });
    // RFC 8725 §3.11: a logout token and a signed response are for the client, too.
    if (typ === 'JWT' && protectedHeader.typ !== undefined && protectedHeader.typ !== typ) return 'it is no ID token';
    return payload;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'it cannot be read';
  }
}
