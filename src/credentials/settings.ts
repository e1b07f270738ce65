import type { SettingRows } from '#catalogue';

export const settings = {
  'security.passwordHashLogN': {
    env: 'STS_SECURITY_PASSWORD_HASH_LOG_N',
    kind: 'integer',
    default: 15,
    min: 14,
    max: 19,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'scrypt cost of new password hashes, as a power of two',
  },
  'security.passwordHashR': {
    env: 'STS_SECURITY_PASSWORD_HASH_R',
    kind: 'integer',
    default: 8,
    min: 1,
    max: 32,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'scrypt block size of new password hashes',
  },
  'security.passwordHashP': {
    env: 'STS_SECURITY_PASSWORD_HASH_P',
    kind: 'integer',
    default: 1,
    min: 1,
    max: 16,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: 'scrypt parallelism of new password hashes',
  },
} as const satisfies SettingRows;
