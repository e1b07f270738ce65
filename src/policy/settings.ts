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
  'authn.riskOfNewNetwork': {
    env: 'STS_AUTHN_RISK_OF_NEW_NETWORK',
    kind: 'choice',
    values: ['none', 'elevated', 'step-up'],
    default: 'none',
    applies: 'runtime',
    scope: 'realm',
    obeyed: true,
    means:
      'what it means that somebody signs in from a network (IPv4: the first 24 bits, IPv6: 48) from which they have not in the last 90 days: nothing; elevated risk, at which administrators without a second factor are offered one; or a step up, which takes a second factor that is not mailed',
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
