import type { SettingRow, SettingRows } from '#catalogue';

/** How the web layer speaks to the directory. Read when a connection is opened or a request is made. */
export const settings = {
  'client.poolSize': count('STS_CLIENT_POOL_SIZE', 4, 1, 256, 'connections over which the web layer reads and writes the directory'),
  'client.judgingMax': count('STS_CLIENT_JUDGING_MAX', 8, 1, 1024, 'connections over which passwords are judged, one at a time on each'),
  'client.waitingMax': count(
    'STS_CLIENT_WAITING_MAX',
    1000,
    1,
    1_000_000,
    'requests, and passwords to judge, that wait for the directory at one time; one more is refused as busy',
  ),
  'client.timeoutMs': count(
    'STS_CLIENT_TIMEOUT_MS',
    10_000,
    1,
    600_000,
    'milliseconds to wait for an answer, and in a search for the next entry',
  ),
  'client.connectTimeoutMs': count('STS_CLIENT_CONNECT_TIMEOUT_MS', 2000, 1, 60_000, 'milliseconds to wait for a connection'),
  'client.backOffMaxMs': count(
    'STS_CLIENT_BACK_OFF_MAX_MS',
    5000,
    1,
    600_000,
    'most milliseconds between two attempts to reach a directory that is gone; requests in between fail at once',
  ),
  'client.idleMs': count(
    'STS_CLIENT_IDLE_MS',
    300_000,
    1,
    86_400_000,
    'milliseconds without use after which a connection is replaced; less than ldap.idleTimeoutS, so that none is used while it is closed',
  ),
  'client.entriesMax': count('STS_CLIENT_ENTRIES_MAX', 1000, 1, 1_000_000, 'most entries that one search of the web layer asks for'),
  'client.answerOctetsMax': count(
    'STS_CLIENT_ANSWER_OCTETS_MAX',
    64 * 1_048_576,
    1024,
    2_147_483_647,
    'octets of one entry or answer; a larger one ends the connection',
  ),
} as const satisfies SettingRows;

function count(env: string, standing: number, min: number, max: number, means: string) {
  return {
    env,
    kind: 'integer',
    default: standing,
    min,
    max,
    applies: 'runtime',
    scope: 'process',
    obeyed: true,
    means,
  } as const satisfies SettingRow;
}
