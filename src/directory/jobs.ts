import type { JobRow } from '#catalogue';

export const jobs = {
  'directory.expire': {
    everyS: 'ldap.dynamicSweepS',
    scope: 'realm',
    means: 'deletes dynamic entries that nobody refreshed in time',
  },
  'directory.purge': {
    everyS: 'directory.purgeS',
    scope: 'realm',
    means: 'deletes what is kept of deleted people, groups and applications whose time to be restored is over, or that are too many',
  },
  'directory.reseal': {
    everyS: 'keys.resealS',
    scope: 'service',
    means: 'seals what lies open in realms in product mode, and seals anew what lies under keys.previousKek',
  },
  'directory.removeRealms': {
    everyS: 'realms.removalCheckS',
    scope: 'service',
    means: 'deletes the entries of realms that are being removed, once what they owe is delivered',
  },
} as const satisfies Record<string, JobRow>;
