import type { SettingRows } from '#catalogue';

export const settings = {
  'keys.kek': {
    env: 'STS_KEYS_KEK',
    kind: 'secret',
    default: '',
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'Key-encryption key, at least 32 bytes. Product mode does not start without it',
  },
  'keys.hashQueueMax': {
    env: 'STS_KEYS_HASH_QUEUE_MAX',
    kind: 'integer',
    default: 256,
    min: 1,
    max: 100_000,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'Password hashes that may wait for a free core before another is refused as busy',
  },
  'keys.hashCostMaxMiB': {
    env: 'STS_KEYS_HASH_COST_MAX_MIB',
    kind: 'integer',
    default: 512,
    min: 32,
    max: 65_536,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'Most that a stored password hash may ask for, as 128 × N × r × p octets in MiB; one that asks for more is no match',
  },
} as const satisfies SettingRows;
