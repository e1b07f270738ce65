import type { SettingRows } from '#catalogue';

export const settings = {
  'adminApi.authRequired': {
    env: 'ADMIN_API_AUTH_REQUIRED',
    kind: 'boolean',
    default: true,
    applies: 'restart',
    scope: 'process',
    developmentOnly: true,
    obeyed: true,
    means: 'whether the management API takes an access token; without, everybody who reaches it administers this service',
  },
} as const satisfies SettingRows;
