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
  'adminApi.ldifOctetsMax': {
    env: 'STS_ADMIN_API_LDIF_OCTETS_MAX',
    kind: 'integer',
    default: 1_073_741_824,
    min: 1_048_576,
    max: 1_099_511_627_776,
    applies: 'runtime',
    scope: 'process',
    obeyed: true,
    means: 'octets of LDIF that the management API takes in one request, counted after decompression',
  },
} as const satisfies SettingRows;
