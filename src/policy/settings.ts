import type { SettingRows } from '#catalogue';

export const settings = {
  'global.mode': {
    env: 'STS_GLOBAL_MODE',
    kind: 'choice',
    default: 'product',
    values: ['development', 'product'],
    applies: 'restart',
    scope: 'realm',
    obeyed: true,
    means: 'product verifies every password; development accepts any but the reserved word, for trying things out',
  },
} as const satisfies SettingRows;
