import { goesOn, no, ofAll, type Requirement, signsPeopleIn, when, yes } from './facts.ts';
import { clientAuthentication, codesOnce, exactRedirects, pkce, protectedByTls, shortLived } from './judges.ts';

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
    section: '5.2.2-2',
    requirement: 'Supports public clients',
    judge: ({ configuration }) =>
      when(configuration.clientAuthMethods.includes('none'), 'none: an app that can keep no secret proves itself by PKCE', 'not supported'),
  },
  {
    section: '5.2.2-3',
    requirement: 'Client secrets that are keys have entropy enough',
    judge: ({ configuration }) =>
      when(
        !configuration.clientAuthMethods.includes('client_secret_jwt'),
        'no secret is a key: clients sign by keys of their own, and what the directory draws as a secret is kept as a hash',
        'clients sign with their secrets (client_secret_jwt)',
      ),
  },
  {
    section: '5.2.2-4',
    requirement: 'Authenticates confidential clients by mutual TLS, a client secret as a key, or a private key',
    judge: clientAuthentication,
  },
  {
    section: '5.2.2-5, 5.2.2-6',
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
    section: '5.2.2-14',
    requirement: 'Token responses are those of RFC 6749 §4.1.4',
    judge: () => yes('JSON with access_token, token_type, expires_in and scope, not to be stored (Cache-Control: no-store)'),
  },
  {
    section: '5.2.2-15',
    requirement: 'The scopes that were given are told where they are others than were asked for',
    judge: () => yes('scope stands in every token response'),
  },
  { section: '5.2.2-16', requirement: 'Tokens have 128 bits of chance at least', judge: () => yes('258 bits, or a signature') },
  {
    section: '5.2.2-17',
    requirement: 'People are shown what they give, and to whom',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(signsPeopleIn),
        ({ consentRequired }) => consentRequired,
        'the page that asks names the application and each scope in words (stsConsentRequired)',
      ),
  },
  {
    section: '5.2.2-18',
    requirement: 'People can revoke what they gave',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(signsPeopleIn),
        (application) => application.consentRequired || !goesOn(application),
        'what was given ends with its session at /portal/sessions, and what goes on without one with its consent at /portal/consents: an application may have either, not offline_access (stsAllowedScope) without a consent (stsConsentRequired)',
      ),
  },
  {
    section: '5.2.2-19',
    requirement: 'Client identifiers that do not fit each other are invalid_client',
    judge: () => no('refused, as invalid_request (RFC 6749 §5.2)'),
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
  { section: '5.2.2-21', requirement: 'Access tokens that are bound to no key live less than ten minutes', judge: shortLived },
  {
    section: '5.2.2-22',
    requirement: 'OpenID Connect Discovery tells the metadata, and nothing else does',
    judge: ({ issuer }) => yes(`${issuer.url}/.well-known/openid-configuration, and the same by RFC 8414`),
  },
  {
    section: '5.2.2.1',
    requirement: 'An ID token says who signed in, where openid is asked for',
    judge: ({ algorithm, configuration }) =>
      when(
        configuration.conformIdTokenClaims,
        `sub, signed by ${algorithm}; claims beside it are at userinfo`,
        'not by OpenID Connect Core',
      ),
  },
  {
    section: '5.2.2.2',
    requirement: 'A nonce is required where openid is asked for',
    judge: () => no('taken without one: PKCE, which is required, binds the code to the request; a nonce comes back as it was sent'),
  },
  {
    section: '5.2.2.3',
    requirement: 'state is required where openid is not asked for',
    judge: () => no('taken without one: PKCE, which is required, keeps foreign codes out; state comes back as it was sent'),
  },
  { section: '7.1', requirement: 'All is sent over TLS 1.2 or newer', judge: protectedByTls },
];
