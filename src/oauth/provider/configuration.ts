import type { SettingValues } from '#catalogue';
import { type SigningAlgorithm, signingAlgorithms } from '#keys';
import { sessionCookie } from '#web';
import { endpoints } from '../endpoints.ts';
import type { Issuer } from '../issuer.ts';
import { proofAlgorithms } from '../proof.ts';
import type { settings as rows } from '../settings.ts';

/** Algorithms of whatever a client signs: none is keyed by its secret, which nobody but the directory knows. */
export const clientAlgorithms: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'RS256',
  'PS256',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
];
/** Seconds in which a device's code is to be typed; the others are of what this service never comes back to. */
const deviceCodeTtlS = 600;
const unusedTtlS = 60;

/** What the library can do here. What it would draw or keep by itself is switched off. */
export const features = {
  devInteractions: { enabled: false },
  clientCredentials: { enabled: true },
  deviceFlow: { enabled: true, mask: '****-****', charset: 'base-20' },
  introspection: { enabled: true },
  revocation: { enabled: true },
  jwtIntrospection: { enabled: true },
  jwtResponseModes: { enabled: true },
  requestObjects: { enabled: true },
  rpInitiatedLogout: { enabled: false },
  backchannelLogout: { enabled: true },
  dPoP: { enabled: true },
} as const;

/** What is the same for every request to a server. */
export function fixed(issuer: Issuer, algorithm: SigningAlgorithm) {
  return {
    routes: {
      authorization: endpoints.authorize.path,
      token: endpoints.token.path,
      userinfo: endpoints.userinfo.path,
      jwks: endpoints.jwks.path,
      pushed_authorization_request: endpoints.par.path,
      introspection: endpoints.introspect.path,
      revocation: endpoints.revoke.path,
      end_session: endpoints.logout.path,
      device_authorization: '/oauth2/device_authorization',
      code_verification: '/oauth2/device',
    },
    responseTypes: ['code'],
    subjectTypes: ['public'],
    acrValues: ['1', 'mfa', 'hwk', 'phr', 'phrh'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    clientDefaults: { id_token_signed_response_alg: algorithm, authorization_signed_response_alg: algorithm },
    cookies: { names: { session: sessionCookie, interaction: 'sts_interaction', resume: 'sts_resume' } },
    conformIdTokenClaims: true,
    discovery: { end_session_endpoint: `${issuer.url}${endpoints.logout.path}`, claims_parameter_supported: false },
    // RFC 9700 §4.14.2: used twice, a refresh token takes its family with it.
    rotateRefreshToken: true,
    // RFC 9700 §2.1.1: every client, not the public ones alone.
    pkce: { required: () => true },
    enabledJWA: {
      clientAuthSigningAlgValues: [...clientAlgorithms],
      requestObjectSigningAlgValues: [...clientAlgorithms],
      idTokenSigningAlgValues: [...signingAlgorithms],
      userinfoSigningAlgValues: [...signingAlgorithms],
      introspectionSigningAlgValues: [...signingAlgorithms],
      authorizationSigningAlgValues: [...signingAlgorithms],
      dPoPSigningAlgValues: proofAlgorithms,
    },
  };
}

/** How long each thing is good, by the settings as they are when it is made. */
export function ttlOf(settings: () => SettingValues<typeof rows>) {
  return {
    AccessToken: () => settings()['oauth.accessTokenTtlS'],
    ClientCredentials: () => settings()['oauth.accessTokenTtlS'],
    IdToken: () => settings()['oauth.idTokenTtlS'],
    AuthorizationCode: () => settings()['oauth.codeTtlS'],
    RefreshToken: () => settings()['oauth.refreshTokenTtlS'],
    Grant: () => settings()['oauth.grantTtlS'],
    DeviceCode: () => deviceCodeTtlS,
    Interaction: () => unusedTtlS,
    Session: () => unusedTtlS,
  };
}
