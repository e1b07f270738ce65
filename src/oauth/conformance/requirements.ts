import { grantTypes } from '#policy';
import { type Facts, isLoopback, isPublic, ofAll, type Requirement, signsPeopleIn, when, yes } from './facts.ts';

const pkce = ({ configuration }: Facts) =>
  when(
    configuration.pkce.required(),
    'a request without a code_challenge is refused, of every application, and S256 is the only method (code_challenge_methods_supported)',
    'requests without a code_challenge are taken',
  );
const exactRedirects = ({ applications }: Facts) => {
  const count = applications.reduce((sum, { redirectUris }) => sum + redirectUris.length, 0);
  return yes(
    `compared character by character with the ${count} values of stsRedirectUri; the directory refuses wildcards and fragments; of apps without a secret the port of this machine's own addresses may be another (RFC 8252 §7.3)`,
  );
};
const noImplicit = ({ configuration }: Facts) =>
  when(
    configuration.responseTypes.every((type) => type === 'code'),
    `response types: ${configuration.responseTypes.join(', ')}`,
    `response types with tokens in the front channel: ${configuration.responseTypes.join(', ')}`,
  );
const noPassword = () =>
  when(
    !(grantTypes as readonly string[]).includes('password'),
    `grant types that an application may have: ${grantTypes.join(', ')}`,
    'the grant of passwords is there',
  );
const redirectsProtected = ({ applications }: Facts) =>
  ofAll(
    applications.filter(signsPeopleIn),
    ({ redirectUris }) => redirectUris.every((uri) => !/^http:/i.test(uri) || isLoopback(uri)),
    'addresses are https, of this machine, or of a scheme of their own',
  );
const senderConstrained = ({ applications, features }: Facts) =>
  features.dPoP.enabled
    ? ofAll(applications, ({ dpopBound }) => dpopBound, 'DPoP (RFC 9449): tokens of stsDpopBound applications are bound to their key')
    : when(false, '', 'DPoP is off');
const clientAuthentication = ({ applications }: Facts) =>
  ofAll(
    applications.filter((application) => !isPublic(application)),
    ({ authMethod }) => authMethod === 'private_key_jwt',
    'by a key of their own (private_key_jwt)',
  );
const protectedByTls = ({ issuer, mode, isProtected }: Facts) =>
  when(
    issuer.url.startsWith('https:') && isProtected,
    'this request came over TLS, and so does every address in the metadata',
    mode === 'product'
      ? 'this request came without TLS: in product mode forms from beyond this machine are refused so, and secrets too'
      : 'this request came without TLS, which development mode allows',
  );
const codesOnce = ({ codeTtlS }: Facts) =>
  yes(`a code is good for ${codeTtlS} seconds and once; used twice, all that came of it is revoked (STS-OAUTH-9016)`);

/** RFC 9700, in its order. */
export const rfc9700: readonly Requirement[] = [
  { section: '2.1', requirement: 'Redirect URIs are compared by exact string matching', judge: exactRedirects },
  {
    section: '2.1',
    requirement: 'No open redirectors',
    judge: () => yes('browsers are sent to registered addresses and to paths of this service alone'),
  },
  { section: '2.1', requirement: 'Redirect URIs do not use http, but for native apps on the same machine', judge: redirectsProtected },
  { section: '2.1.1', requirement: 'Authorization servers support PKCE, and enforce it for public clients', judge: pkce },
  { section: '2.1.1', requirement: 'A code_verifier without a code_challenge before it is refused', judge: pkce },
  { section: '2.1.2', requirement: 'The implicit grant is not used', judge: noImplicit },
  { section: '2.2.1', requirement: 'Access tokens are sender-constrained', judge: senderConstrained },
  {
    section: '2.2.2',
    requirement: 'Refresh tokens of public clients are sender-constrained or rotated',
    judge: ({ applications }) => {
      const count = applications.filter((each) => isPublic(each) && each.grantTypes.includes('refresh_token')).length;
      return yes(
        `every refresh token is rotated when it is used, of ${count} applications without a secret and of all others; used twice, its family is revoked`,
      );
    },
  },
  {
    section: '2.3',
    requirement: 'Access tokens are restricted to the least privileges that are needed',
    judge: ({ applications, accessTokenTtlS }) =>
      ofAll(
        applications,
        ({ scopes, resources }) => resources.length > 0 || !scopes.includes('groups'),
        `each names its scopes and resources (stsAllowedScope, stsAllowedResource); a token is good for ${accessTokenTtlS} seconds and for one audience`,
      ),
  },
  { section: '2.4', requirement: 'The resource owner password credentials grant is not used', judge: noPassword },
  { section: '2.5', requirement: 'Clients are authenticated by asymmetric keys', judge: clientAuthentication },
  {
    section: '2.6',
    requirement: 'Metadata are published',
    judge: ({ issuer }) => yes(`${issuer.url}/.well-known/openid-configuration (RFC 8414)`),
  },
  { section: '2.6', requirement: 'All is sent over TLS', judge: protectedByTls },
  {
    section: '4.4',
    requirement: 'Mix-up attacks: the issuer is named in every authorization response',
    judge: () => yes('iss (RFC 9207)'),
  },
  { section: '4.5', requirement: 'A code is used once', judge: codesOnce },
  {
    section: '4.11',
    requirement: 'The browser is not sent on by 307',
    judge: () => yes('303 (See Other) wherever a form was posted'),
  },
  {
    section: '4.14',
    requirement: 'Refresh tokens end with a change of the password and with a sign-out',
    judge: () => yes('disabled people, changed passwords, ended sessions and withdrawn consents revoke what was given under them'),
  },
  { section: '4.16', requirement: 'Pages cannot be framed', judge: () => yes("frame-ancestors 'none' on every page") },
];

/** What OAuth 2.1 (draft-ietf-oauth-v2-1) asks beyond RFC 6749. */
export const oauth21: readonly Requirement[] = [
  { section: '4.1.1', requirement: 'PKCE of all clients that use a code', judge: pkce },
  { section: '4.1.1', requirement: 'Redirect URIs are compared by exact string matching', judge: exactRedirects },
  { section: '10.1', requirement: 'There is no implicit grant', judge: noImplicit },
  { section: '10.2', requirement: 'There is no resource owner password credentials grant', judge: noPassword },
  {
    section: '5.1.2',
    requirement: 'Bearer tokens are not taken from the query',
    judge: () => yes('the Authorization header alone; of userinfo the body, too (RFC 6750 §2.2)'),
  },
  {
    section: '4.3.1',
    requirement: 'Refresh tokens of public clients are sender-constrained or used once',
    judge: () => yes('every refresh token is rotated when it is used'),
  },
  { section: '1.5', requirement: 'All is sent over TLS', judge: protectedByTls },
  { section: '7.5.3', requirement: 'The browser is not sent on by 307', judge: () => yes('303 (See Other)') },
];

const rsaBits = 3072;

/** FAPI 1.0 Baseline, §5.2.2: the authorization server. */
export const fapiBaseline: readonly Requirement[] = [
  {
    section: '5.2.2-1',
    requirement: 'Supports confidential clients',
    judge: ({ configuration }) =>
      when(
        configuration.clientAuthMethods.some((method) => method !== 'none'),
        configuration.clientAuthMethods.join(', '),
        'none',
      ),
  },
  {
    section: '5.2.2-4',
    requirement: 'Authenticates confidential clients by mutual TLS, a client secret as a key, or a private key',
    judge: clientAuthentication,
  },
  {
    section: '5.2.2-5',
    requirement: 'RSA keys have 2048 bits and elliptic curves 160 at least',
    judge: ({ algorithm }) =>
      yes(`signs by ${algorithm}; keys that it makes have ${rsaBits} bits (RSA) or are of P-256 and Ed25519 at least`),
  },
  { section: '5.2.2-7', requirement: 'Asks for PKCE with S256', judge: pkce },
  { section: '5.2.2-8', requirement: 'Redirect URIs are registered in advance', judge: exactRedirects },
  {
    section: '5.2.2-9',
    requirement: 'The redirect_uri stands in every authorization request',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(signsPeopleIn),
        ({ redirectUris }) => redirectUris.length !== 1,
        'asked for of an application that has several; of one that has one it may be left out',
      ),
  },
  { section: '5.2.2-10', requirement: 'It matches a registered one exactly', judge: exactRedirects },
  {
    section: '5.2.2-11',
    requirement: 'People are authenticated at a level that fits',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(signsPeopleIn),
        ({ requiredAcr }) => requiredAcr !== undefined && requiredAcr !== '1',
        'two factors or a key are required (stsRequiredAcr)',
      ),
  },
  {
    section: '5.2.2-12',
    requirement: 'People approve what they have not approved before',
    judge: ({ applications }) =>
      ofAll(applications.filter(signsPeopleIn), ({ consentRequired }) => consentRequired, 'people are asked (stsConsentRequired)'),
  },
  { section: '5.2.2-13', requirement: 'A code that was used is refused', judge: codesOnce },
  {
    section: '5.2.2-15',
    requirement: 'The scopes that were given are told where they are others than were asked for',
    judge: () => yes('scope stands in every token response'),
  },
  { section: '5.2.2-16', requirement: 'Tokens have 128 bits of chance at least', judge: () => yes('258 bits, or a signature') },
  {
    section: '5.2.2-18',
    requirement: 'People can revoke what they gave',
    judge: () => yes('/portal/consents and /portal/sessions'),
  },
  {
    section: '5.2.2-20',
    requirement: 'Redirect URIs are https',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(signsPeopleIn),
        ({ redirectUris }) => redirectUris.every((uri) => /^https:/i.test(uri)),
        'every address is https',
      ),
  },
  {
    section: '5.2.2.2',
    requirement: 'A nonce of the client comes back in the ID token',
    judge: () => yes('as it was sent (OpenID Connect Core §3.1.3.7)'),
  },
  { section: '7.1', requirement: 'All is sent over TLS 1.2 or newer', judge: protectedByTls },
];
