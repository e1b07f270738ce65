import type { SigningAlgorithm } from '#keys';
import type { RealmKeys } from '../keys/keys.ts';

/** How long an application may take to hear that somebody signed out. */
const timeoutMs = 5000;

/** A logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). */
export async function signLogout(keys: RealmKeys, algorithm: SigningAlgorithm, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const key = keys.privateJwks.keys.find(({ alg }) => alg === algorithm);
  if (key === undefined) throw new Error(`there is no key for ${algorithm}`);
  const { importJWK, SignJWT } = await import('jose');
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'logout+jwt', kid: key.kid })
    .sign(await importJWK(key as never, algorithm));
}

/** @returns the status; nobody is followed elsewhere, and nothing is read of the answer */
export async function postForm(url: string, form: URLSearchParams): Promise<number> {
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs), body: form });
  await answer.body?.cancel();
  return answer.status;
}
