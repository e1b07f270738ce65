import { type Requirement, yes } from './facts.ts';
import { exactRedirects, noImplicit, noPassword, pkce, protectedByTls, rotated } from './judges.ts';

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
    judge: rotated,
  },
  { section: '1.5', requirement: 'All is sent over TLS', judge: protectedByTls },
  { section: '7.5.3', requirement: 'The browser is not sent on by 307', judge: () => yes('303 (See Other)') },
];
