import type { SettingRows } from '#catalogue';

const dayS = 86_400;
const yearS = 366 * dayS;

export const settings = {
  'oauth.accessTokenTtlS': seconds('STS_OAUTH_ACCESS_TOKEN_TTL_S', 600, dayS, 'seconds that an access token is good'),
  'oauth.idTokenTtlS': seconds('STS_OAUTH_ID_TOKEN_TTL_S', 600, dayS, 'seconds that an ID token is good'),
  'oauth.codeTtlS': seconds('STS_OAUTH_CODE_TTL_S', 60, 600, 'seconds that an authorization code is good'),
  'oauth.refreshTokenTtlS': seconds('STS_OAUTH_REFRESH_TOKEN_TTL_S', 14 * dayS, yearS, 'seconds that a refresh token waits to be used'),
  'oauth.grantTtlS': seconds(
    'STS_OAUTH_GRANT_TTL_S',
    90 * dayS,
    yearS,
    'seconds after which all that came of one authorization ends, however often it was refreshed',
  ),
  'oauth.algorithm': {
    env: 'STS_OAUTH_ALGORITHM',
    kind: 'choice',
    default: 'ES256',
    values: ['ES256', 'EdDSA', 'RS256', 'PS256', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'],
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'by which tokens are signed, unless an application asks for another algorithm',
  },
  'oauth.setsMax': bound('STS_OAUTH_SETS_MAX', 1_000_000, 'token sets of a realm; one more puts out the least recently used'),
  'oauth.artifactsMax': bound(
    'STS_OAUTH_ARTIFACTS_MAX',
    4_000_000,
    'codes and tokens of a realm that are remembered; one more puts out the least recently used',
  ),
  'oauth.pendingMax': bound(
    'STS_OAUTH_PENDING_MAX',
    100_000,
    'pushed requests and device codes of a realm that wait; one more puts out the oldest',
  ),
  'oauth.replaysMax': bound(
    'STS_OAUTH_REPLAYS_MAX',
    1_000_000,
    'proofs and assertions of a realm that are remembered, so that none is used twice',
  ),
  'oauth.formOctetsMax': {
    env: 'STS_OAUTH_FORM_OCTETS_MAX',
    kind: 'integer',
    default: 56 * 1024,
    min: 4 * 1024,
    max: 56 * 1024,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'octets of a form at an endpoint: a pushed request waits in the store, and anybody may push one',
  },
  'oauth.serversMax': {
    env: 'STS_OAUTH_SERVERS_MAX',
    kind: 'integer',
    default: 200,
    min: 4,
    max: 10_000,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'authorization servers that are kept ready; the least recently used is put together again when it is next asked for',
  },
  'oauth.logoutRetryS': {
    env: 'STS_OAUTH_LOGOUT_RETRY_S',
    kind: 'integer',
    default: 5,
    min: 0,
    max: 3600,
    applies: 'runtime',
    scope: 'process',
    obeyed: true,
    means: 'seconds between runs of what tells applications that somebody signed out; 0: only at once',
  },
  'oauth.logoutKeepS': seconds(
    'STS_OAUTH_LOGOUT_KEEP_S',
    dayS,
    30 * dayS,
    'seconds for which an application that does not answer is told again, at growing intervals',
  ),
} as const satisfies SettingRows;

function seconds<Env extends string>(env: Env, standing: number, max: number, means: string) {
  return { env, kind: 'integer', default: standing, min: 1, max, applies: 'runtime', scope: 'realm', obeyed: true, means } as const;
}

function bound<Env extends string>(env: Env, standing: number, means: string) {
  return {
    env,
    kind: 'integer',
    default: standing,
    min: 10,
    max: 100_000_000,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means,
  } as const;
}
