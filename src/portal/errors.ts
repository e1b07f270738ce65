import type { ErrorRow } from '#catalogue';

export const errors = {
  linkGone: {
    code: 'STS-AUTHN-9460',
    means: 'an activation or reset link that opens nothing: unknown, used, in use, over or ended',
    sees: { http: 410 },
    state: 'live',
  },
  linkUnused: {
    code: 'STS-AUTHN-9461',
    means: 'the directory did not take what a link was to set; its row says why, and the link is as good as before',
    sees: { http: 503 },
    state: 'live',
  },
  forgotNotMailed: {
    code: 'STS-AUTHN-9462',
    means: 'a reset link was asked for, and nothing mailed: nobody has the name, or no address of theirs counts',
    sees: { http: 200 },
    state: 'live',
  },
  forgotTooOften: {
    code: 'STS-AUTHN-9463',
    means: 'a reset link was asked for, and nothing mailed: the person was mailed security.forgotPerPersonPerHour links within this hour',
    sees: { http: 200 },
    state: 'live',
  },
  notDone: {
    code: 'STS-AUTHN-9531',
    means:
      'a page of the portal was not taken: the directory refused it, could not do it now, or had too many attempts; its own row says why',
    sees: {},
    state: 'live',
  },
  forgotOff: {
    code: 'STS-AUTHN-9530',
    means: 'a reset link is asked for where none can be mailed: the realm has no mail server, or does not check passwords',
    sees: { http: 404 },
    state: 'live',
  },
  forgotLimited: {
    code: 'STS-AUTHN-9464',
    means: 'reset links were asked for from one address more than security.forgotPerAddressPerHour times within this hour',
    sees: { http: 429 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
