import type { ErrorRow } from '#catalogue';

export const errors = {
  /** @see specification document 2, "STS-CORE" */
  authoritiesUnreadable: {
    code: 'STS-CORE-0104',
    means: 'a mail was not handed over: mail.smtpCaFile cannot be read or holds no certificate',
    sees: {},
    state: 'live',
  },
  notHandedOver: {
    code: 'STS-MAIL-9000',
    means: 'a mail could not be handed over; it is tried again',
    sees: {},
    state: 'live',
  },
  givenUp: {
    code: 'STS-MAIL-9001',
    means: 'a mail was given up',
    sees: {},
    state: 'live',
  },
  queueFull: {
    code: 'STS-MAIL-9002',
    means: 'a mail was not taken: mail.queueMax mails of the realm wait',
    sees: {},
    state: 'live',
  },
  tooMany: {
    code: 'STS-MAIL-9003',
    means: 'a mail was not taken: its address was sent mail.perAddressPerHour mails within this hour',
    sees: {},
    state: 'live',
  },
  passwordUnreadable: {
    code: 'STS-MAIL-9004',
    means: 'a mail was not handed over: the password of the mail server cannot be had from mail.realmPasswordFolder',
    sees: {},
    state: 'live',
  },
  unsealable: {
    code: 'STS-MAIL-9005',
    means: 'a mail was given up: it was sealed under another key-encryption key',
    sees: {},
    state: 'live',
  },
  textUnfit: {
    code: 'STS-MAIL-9040',
    means: 'the words of a realm for a mail were not used, since they are not fit; ours were',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
