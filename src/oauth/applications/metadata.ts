import type { ClientMetadata } from 'oidc-provider';
import type { SigningAlgorithm } from '#keys';
import type { Application } from './application.ts';

/**
 * An application as oidc-provider takes one.
 *
 * Secrets are judged by the directory: what stands for one here is no secret of anybody, and matches nothing.
 *
 * @param standIn  what stands in the place of a secret that nobody but the directory knows
 * @param algorithm  by which ID tokens are signed for who does not say
 * @see RFC 7591 §2, OpenID Connect Dynamic Client Registration §2
 */
export function toClientMetadata(
  application: Application,
  { standIn, algorithm }: { readonly standIn: string; readonly algorithm: SigningAlgorithm },
): ClientMetadata {
  const { authMethod, backchannelLogoutUri, jwks, jwksUri, url } = application;
  const hasSecret = authMethod === 'client_secret_basic' || authMethod === 'client_secret_post';
  return {
    client_id: application.clientId,
    client_name: application.name,
    ...(url === undefined || !URL.canParse(url) ? {} : { client_uri: url }),
    application_type: isNative(application) ? 'native' : 'web',
    redirect_uris: [...application.redirectUris],
    post_logout_redirect_uris: [...application.postLogoutRedirectUris],
    grant_types: [...application.grantTypes],
    response_types: [...application.responseTypes],
    token_endpoint_auth_method: authMethod,
    ...(hasSecret ? { client_secret: standIn } : {}),
    ...(jwks === undefined ? {} : { jwks: { keys: jwks.keys.map((key) => ({ ...key, kty: String(key['kty']) })) } }),
    ...(jwksUri === undefined ? {} : { jwks_uri: jwksUri }),
    id_token_signed_response_alg: application.idTokenAlgorithm ?? algorithm,
    authorization_signed_response_alg: application.authorizationResponseAlgorithm ?? algorithm,
    introspection_signed_response_alg: algorithm,
    require_pushed_authorization_requests: application.requirePar,
    require_signed_request_object: application.requireSignedRequest,
    dpop_bound_access_tokens: application.dpopBound,
    ...(backchannelLogoutUri === undefined
      ? {}
      : { backchannel_logout_uri: backchannelLogoutUri, backchannel_logout_session_required: application.backchannelLogoutSession }),
  };
}

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether it is an app of a device: one that keeps no secret and is come back to by a scheme of its own, or on any port of the machine it runs on
 * (RFC 8252 §7.1, §7.3).
 */
function isNative({ authMethod, redirectUris }: Application): boolean {
  const isOwn = (uri: string) => !/^https?:/i.test(uri);
  const isLoopback = (uri: string) => /^http:/i.test(uri) && loopbackHosts.has(new URL(uri).hostname);
  const isClaimed = (uri: string) => /^https:/i.test(uri) && !loopbackHosts.has(new URL(uri).hostname);
  return (
    authMethod === 'none' &&
    redirectUris.some((uri) => isOwn(uri) || isLoopback(uri)) &&
    redirectUris.every((uri) => isOwn(uri) || isLoopback(uri) || isClaimed(uri))
  );
}
