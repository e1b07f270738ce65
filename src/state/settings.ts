import { readNetwork } from '#base';
import type { SettingRows } from '#catalogue';

/** @see specification document 1, "Limits"; docs/decisions/0012-failures.md */
export const settings = {
  'security.rateLimitWindowS': {
    env: 'STS_SECURITY_RATE_WINDOW_S',
    kind: 'integer',
    default: 60,
    min: 1,
    max: 31_536_000,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'seconds of the fixed window in which failed attempts to sign in are counted, from the first of them',
  },
  'security.rateLimitPerIdentity': {
    env: 'STS_SECURITY_RATE_PER_IDENTITY',
    kind: 'integer',
    default: 5,
    min: 1,
    max: 1_000_000,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'failed attempts for one name in a window, from any address; until it ends every further attempt is refused, a right one too',
  },
  'security.rateLimitPerAddress': {
    env: 'STS_SECURITY_RATE_PER_ADDRESS',
    kind: 'integer',
    default: 20,
    min: 1,
    max: 1_000_000,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'failed attempts from one address in a window, for any name; of IPv6 the first 64 bits are one address',
  },
  'security.rateLimitTrustedAddresses': {
    env: 'STS_SECURITY_RATE_TRUSTED_ADDRESSES',
    kind: 'list',
    default: [],
    max: 64,
    check: (given) => {
      const read = readNetwork(given);
      return 'octets' in read ? undefined : (read.why ?? 'is neither an address nor a network such as 192.0.2.0/24');
    },
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means:
      'addresses and networks of servers in front, such as a mail server that binds for all of its users: failures from there are not counted for the address, always for the name',
  },
} as const satisfies SettingRows;
