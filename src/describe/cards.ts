/** A family of protocols, or of pages, and which groups of routes belong to it. */
export interface Card {
  readonly id: string;
  readonly title: string;
  /** Names of tables of routes. Of a protocol that is not built there are none. */
  readonly groups: readonly string[];
  /** Ids of specifications. */
  readonly specs: readonly string[];
  readonly means: string;
  /** Whether it speaks over listeners of its own, which no router knows: those are described by hand. */
  readonly listens?: true;
}

/**
 * The thirteen protocols of the specification. What is not built has no groups, and is said to be not built: `built` is worked out of the routes and listeners
 * that there are.
 *
 * @see specification document 2, "Endpoints"
 */
export const protocols: readonly Card[] = [
  {
    id: 'oauth',
    title: 'OAuth 2.0 and OpenID Connect',
    groups: ['oauth'],
    specs: ['RFC 6749', 'OpenID Connect Core', 'RFC 8414', 'RFC 7033', 'RFC 9700'],
    means: 'applications sign people in, and call with tokens',
  },
  {
    id: 'ldap',
    title: 'LDAP',
    groups: [],
    specs: ['RFC 4511', 'RFC 4512', 'RFC 4513', 'RFC 4533', 'RFC 5802'],
    means: 'the directory itself: everything else is a client of it',
    listens: true,
  },
  {
    id: 'oidfed',
    title: 'OpenID Federation',
    groups: [],
    specs: ['OpenID Federation'],
    means: 'trust between providers by signed statements',
  },
  { id: 'saml', title: 'SAML 2.0 and 1.1', groups: [], specs: ['SAML 2.0'], means: 'applications that take assertions' },
  {
    id: 'wsfed',
    title: 'WS-Federation',
    groups: [],
    specs: ['WS-Federation'],
    means: 'applications that take assertions by WS-Federation',
  },
  { id: 'wstrust', title: 'WS-Trust', groups: [], specs: ['WS-Trust'], means: 'tokens for programs by SOAP' },
  {
    id: 'krb',
    title: 'Kerberos and SPNEGO',
    groups: [],
    specs: ['RFC 4120', 'RFC 4178'],
    means: 'tickets, and signing in to pages with them',
  },
  { id: 'scim', title: 'SCIM 2.0', groups: [], specs: ['RFC 7643', 'RFC 7644'], means: 'people and groups kept by another system' },
  { id: 'gnap', title: 'GNAP', groups: [], specs: ['RFC 9635', 'RFC 9767'], means: 'grants negotiated by clients that bring their keys' },
  { id: 'spiffe', title: 'SPIFFE', groups: [], specs: ['SPIFFE'], means: 'identities of workloads' },
  {
    id: 'enroll',
    title: 'Certificates: ACME, EST, SCEP',
    groups: [],
    specs: ['RFC 8555', 'RFC 7030', 'RFC 8894'],
    means: 'certificates for people, programs and machines',
  },
  {
    id: 'vc',
    title: 'Verifiable credentials',
    groups: [],
    specs: ['OpenID4VCI', 'OpenID4VP'],
    means: 'credentials for wallets, issued and presented',
  },
  {
    id: 'ssf',
    title: 'Shared signals',
    groups: [],
    specs: ['Shared Signals', 'RFC 8417'],
    means: 'telling others what happens to an account',
  },
];

/** What has routes and is no protocol: pages for people, and the management API. */
export const surfaces: readonly Card[] = [
  {
    id: 'signin',
    title: 'Sign-in',
    groups: ['signin'],
    specs: ['specification document 1', 'WebAuthn', 'RFC 6238'],
    means: 'the screen on which people show who they are',
  },
  {
    id: 'portal',
    title: 'Self-service',
    groups: ['portal'],
    specs: ['specification document 1'],
    means: 'what people see and change of themselves',
  },
  {
    id: 'admin',
    title: 'Administration',
    groups: ['admin'],
    specs: ['specification document 1', 'specification document 2', 'OpenAPI Specification 3.1'],
    means: 'the management API and the console',
  },
  { id: 'web', title: 'The front door', groups: ['web'], specs: ['RFC 9110', 'RFC 9111'], means: 'what pages link to' },
];
