import type { ErrorRow } from '#catalogue';

/** What can go wrong between an operation and its bytes on disk. */
export const errors = {
  commitFailed: {
    code: 'STS-STORE-0067',
    means: "an LDAP operation's change could not be committed; nothing of it was kept: {why}",
    says: 'the change could not be written, and nothing of it was kept',
    sees: { ldap: 52 },
    state: 'live',
  },
  syncFailed: {
    code: 'STS-STORE-9001',
    means: 'the disk did not confirm a write; the process ends without answering: {why}',
    sees: {},
    state: 'live',
  },
  folderInUse: {
    code: 'STS-STORE-9002',
    means: 'startup refused: another process uses this data folder',
    says: '{holder} uses this data folder, and must be stopped first',
    sees: {},
    state: 'live',
  },
  formatNewer: {
    code: 'STS-STORE-9003',
    means:
      '{file} has format {found}, written by a newer Atrium; this one reads up to {known}: run that version, or restore a backup from before it',
    sees: {},
    state: 'live',
  },
  fileForeign: {
    code: 'STS-STORE-9004',
    means: '{file} is not a file of Atrium for this purpose, and is left alone: give another, or move it away',
    sees: {},
    state: 'live',
  },
  fileUnusable: {
    code: 'STS-STORE-9005',
    means: '{file} cannot be opened: {why}; it takes a folder with room that this user may read and write, and a file that is whole',
    sees: {},
    state: 'live',
  },
  commitsWaiting: {
    code: 'STS-STORE-9006',
    means: 'a change was refused because {pending} others wait to be written',
    says: 'too many changes wait to be written',
    sees: { ldap: 51 },
    state: 'live',
  },
  logHeld: {
    code: 'STS-STORE-9007',
    means: 'the write-ahead log has {mib} MiB and cannot be shortened: {why}',
    sees: {},
    state: 'live',
  },
  stateNotWritten: {
    code: 'STS-STORE-9008',
    means: 'short-lived state could not be written: {why}',
    says: 'this cannot be done at the moment',
    sees: { ldap: 52, http: 503 },
    state: 'live',
  },
  backupFailed: {
    code: 'STS-STORE-9009',
    means: '{file} could not be written, and nothing of it was kept: {why}',
    sees: {},
    state: 'live',
  },
  backupDamaged: {
    code: 'STS-STORE-9010',
    means: '{file} is damaged, or no whole directory, and was not used: {why}',
    sees: {},
    state: 'live',
  },
  formatOlder: {
    code: 'STS-STORE-9011',
    means: '{file} has format {found}; the next start of the service brings it to {known}, and then it can be read',
    sees: {},
    state: 'live',
  },
  folderReadOnly: {
    code: 'STS-STORE-9850',
    means:
      '{file} is read by means of a log beside it, which can be neither opened nor made where it lies: copy its folder to where this user may write, and name that one (global.dataDir); a file that atrium backup made is read wherever it lies',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
