import type { SettingRows } from '#catalogue';

const common = { kind: 'integer', applies: 'runtime', scope: 'realm', obeyed: true } as const;

/** @see specification document 1, "Recovery code settings" */
export const settings = {
  'backupCodes.count': { ...common, env: 'STS_BACKUP_CODES_COUNT', default: 10, min: 1, max: 100, means: 'codes of a set' },
  'backupCodes.length': { ...common, env: 'STS_BACKUP_CODES_LENGTH', default: 10, min: 8, max: 64, means: 'characters of a code' },
  'backupCodes.groupSize': {
    ...common,
    env: 'STS_BACKUP_CODES_GROUP_SIZE',
    default: 5,
    min: 0,
    max: 64,
    means: 'characters of a printed group; 0 prints a code unbroken',
  },
  'backupCodes.pendingTtlS': {
    ...common,
    env: 'STS_BACKUP_CODES_PENDING_TTL_S',
    default: 900,
    min: 1,
    max: 31_536_000,
    means: 'seconds: wait until the person confirms that a set was saved',
  },
} as const satisfies SettingRows;
