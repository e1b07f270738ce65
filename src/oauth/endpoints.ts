import type { RouteRow } from '#catalogue';

type Methods = readonly RouteRow['method'][];

interface Endpoint extends Omit<RouteRow, 'method' | 'path'> {
  readonly path: string;
  readonly methods: Methods;
}

const full = { coverage: 'full' } as const;

/** The endpoints of each authorization server: a realm's own, and those that a path component names. */
export const endpoints = {
  authorize: {
    path: '/oauth2/authorize',
    methods: ['GET', 'POST'],
    purpose: 'asks a person for an authorization',
    // It gives codes out.
    head: 'refused',
    source: 'RFC 6749 §3.1',
    ...full,
  },
  token: {
    path: '/oauth2/token',
    methods: ['POST'],
    purpose: 'gives tokens for a grant',
    source: 'RFC 6749 §3.2, RFC 9449',
    cors: 'clients',
    ...full,
  },
  userinfo: {
    path: '/oauth2/userinfo',
    methods: ['GET', 'POST'],
    purpose: 'claims about the person of an access token',
    source: 'OpenID Connect Core §5.3',
    cors: 'clients',
    ...full,
  },
  jwks: {
    path: '/oauth2/jwks',
    methods: ['GET'],
    purpose: 'the keys that tokens are signed by',
    source: 'RFC 7517',
    cors: 'open',
    ...full,
  },
  par: {
    path: '/oauth2/par',
    methods: ['POST'],
    purpose: 'takes an authorization request in advance',
    source: 'RFC 9126',
    cors: 'clients',
    ...full,
  },
  deviceAuthorization: {
    path: '/oauth2/device_authorization',
    methods: ['POST'],
    purpose: 'gives a device a code that its person types elsewhere',
    source: 'RFC 8628 §3.1',
    cors: 'clients',
    ...full,
  },
  introspect: {
    path: '/oauth2/introspect',
    methods: ['POST'],
    purpose: 'says what a token is worth',
    source: 'RFC 7662, RFC 9701',
    cors: 'clients',
    ...full,
  },
  revoke: {
    path: '/oauth2/revoke',
    methods: ['POST'],
    purpose: 'revokes a token and all that came of its authorization',
    source: 'RFC 7009',
    cors: 'clients',
    ...full,
  },
  logout: {
    path: '/oauth2/logout',
    methods: ['GET', 'POST'],
    purpose: 'signs the person out for an application',
    head: 'refused',
    source: 'OpenID Connect RP-Initiated Logout 1.0',
    ...full,
  },
  openidConfiguration: {
    path: '/.well-known/openid-configuration',
    methods: ['GET'],
    purpose: 'what this OpenID provider is and can do',
    source: 'OpenID Connect Discovery 1.0 §4',
    cors: 'open',
    ...full,
  },
  serverMetadata: {
    path: '/.well-known/oauth-authorization-server',
    methods: ['GET'],
    purpose: 'what this authorization server is and can do',
    source: 'RFC 8414 §3',
    cors: 'open',
    ...full,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

/** One row of an endpoint, with what its path says about whose it is. */
export interface EndpointRow {
  readonly endpoint: EndpointName;
  readonly row: RouteRow;
}

const wellKnown: readonly EndpointName[] = ['openidConfiguration', 'serverMetadata'];

/** Every route of every endpoint, by a name: its own path, the same under a server's name, and for metadata the forms in which the issuer's path stands behind. */
export const endpointRows: Readonly<Record<string, EndpointRow>> = Object.fromEntries(
  (Object.keys(endpoints) as EndpointName[]).flatMap((endpoint) => {
    const { path, methods, ...rest }: Endpoint = endpoints[endpoint];
    const paths = [
      path,
      `/:server${path}`,
      ...(wellKnown.includes(endpoint) ? [`${path}/:server`, `${path}/realm/:id`, `${path}/realm/:id/:server`] : []),
    ];
    return paths.flatMap((each) =>
      methods.map((method) => [`${method} ${each}`, { endpoint, row: { method, path: each, ...rest } }] as const),
    );
  }),
);

export const endpointRoutes: Readonly<Record<string, RouteRow>> = Object.fromEntries(
  Object.entries(endpointRows).map(([name, { row }]) => [name, row]),
);
