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
  'security.renewForeignHashes': {
    env: 'STS_SECURITY_RENEW_FOREIGN_HASHES',
    kind: 'boolean',
    default: true,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means: "A right password puts a scrypt hash in the place of another system's; off: entries stay as they were imported",
  },
  'security.scramIterations': {
    env: 'STS_SECURITY_SCRAM_ITERATIONS',
    kind: 'integer',
    // What Cyrus SASL, and so ldap-utils, still computes; it refuses a server that asks for one more.
    default: 65_536,
    min: 4096,
    max: 10_000_000,
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means:
      'PBKDF2 iterations of new SCRAM verifiers, which are written where the password policy asks for them (stsScramMechanism); Cyrus SASL, the library of ldap-utils, refuses more than 65536',
  },
} as const satisfies SettingRows;
