import { type ErrorRow, storedSettingErrors } from '#catalogue';

/** @see specification document 2, "STS-CORE" */
export const errors = {
  ...storedSettingErrors,
  removedOwing: {
    code: 'STS-CORE-0120',
    means: 'a realm was removed with deliveries undone after realms.removalDeliveryTimeoutS',
    sees: {},
    state: 'live',
  },
  notDelivered: {
    code: 'STS-CORE-9111',
    means: 'something that a realm owes could not be handed over; it is tried again',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
