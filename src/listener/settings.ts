import type { SettingRows, SettingValues } from '#catalogue';

const port = { kind: 'integer', min: 0, max: 65_535, mayBeEmpty: true, applies: 'restart', scope: 'process', obeyed: true } as const;
const limit = { kind: 'integer', applies: 'runtime', scope: 'process', obeyed: true } as const;

export const settings = {
  'ldap.host': {
    env: 'STS_LDAP_HOST',
    kind: 'text',
    default: '',
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means:
      'Address or name that the LDAP listeners listen on; localhost means both loopback addresses. Empty: every address in product mode, localhost in development mode',
  },
  'ldap.port': { ...port, env: 'STS_LDAP_PORT', default: 389, means: 'Port for LDAP; 0 lets the system choose, empty switches it off' },
  'ldap.tlsPort': {
    ...port,
    env: 'STS_LDAP_TLS_PORT',
    default: 636,
    means: 'Port for LDAP over TLS; 0 lets the system choose, empty switches it off',
  },
  'ldap.startTls': {
    env: 'STS_LDAP_START_TLS',
    kind: 'boolean',
    default: true,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'whether the LDAP port without TLS begins TLS for a client that asks for it',
  },
  'ldap.clientCaFile': {
    env: 'STS_LDAP_CLIENT_CA_FILE',
    kind: 'text',
    default: '',
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means:
      'PEM file of the authorities whose client certificates are believed on LDAP connections with TLS; empty: no client is asked for one. Whose certificate it is says ldap.clientCertificateRule',
  },
  'ldap.socket': {
    env: 'STS_LDAP_SOCKET',
    kind: 'text',
    default: 'ldapi',
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means:
      "Path of the operators' Unix socket, inside the data folder unless it begins with a slash: whoever may open it acts as operator with SASL EXTERNAL; only the service's own user may. Empty switches it off",
  },
  'ldap.workers': {
    env: 'STS_LDAP_WORKERS',
    kind: 'integer',
    default: 0,
    min: 0,
    max: 64,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means:
      'Threads that serve LDAP beside the main one, on the same ports (Linux and FreeBSD). Each reads by itself, with caches of its own of the configured sizes, and hands its changes to the main one. Worth it where searches keep one core busy and another is free',
  },
  'ldap.connectionsMax': {
    ...limit,
    env: 'STS_LDAP_CONNECTIONS_MAX',
    default: 4000,
    min: 1,
    max: 1_000_000,
    means: 'Connections open at once over the network, and as many over each Unix socket; one more is closed at once',
  },
  'ldap.operationsMax': {
    ...limit,
    env: 'STS_LDAP_OPERATIONS_MAX',
    default: 128,
    min: 1,
    max: 10_000,
    means: 'Requests of one connection in progress at once; further ones wait and are not read',
  },
  'ldap.messageOctetsMax': {
    ...limit,
    env: 'STS_LDAP_MESSAGE_OCTETS_MAX',
    default: 16_777_216,
    min: 16_384,
    max: 1_073_741_824,
    means: 'Octets of a request from someone who has bound',
  },
  'ldap.messageOctetsAnonymousMax': {
    ...limit,
    env: 'STS_LDAP_MESSAGE_OCTETS_ANONYMOUS_MAX',
    default: 32_768,
    min: 1024,
    max: 1_073_741_824,
    means: 'Octets of a request from someone who has not bound',
  },
  'ldap.filterDepthMax': {
    ...limit,
    env: 'STS_LDAP_FILTER_DEPTH_MAX',
    default: 50,
    min: 1,
    max: 500,
    means: 'How deep filters of a request may be nested',
  },
  'ldap.filterItemsMax': {
    ...limit,
    env: 'STS_LDAP_FILTER_ITEMS_MAX',
    default: 5000,
    min: 1,
    max: 1_000_000,
    means: 'Parts that the filter of a request from someone who has bound may have',
  },
  'ldap.filterItemsAnonymousMax': {
    ...limit,
    env: 'STS_LDAP_FILTER_ITEMS_ANONYMOUS_MAX',
    default: 100,
    min: 1,
    max: 1_000_000,
    means: 'Parts that the filter of a request from someone who has not bound may have',
  },
  'ldap.outgoingOctetsMax': {
    ...limit,
    env: 'STS_LDAP_OUTGOING_OCTETS_MAX',
    default: 1_048_576,
    min: 131_072,
    max: 1_073_741_824,
    means: 'Octets that may wait for one peer to read them before its requests stop until it has',
  },
  'ldap.idleTimeoutS': {
    ...limit,
    env: 'STS_LDAP_IDLE_TIMEOUT_S',
    default: 900,
    min: 0,
    max: 86_400,
    means: 'Seconds after which a network connection without requests is closed; 0 never',
  },
  'ldap.stallTimeoutS': {
    ...limit,
    env: 'STS_LDAP_STALL_TIMEOUT_S',
    default: 30,
    min: 1,
    max: 3600,
    means: 'Seconds within which a message must arrive, a TLS handshake end, and a peer read something of what waits for it',
  },
  'ldap.stopTimeoutS': {
    ...limit,
    env: 'STS_LDAP_STOP_TIMEOUT_S',
    default: 10,
    min: 0,
    max: 600,
    means: 'Seconds that requests in progress may take to end when the service stops',
  },
} as const satisfies SettingRows;

type LimitName =
  | 'ldap.connectionsMax'
  | 'ldap.operationsMax'
  | 'ldap.messageOctetsMax'
  | 'ldap.messageOctetsAnonymousMax'
  | 'ldap.filterDepthMax'
  | 'ldap.filterItemsMax'
  | 'ldap.filterItemsAnonymousMax'
  | 'ldap.outgoingOctetsMax'
  | 'ldap.idleTimeoutS'
  | 'ldap.stallTimeoutS'
  | 'ldap.stopTimeoutS';

/** The limits of the listener, read anew at each use: they may change while it runs. */
export type Limits = Pick<SettingValues<typeof settings>, LimitName>;
