import type { SettingRows } from '#catalogue';

export const settings = {
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
} as const satisfies SettingRows;
