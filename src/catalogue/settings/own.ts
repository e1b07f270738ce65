import type { SettingRows } from './rows.ts';

/** Settings of the service as a whole, which no single room owns. */
export const serviceSettings = {
  'global.dataDir': {
    env: 'STS_GLOBAL_DATA_DIR',
    kind: 'text',
    default: 'data',
    min: 1,
    applies: 'restart',
    scope: 'process',
    obeyed: true,
    means: 'the folder of everything the service keeps; one process owns it at a time',
  },
} as const satisfies SettingRows;
