import type { ErrorRow } from '../errors.ts';

/** What can be wrong with a service's settings: the start stops, a line of the log warns, or a change of an entry is refused. */
export const settingErrors = {
  configUnreadable: { code: 'STS-CORE-0001', means: 'startup refused: the configuration file cannot be loaded', sees: {}, state: 'live' },
  settingWithoutValue: { code: 'STS-CORE-0002', means: 'startup refused: a setting has no value', sees: {}, state: 'live' },
  settingForDevelopment: {
    code: 'STS-CORE-0103',
    means: 'a development-only setting given a value of its own in product mode',
    says: 'stsSetting: {name} may not be changed in product mode',
    sees: { ldap: 19, http: 400 },
    state: 'live',
  },
  settingOverruled: {
    code: 'STS-CORE-9532',
    means: 'the directory keeps a value of a setting that the environment gives; the environment’s is in force',
    sees: {},
    state: 'live',
  },
  settingRemoved: { code: 'STS-CORE-0105', means: 'startup refused: a setting that was removed is still named', sees: {}, state: 'live' },
  settingInvalid: { code: 'STS-CORE-0108', means: 'startup refused: a configured value fails its check', sees: {}, state: 'live' },
  settingUnknown: { code: 'STS-CORE-9001', means: 'a name that is given is no setting; it is ignored', sees: {}, state: 'live' },
  settingNotObeyed: {
    code: 'STS-CORE-9002',
    means: 'a setting is given that this version does not obey yet: every setting is obeyed by now',
    sees: {},
    state: 'retired',
  },
  secretFileUnreadable: { code: 'STS-KEYS-9043', means: 'startup refused: a secret file cannot be read', sees: {}, state: 'live' },
  secretFileEmpty: { code: 'STS-KEYS-9044', means: 'startup refused: a secret file is empty', sees: {}, state: 'live' },
  secretFileOpen: {
    code: 'STS-KEYS-9045',
    means: 'startup refused: others than the owner may read a file that holds a secret',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;

/** What can be wrong with settings that are stored. They count as not stored; the rooms on both sides of the LDAP interface meet them. */
export const storedSettingErrors = {
  settingIgnored: {
    code: 'STS-CORE-0008',
    means: 'a stored setting no longer passes its check and is not applied',
    sees: {},
    state: 'live',
  },
  settingForDevelopmentIgnored: {
    code: 'STS-CORE-0106',
    means: 'a development-only setting stored in a realm in product mode is ignored',
    sees: {},
    state: 'reserved',
  },
} as const satisfies Record<string, ErrorRow>;

/** One thing that is wrong with the settings given. The words never repeat a secret. */
export interface SettingProblem {
  readonly code: ErrorRow['code'];
  /** The setting, or the name that was meant to be one. */
  readonly name: string;
  readonly problem: string;
}

/** The line an operator reads: `[STS-CORE-0108] ldap.port: …`. */
export function describeSettingProblem({ code, name, problem }: SettingProblem): string {
  return `[${code}] ${name}: ${problem}`;
}
