import { artifactKey } from './adapter.ts';
import type { ProviderDeps } from './deps.ts';
import type { KoaContextWithOIDC } from './library.ts';
import type { Passing } from './passing.ts';

/**
 * Has a pushed request wait for as long as the sign-in that it needs. It was judged when it was pushed; what says in it until when it is good is moved on.
 *
 * @see RFC 9126 §2.2, §4: how long it lives is the server's, and it is used once all the same
 */
export async function keepPushed(deps: ProviderDeps, { issuer: { realm, server } }: Passing, { oidc }: KoaContextWithOIDC): Promise<void> {
  const pushed = oidc.entities.PushedAuthorizationRequest;
  if (pushed === undefined) return;
  const found = await deps.kept.artifact(realm.id, artifactKey(server, 'PushedAuthorizationRequest', pushed.jti));
  if (found === undefined) return;
  const untilMs = deps.clock.nowMs() + deps.pendingTtlS(realm.id) * 1000;
  if (untilMs <= found.expiresAtMs) return;
  const exp = Math.ceil(untilMs / 1000);
  const request = found.value.payload['request'];
  const payload = { ...found.value.payload, exp, request: typeof request === 'string' ? waiting(request, exp) : request };
  await deps.kept.change(found, { ...found.value, payload }, untilMs);
}

/** The same claims, good until then. The library looks at no signature of what was pushed: it did so then. */
function waiting(request: string, exp: number): string {
  const [, claims = ''] = request.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Record<string, unknown>;
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode({ ...read, exp })}.`;
}
