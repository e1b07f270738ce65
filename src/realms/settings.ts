import type { SettingRows } from '#catalogue';

export const settings = {
  'realms.removalCheckS': {
    env: 'STS_REALMS_REMOVAL_CHECK_S',
    kind: 'integer',
    default: 2,
    min: 0,
    max: 3600,
    applies: 'runtime',
    scope: 'process',
    obeyed: true,
    means: 'seconds between looks for realms that are being removed; 0 switches them off',
  },
} as const satisfies SettingRows;
