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
  'realms.removalDeliveryTimeoutS': {
    env: 'STS_REALMS_REMOVAL_DELIVERY_TIMEOUT_S',
    kind: 'integer',
    default: 300,
    min: 1,
    max: 86_400,
    applies: 'runtime',
    scope: 'process',
    obeyed: true,
    means: 'seconds in which what a realm owes is delivered when it is removed; what is left then is given up',
  },
} as const satisfies SettingRows;
