/** A specification that routes and protocols may name. */
export interface Specification {
  readonly title: string;
  readonly url?: string;
}

/** Every specification that a row of the route tables, or a card of the protocols, may name, by its id. */
export const specifications: Readonly<Record<string, Specification>> = {
  'specification document 1': { title: 'Sign-in, second factors and sessions' },
  'specification document 2': { title: 'Self-description, management API and error codes' },
  ...rfcs({
    2247: 'Using Domains in LDAP/X.500 Distinguished Names',
    2307: 'An Approach for Using LDAP as a Network Information Service',
    2696: 'LDAP Control Extension for Simple Paged Results Manipulation',
    2849: 'The LDAP Data Interchange Format',
    2891: 'LDAP Control Extension for Server Side Sorting',
    3062: 'LDAP Password Modify Extended Operation',
    4370: 'LDAP Proxied Authorization Control',
    4511: 'LDAP: The Protocol',
    4512: 'LDAP: Directory Information Models',
    4513: 'LDAP: Authentication Methods and Security Mechanisms',
    4517: 'LDAP: Syntaxes and Matching Rules',
    4533: 'The LDAP Content Synchronization Operation',
    5802: 'Salted Challenge Response Authentication Mechanism (SCRAM)',
    5805: 'LDAP Transactions',
    6238: 'TOTP: Time-Based One-Time Password Algorithm',
    6749: 'The OAuth 2.0 Authorization Framework',
    6750: 'The OAuth 2.0 Authorization Framework: Bearer Token Usage',
    7009: 'OAuth 2.0 Token Revocation',
    7033: 'WebFinger',
    7515: 'JSON Web Signature (JWS)',
    7516: 'JSON Web Encryption (JWE)',
    7517: 'JSON Web Key (JWK)',
    7518: 'JSON Web Algorithms (JWA)',
    7519: 'JSON Web Token (JWT)',
    7521: 'Assertion Framework for OAuth 2.0 Client Authentication and Authorization Grants',
    7523: 'JWT Profile for OAuth 2.0 Client Authentication and Authorization Grants',
    7591: 'OAuth 2.0 Dynamic Client Registration Protocol',
    7636: 'Proof Key for Code Exchange',
    7638: 'JSON Web Key (JWK) Thumbprint',
    7643: 'System for Cross-domain Identity Management: Core Schema',
    7644: 'System for Cross-domain Identity Management: Protocol',
    7662: 'OAuth 2.0 Token Introspection',
    8246: 'HTTP Immutable Responses',
    8252: 'OAuth 2.0 for Native Apps',
    8414: 'OAuth 2.0 Authorization Server Metadata',
    8628: 'OAuth 2.0 Device Authorization Grant',
    8693: 'OAuth 2.0 Token Exchange',
    8705: 'OAuth 2.0 Mutual-TLS Client Authentication',
    8707: 'Resource Indicators for OAuth 2.0',
    9068: 'JWT Profile for OAuth 2.0 Access Tokens',
    9101: 'JWT-Secured Authorization Request (JAR)',
    9110: 'HTTP Semantics',
    9111: 'HTTP Caching',
    9126: 'OAuth 2.0 Pushed Authorization Requests',
    9207: 'OAuth 2.0 Authorization Server Issuer Identification',
    9396: 'OAuth 2.0 Rich Authorization Requests',
    9449: 'OAuth 2.0 Demonstrating Proof of Possession (DPoP)',
    9457: 'Problem Details for HTTP APIs',
    9470: 'OAuth 2.0 Step Up Authentication Challenge Protocol',
    9635: 'Grant Negotiation and Authorization Protocol (GNAP)',
    9700: 'Best Current Practice for OAuth 2.0 Security',
    9701: 'JWT Response for OAuth Token Introspection',
    9767: 'GNAP Resource Server Connections',
    4120: 'The Kerberos Network Authentication Service (V5)',
    4178: 'The Simple and Protected GSS-API Negotiation Mechanism (SPNEGO)',
    7030: 'Enrollment over Secure Transport (EST)',
    8555: 'Automatic Certificate Management Environment (ACME)',
    8894: 'Simple Certificate Enrolment Protocol (SCEP)',
    8417: 'Security Event Token (SET)',
  }),
  'OpenID Connect Core': { title: 'OpenID Connect Core 1.0', url: openId('openid-connect-core-1_0') },
  'OpenID Connect Discovery': { title: 'OpenID Connect Discovery 1.0', url: openId('openid-connect-discovery-1_0') },
  'OpenID Connect RP-Initiated Logout': { title: 'OpenID Connect RP-Initiated Logout 1.0', url: openId('openid-connect-rpinitiated-1_0') },
  'OpenID Connect Back-Channel Logout': { title: 'OpenID Connect Back-Channel Logout 1.0', url: openId('openid-connect-backchannel-1_0') },
  'OAuth 2.0 Multiple Response Types': {
    title: 'OAuth 2.0 Multiple Response Type Encoding Practices',
    url: openId('oauth-v2-multiple-response-types-1_0'),
  },
  'OAuth 2.0 Form Post Response Mode': { title: 'OAuth 2.0 Form Post Response Mode', url: openId('oauth-v2-form-post-response-mode-1_0') },
  JARM: { title: 'JWT Secured Authorization Response Mode for OAuth 2.0 (JARM)', url: openId('oauth-v2-jarm-final') },
  'OAuth 2.1': { title: 'The OAuth 2.1 Authorization Framework (draft)', url: 'https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/' },
  'FAPI 1.0 Baseline': {
    title: 'Financial-grade API Security Profile 1.0, Part 1: Baseline',
    url: openId('openid-financial-api-part-1-1_0'),
  },
  WebAuthn: { title: 'Web Authentication, Level 3', url: 'https://www.w3.org/TR/webauthn-3/' },
  'OpenID Federation': { title: 'OpenID Federation 1.0', url: openId('openid-federation-1_0') },
  'SAML 2.0': { title: 'Security Assertion Markup Language 2.0' },
  'WS-Federation': { title: 'Web Services Federation Language 1.2' },
  'WS-Trust': { title: 'WS-Trust 1.4' },
  SPIFFE: { title: 'Secure Production Identity Framework for Everyone', url: 'https://spiffe.io/docs/latest/spiffe-specs/' },
  OpenID4VCI: { title: 'OpenID for Verifiable Credential Issuance 1.0', url: openId('openid-4-verifiable-credential-issuance-1_0') },
  OpenID4VP: { title: 'OpenID for Verifiable Presentations 1.0', url: openId('openid-4-verifiable-presentations-1_0') },
  'Shared Signals': { title: 'OpenID Shared Signals Framework 1.0', url: openId('openid-sharedsignals-framework-1_0') },
  'OpenAPI Specification 3.1': { title: 'OpenAPI Specification 3.1', url: 'https://spec.openapis.org/oas/v3.1.0' },
  'draft-behera-ldap-password-policy': {
    title: 'Password Policy for LDAP Directories (draft)',
    url: 'https://datatracker.ietf.org/doc/draft-behera-ldap-password-policy/',
  },
};

/** Names as rows write them, longest first, so that no name hides a longer one. */
const named = Object.keys(specifications)
  .filter((id) => !id.startsWith('RFC '))
  .toSorted((one, other) => other.length - one.length);

/**
 * The specifications that the source of a route names. What is not a name at all is an id of its own, which no table has: whoever compares finds it.
 *
 * @param source  as a row has it: `RFC 6749 §3.1; OpenID Connect Core §5.3`
 */
export function specIdsIn(source: string): readonly string[] {
  const parts = source
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const ids = parts.flatMap((part) => idsOfPart(part));
  return ids.length === 0 ? [source.trim() === '' ? 'no source' : source.trim()] : [...new Set(ids)];
}

function idsOfPart(part: string): readonly string[] {
  const numbers = [...part.matchAll(/\bRFC (\d{1,5})\b/g)].map(([, number]) => `RFC ${number}`);
  const names = named.filter(
    (id) => part.includes(id) && !named.some((longer) => longer !== id && longer.includes(id) && part.includes(longer)),
  );
  const ids = [...numbers, ...names];
  if (ids.length > 0) return ids;
  // A title in quotes, a section, words behind a name: they belong to what stands before them.
  return /^(?:"|§|and\b|with\b|[a-z])/.test(part) ? [] : [part];
}

function rfcs(titles: Readonly<Record<number, string>>): Readonly<Record<string, Specification>> {
  return Object.fromEntries(
    Object.entries(titles).map(([number, title]) => [`RFC ${number}`, { title, url: `https://www.rfc-editor.org/rfc/rfc${number}` }]),
  );
}

function openId(name: string): string {
  return `https://openid.net/specs/${name}.html`;
}
