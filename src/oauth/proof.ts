import type { Clock } from '#base';
import { utf8 } from '#base';
import { sha256 } from '#keys';

/** A DPoP proof, and what it is to prove. */
export interface PresentedProof {
  readonly proof: string;
  readonly method: string;
  /** As the client called it, without a query. */
  readonly url: string;
  readonly token: string;
  /** SHA-256 of the key (RFC 7638), base64url, to which the token is bound. */
  readonly thumbprint: string;
}

/** By which proofs may be signed. */
export const proofAlgorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'];
const lengthMax = 16_384;
/** How far the clocks of client and service may be apart. */
const windowS = 300;

/**
 * Judges a DPoP proof at a resource.
 *
 * @param once  notes that a proof was used; false when it was before
 * @returns what is wrong with it; `undefined` for a good one
 * @see RFC 9449 §4.3
 */
export async function judgeProof(
  { proof, method, url, token, thumbprint }: PresentedProof,
  clock: Clock,
  once: (jti: string, untilMs: number) => Promise<boolean>,
): Promise<string | undefined> {
  if (proof === '' || proof.length > lengthMax) return 'there is no DPoP proof';
  const { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } = await import('jose');
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: proofAlgorithms,
      currentDate: new Date(clock.nowMs()),
    });
    const { htm, htu, ath, jti, iat } = payload as Readonly<Record<string, unknown>>;
    if (typeof jti !== 'string' || jti === '' || typeof iat !== 'number') return 'the proof has no jti or no iat';
    if (Math.abs(clock.nowMs() / 1000 - iat) > windowS) return 'the proof is too old, or of tomorrow';
    if (htm !== method) return 'the proof is for another method';
    if (typeof htu !== 'string' || addressOf(htu) !== addressOf(url)) return 'the proof is for another address';
    if (ath !== Buffer.from(sha256(utf8(token))).toString('base64url')) return 'the proof is for another token';
    if ((await calculateJwkThumbprint(protectedHeader.jwk ?? {})) !== thumbprint)
      return 'the proof is by another key than the token is bound to';
    return (await once(jti, (iat + 2 * windowS) * 1000)) ? undefined : 'the proof was used before';
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'the proof cannot be read';
  }
}

/** RFC 9449 §4.3: without query and fragment. */
function addressOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url === null ? undefined : url.origin + url.pathname;
}
