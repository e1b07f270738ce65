import type { SettingRows } from '#catalogue';

export const settings = {
  'http.host': {
    env: 'STS_HTTP_HOST',
    kind: 'text',
    default: '',
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'address the web listens on; empty: every address of this machine, in development mode only its own',
  },
  'http.port': {
    env: 'STS_HTTP_PORT',
    kind: 'integer',
    default: 8080,
    min: 0,
    max: 65_535,
    mayBeEmpty: true,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'port of plain HTTP; 0 lets the system choose, empty switches it off',
  },
  'http.tlsPort': {
    env: 'STS_HTTP_TLS_PORT',
    kind: 'integer',
    default: 8443,
    min: 0,
    max: 65_535,
    mayBeEmpty: true,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'port of HTTPS; 0 lets the system choose, empty switches it off',
  },
  'global.publicBaseUrl': {
    env: 'STS_GLOBAL_PUBLIC_BASE_URL',
    kind: 'text',
    default: '',
    check: (given) => (isBaseUrl(given) ? undefined : 'is not an http or https address without path, query or fragment'),
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'the address browsers reach this service at, such as https://id.example.com; empty takes it from each request',
  },
  'http.bodyOctetsMax': {
    env: 'STS_HTTP_BODY_OCTETS_MAX',
    kind: 'integer',
    default: 5_242_880,
    min: 1024,
    max: 104_857_600,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'octets of a request body, counted after decompression',
  },
  'http.formFieldsMax': {
    env: 'STS_HTTP_FORM_FIELDS_MAX',
    kind: 'integer',
    default: 1000,
    min: 10,
    max: 100_000,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'fields of a form',
  },
  'http.headerOctetsMax': {
    env: 'STS_HTTP_HEADER_OCTETS_MAX',
    kind: 'integer',
    default: 16_384,
    min: 4096,
    max: 262_144,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'octets of a request line and its headers together',
  },
  'http.headersTimeoutS': seconds('STS_HTTP_HEADERS_TIMEOUT_S', 20, 'seconds a client may take to send its headers'),
  'http.requestTimeoutS': seconds('STS_HTTP_REQUEST_TIMEOUT_S', 60, 'seconds a client may take to send a whole request'),
  'http.keepAliveTimeoutS': seconds('STS_HTTP_KEEP_ALIVE_TIMEOUT_S', 10, 'seconds a connection is kept for another request'),
  'http.stopWaitS': seconds('STS_HTTP_STOP_WAIT_S', 5, 'seconds that requests in progress may take to end when the service stops'),
  'http.connectionsMax': {
    env: 'STS_HTTP_CONNECTIONS_MAX',
    kind: 'integer',
    default: 10_000,
    min: 10,
    max: 1_000_000,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'connections of each listener at the same time; further ones are closed at once',
  },
} as const satisfies SettingRows;

function seconds(env: string, standing: number, means: string) {
  return { env, kind: 'integer', default: standing, min: 1, max: 3600, applies: 'restart', scope: 'process', obeyed: true, means } as const;
}

function isBaseUrl(given: string): boolean {
  const url = URL.parse(given);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
