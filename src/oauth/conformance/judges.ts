import { grantTypes } from '#policy';
import { securityHeaders } from '#web';
import { endpoints } from '../endpoints.ts';
import { type Facts, isLoopback, isPublic, ofAll, signsPeopleIn, when, yes } from './facts.ts';

export const pkce = ({ configuration }: Facts) =>
  when(
    configuration.pkce.required(),
    'a request without a code_challenge is refused, of every application, and S256 is the only method (code_challenge_methods_supported)',
    'requests without a code_challenge are taken',
  );
export const exactRedirects = ({ applications }: Facts) => {
  const count = applications.reduce((sum, { redirectUris }) => sum + redirectUris.length, 0);
  return yes(
    `compared character by character with the ${count} values of stsRedirectUri; the directory refuses wildcards and fragments; of apps without a secret the port of this machine's own addresses may be another (RFC 8252 §7.3)`,
  );
};
export const noImplicit = ({ configuration }: Facts) =>
  when(
    configuration.responseTypes.every((type) => type === 'code'),
    `response types: ${configuration.responseTypes.join(', ')}`,
    `response types with tokens in the front channel: ${configuration.responseTypes.join(', ')}`,
  );
export const noPassword = () =>
  when(
    !(grantTypes as readonly string[]).includes('password'),
    `grant types that an application may have: ${grantTypes.join(', ')}`,
    'the grant of passwords is there',
  );
export const redirectsProtected = ({ applications }: Facts) =>
  ofAll(
    applications.filter(signsPeopleIn),
    ({ redirectUris }) => redirectUris.every((uri) => !/^http:/i.test(uri) || isLoopback(uri)),
    'addresses are https, of this machine, or of a scheme of their own',
  );
export const senderConstrained = ({ applications, features }: Facts) =>
  features.dPoP.enabled
    ? ofAll(applications, ({ dpopBound }) => dpopBound, 'DPoP (RFC 9449): tokens of stsDpopBound applications are bound to their key')
    : when(false, '', 'DPoP is off');
export const clientAuthentication = ({ applications }: Facts) =>
  ofAll(
    applications.filter((application) => !isPublic(application)),
    ({ authMethod }) => authMethod === 'private_key_jwt',
    'by a key of their own (private_key_jwt)',
  );
export const protectedByTls = ({ issuer, mode, isProtected }: Facts) =>
  when(
    issuer.url.startsWith('https:') && isProtected,
    'this request came over TLS, and so does every address in the metadata',
    mode === 'product'
      ? 'this request came without TLS: in product mode forms from beyond this machine are refused so, and secrets too'
      : 'this request came without TLS, which development mode allows',
  );
export const codesOnce = ({ codeTtlS }: Facts) =>
  yes(`a code is good for ${codeTtlS} seconds and once; used twice, all that came of it is revoked (STS-OAUTH-9016)`);

/** A directive or a header that every page has, as it is sent. */
export const onEveryPage = (header: string, says: RegExp, otherwise: string) => () => {
  const value = securityHeaders(true, '')[header] ?? '';
  const [found] = says.exec(value) ?? [];
  return when(found !== undefined, `${header}: ${found}`, otherwise);
};
export const rotated = ({ configuration, applications }: Facts) => {
  const count = applications.filter(({ grantTypes: grants }) => grants.includes('refresh_token')).length;
  return when(
    configuration.rotateRefreshToken,
    `every refresh token is rotated when it is used, of ${count} applications that may have any; used twice, its family is revoked`,
    'refresh tokens are not rotated',
  );
};
export const noForeignPages = () =>
  when(
    !('cors' in endpoints.authorize),
    'the authorization endpoint answers no page of another origin (no CORS)',
    'the authorization endpoint answers pages of other origins',
  );
export const restricted = ({ applications, accessTokenTtlS }: Facts) =>
  ofAll(
    applications,
    ({ scopes, resources }) => resources.length > 0 || !scopes.includes('groups'),
    `each names its scopes and resources (stsAllowedScope, stsAllowedResource); a token is good for ${accessTokenTtlS} seconds`,
  );
export const oneAudience = ({ issuer }: Facts) =>
  yes(`every access token has one aud: the resource that was asked for, or ${issuer.url} for its own userinfo; each is judged by it`);
/** A number, and what it must stay under. */
export const shortLived = ({ applications, accessTokenTtlS }: Facts) =>
  accessTokenTtlS < accessTokenTtlSMax
    ? yes(`oauth.accessTokenTtlS is ${accessTokenTtlS} seconds`)
    : ofAll(
        applications,
        ({ dpopBound }) => dpopBound,
        `oauth.accessTokenTtlS is ${accessTokenTtlS} seconds, so that tokens have to be bound to a key (stsDpopBound)`,
      );

/** FAPI 1.0 Baseline §5.2.2-21: ten minutes. */
const accessTokenTtlSMax = 600;
