import type { ErrorRow } from '#catalogue';

/** Refusals about realms. @see specification document 2, "STS-CORE" */
export const realmErrors = {
  settingUnknown: core('0004', 19, 'a realm, or the service, sets something that is no setting', 'stsSetting: {name} is no setting'),
  settingFixed: core(
    '0005',
    19,
    'a setting that is read at the start only is changed while the service runs',
    'stsSetting: {name} is read at the start only and cannot be changed while the service runs',
  ),
  settingUnfit: core('0006', 19, 'a realm, or the service, sets a value that does not fit its setting', 'stsSetting: {name}: {why}'),
  settingOfRealms: core('0014', 19, 'realms.* is set for one realm', 'stsSetting: {name} is of all realms and cannot be set for one'),
  settingOfProcess: core(
    '0015',
    19,
    'a setting of the whole service is set for one realm',
    'stsSetting: {name} is of the whole service and cannot be set for one realm',
  ),
  settingPinned: core(
    '9530',
    53,
    'a setting that the environment gives is set while the service runs',
    'stsSetting: {name} is given by the environment ({env}) and cannot be changed while the service runs',
  ),
  serviceMisplaced: core(
    '9531',
    64,
    'an entry of the service’s settings that stands elsewhere',
    'the service’s settings are the entry {place}',
  ),
  realmIdUnfit: core(
    '0009',
    19,
    'the id of a realm is not lower-case letters, digits and hyphens, at most 31',
    'stsRealmId: lower-case letters, digits and hyphens, at most 31',
  ),
  realmIdDefault: core('0010', 19, 'the id of a realm is that of the default realm', 'stsRealmId: it is the default realm’s'),
  realmIdShadows: core(
    '0011',
    19,
    'the id of a realm is the first segment of a path of the service',
    'stsRealmId: paths of the service begin so',
  ),
  realmIdTaken: core('0012', 68, 'the id of a realm is in use', 'stsRealmId: another realm has it'),
  realmDomainUnfit: core(
    '0099',
    19,
    'the domain of a realm is no DNS name of at least two labels',
    'associatedDomain: one DNS name of at least two labels',
  ),
  realmDomainTaken: core('0100', 19, 'the domain of a realm is used by another realm', 'associatedDomain: another realm has it'),
  realmDomainFixed: core('0101', 19, 'the domain of a realm is changed after its creation', 'associatedDomain: it cannot be changed'),
  realmIdOfEst: core('0107', 19, 'the id of a realm is what EST may have in its place in a path', 'stsRealmId: EST has paths of that name'),
  removalTwice: core('0122', 53, 'a second removal of a realm while one is under way', 'the realm is being removed already'),
  removalStuck: core('0123', undefined, 'a realm is stuck half removed: {why}'),
  realmSuffixTaken: own(
    9320,
    68,
    'the suffix that a realm would have is the name of an entry, or another realm’s',
    'the suffix of the realm, {suffix}, is taken',
  ),
  realmSuffixStays: own(9321, 53, 'the entry at a realm’s suffix is deleted by itself', 'the entry of a suffix goes with its realm'),
  realmEntryStays: own(
    9322,
    53,
    'the entry of a realm is deleted in place of the realm',
    'a realm is removed by replacing its stsRealmState by removing',
  ),
  realmIdFixed: own(9323, 53, 'the id of a realm, or the name of its entry, is changed', 'the id of a realm cannot be changed'),
  realmMisplaced: own(
    9324,
    64,
    'an entry of a realm that does not stand where realms do, or is named otherwise than by its id',
    'the entry of a realm is cn=<its id>,{registry}',
  ),
  settingMalformed: own(9325, 19, 'a value of stsSetting that is no setting of its realm or of the service', 'stsSetting: {name} {why}'),
  realmStateRefused: own(9326, 19, 'a state of a realm that follows from no other, or is the directory’s to say', '{attribute}: {why}'),
  realmRemoving: own(9327, 53, 'a bind to, or a change of, a realm that is being removed', 'the realm is being removed'),
  realmsMany: own(9328, 11, 'more realms than realms.max', 'there are {max} realms already'),
  realmModeUnfit: own(9329, 19, 'a mode of a realm that there is not', 'stsRealmMode: product or development'),
} as const satisfies Record<string, ErrorRow>;

function core(number: string, ldap: number | undefined, means: string, says = means): ErrorRow {
  return { code: `STS-CORE-${number as `${number}`}`, means, says, sees: ldap === undefined ? {} : { ldap }, state: 'live' };
}

function own(number: number, ldap: number, means: string, says: string): ErrorRow {
  return { code: `STS-LDAP-${number}`, means, says, sees: { ldap }, state: 'live' };
}
