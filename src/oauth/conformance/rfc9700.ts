import { standingScopes } from '../applications/application.ts';
import type { Requirement } from './facts.ts';
import { goesOn, isPublic, ofAll, signsPeopleIn, when, yes } from './facts.ts';
import {
  clientAuthentication,
  codesOnce,
  exactRedirects,
  noForeignPages,
  noImplicit,
  noPassword,
  onEveryPage,
  oneAudience,
  pkce,
  protectedByTls,
  redirectsProtected,
  restricted,
  rotated,
  senderConstrained,
} from './judges.ts';

/** RFC 9700 §2, and of §4 what is for an authorization server to do, in its order. */
export const rfc9700: readonly Requirement[] = [
  { section: '2.1', requirement: 'Redirect URIs are compared by exact string matching', judge: exactRedirects },
  {
    section: '2.1',
    requirement: 'No open redirectors',
    judge: () => yes('browsers are sent to registered addresses and to paths of this service alone'),
  },
  { section: '2.1', requirement: 'Requests across sites are prevented: by PKCE, a nonce or state', judge: pkce },
  {
    section: '2.1',
    requirement: 'Authorization responses are not sent without encryption, but to native apps on the same machine',
    judge: redirectsProtected,
  },
  { section: '2.1.1', requirement: 'Authorization servers support PKCE, and enforce it for public clients', judge: pkce },
  { section: '2.1.1', requirement: 'PKCE is asked of confidential clients, too', judge: pkce },
  { section: '2.1.1', requirement: 'A code_verifier without a code_challenge before it is refused', judge: pkce },
  { section: '2.1.1', requirement: 'The challenge methods are told in the metadata', judge: pkce },
  { section: '2.1.2', requirement: 'The implicit grant is not used', judge: noImplicit },
  { section: '2.2.1', requirement: 'Access tokens are sender-constrained', judge: senderConstrained },
  { section: '2.2.2', requirement: 'Refresh tokens of public clients are sender-constrained or rotated', judge: rotated },
  { section: '2.3', requirement: 'Access tokens are restricted to the least privileges that are needed', judge: restricted },
  { section: '2.3', requirement: 'Access tokens are for one resource server', judge: oneAudience },
  { section: '2.4', requirement: 'The resource owner password credentials grant is not used', judge: noPassword },
  {
    section: '2.5',
    requirement: 'Clients that can keep a secret are authenticated',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(({ grantTypes }) => grantTypes.includes('client_credentials')),
        (application) => !isPublic(application),
        'whoever acts for itself shows a secret or a key; the directory refuses an entry that would not',
      ),
  },
  { section: '2.5', requirement: 'Clients are authenticated by asymmetric keys', judge: clientAuthentication },
  {
    section: '2.6',
    requirement: 'Metadata are published',
    judge: ({ issuer }) =>
      yes(`${issuer.url}/.well-known/openid-configuration, ${issuer.url}/.well-known/oauth-authorization-server (RFC 8414)`),
  },
  {
    section: '2.6, 4.15',
    requirement: 'No client can be taken for a person by its client_id',
    judge: () =>
      yes(
        'sub of a person is urn:uuid: with their entryUUID; sub of an application is its client id, and the directory refuses one that begins so',
      ),
  },
  { section: '2.6', requirement: 'All is sent over TLS', judge: protectedByTls },
  { section: '2.6', requirement: 'The authorization endpoint supports no CORS', judge: noForeignPages },
  {
    section: '4.2.4',
    requirement: 'Pages of the authorization send no Referer',
    judge: onEveryPage('Referrer-Policy', /no-referrer/, 'pages send a Referer'),
  },
  {
    section: '4.2.4',
    requirement: 'Pages of the authorization load nothing from elsewhere',
    judge: onEveryPage('Content-Security-Policy', /default-src 'none'/, 'pages may load from elsewhere'),
  },
  { section: '4.2.4, 4.5', requirement: 'A code is used once', judge: codesOnce },
  {
    section: '4.3.2',
    requirement: 'Access tokens stand in no address',
    judge: ({ configuration }) =>
      when(
        configuration.responseTypes.every((type) => type === 'code'),
        'no response type has a token, and no endpoint takes one from the query',
        'tokens come in the front channel',
      ),
  },
  {
    section: '4.4.2',
    requirement: 'Mix-up attacks: the issuer is named in every authorization response',
    judge: ({ issuer, applications }) =>
      ofAll(
        applications.filter(signsPeopleIn),
        ({ servers }) => servers.length === 1,
        `iss is ${issuer.url} in every response (RFC 9207), which no application has to compare that is of one server (stsServer)`,
      ),
  },
  { section: '4.5.3', requirement: 'A code is of no use to who has stolen it', judge: pkce },
  { section: '4.8.2', requirement: 'PKCE cannot be left out on the way', judge: pkce },
  { section: '4.10.1', requirement: 'A stolen access token is of no use without its key', judge: senderConstrained },
  { section: '4.10.2', requirement: 'A token for one resource server is refused by another', judge: oneAudience },
  {
    section: '4.11.2',
    requirement: "Nobody is sent to an address that was not judged, nor to anybody's before it was",
    judge: ({ applications }) =>
      yes(
        `a request with an unknown client or address ends on a page of this service; ${applications.filter(signsPeopleIn).length} applications have addresses`,
      ),
  },
  {
    section: '4.12',
    requirement: 'The browser is not sent on by 307',
    judge: () => yes('303 (See Other) wherever a form was posted'),
  },
  {
    section: '4.13',
    requirement: 'What a reverse proxy says is believed of known proxies alone',
    judge: ({ publicBaseUrl }) =>
      yes(
        publicBaseUrl.startsWith('https:')
          ? `no header of a proxy is believed: who asks is who connects; what comes from this machine itself for ${publicBaseUrl} (global.publicBaseUrl) counts as sent over TLS, and nothing else that this service did not decrypt`
          : 'no header of a proxy is believed: who asks is who connects, and TLS is what this service ended itself (global.publicBaseUrl names no https address)',
      ),
  },
  {
    section: '4.14.2',
    requirement: 'Refresh tokens are bound to the scopes and resources that were allowed',
    judge: ({ applications }) => {
      const refreshing = applications.filter(({ grantTypes }) => grantTypes.includes('refresh_token'));
      const named = refreshing.filter(({ scopes }) => scopes !== standingScopes).length;
      const resourceful = refreshing.filter(({ resources }) => resources.length > 0).length;
      return yes(
        `a refresh gives what was allowed then and the entry still allows; of ${refreshing.length} applications ${named} name their scopes (stsAllowedScope), ${resourceful} resources (stsAllowedResource)`,
      );
    },
  },
  {
    section: '4.14.2',
    requirement: 'Refresh tokens end with a change of the password and with a sign-out',
    judge: ({ applications }) =>
      ofAll(
        applications.filter(({ grantTypes }) => grantTypes.includes('refresh_token')),
        (application) => !goesOn(application),
        'a changed password, a disabled person and a withdrawn consent end every token; a sign-out ends those without offline_access (stsAllowedScope)',
      ),
  },
  {
    section: '4.16.1',
    requirement: 'Pages cannot be framed',
    judge: onEveryPage('Content-Security-Policy', /frame-ancestors 'none'/, 'pages can be framed'),
  },
  {
    section: '4.17.2',
    requirement: 'Nothing is told to a window by postMessage',
    judge: () => yes('pages have no script but the one for security keys, which talks to no other window'),
  },
];
