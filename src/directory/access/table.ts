/** When a row of the built-in set counts; always without it. */
export type When = 'anonymousReadPublic';

/** One row of the built-in set: a rule as an entry would have it, with `{people}`, `{groups}` and `{suffix}` for the names of the realm. */
export interface BuiltInRow {
  readonly means: string;
  readonly when?: When;
  readonly who: readonly string[];
  readonly strength?: readonly string[];
  readonly target?: readonly string[];
  /** Without any: all. */
  readonly attributes?: readonly string[];
  readonly rights: readonly string[];
}

/** What an entry is and where, and where it leads: nothing of this is about a person. */
const naming = [
  'objectClass',
  'entryDN',
  'entryUUID',
  'structuralObjectClass',
  'subschemaSubentry',
  'hasSubordinates',
  'entryTtl',
  'aliasedObjectName',
  'ref',
];

const publicOfPeople = [
  ...naming,
  'uid',
  'cn',
  'sn',
  'givenName',
  'initials',
  'displayName',
  'mail',
  'title',
  'ou',
  'o',
  'departmentNumber',
  'employeeType',
  'telephoneNumber',
  'mobile',
  'facsimileTelephoneNumber',
  'roomNumber',
  'l',
  'preferredLanguage',
  'jpegPhoto',
  'labeledURI',
  'manager',
  'uidNumber',
  'gidNumber',
  'gecos',
  'homeDirectory',
  'loginShell',
];

const publicOfGroups = [
  ...naming,
  'cn',
  'ou',
  'o',
  'description',
  'member',
  'uniqueMember',
  'memberUid',
  'owner',
  'gidNumber',
  'businessCategory',
];

const publicOfApplications = [...naming, 'cn', 'description', 'stsApplicationUrl'];

const frame = [...naming, 'dc', 'o', 'ou', 'description'];

const looking = ['read', 'search', 'compare'];
const people = ['children:{people}'];
const groups = ['children:{groups}'];
const frameEntries = ['entry:{suffix}', 'entry:{people}', 'entry:{groups}'];

/**
 * The built-in set, asked when no entry of the realm decides. Each row only allows. What stands above all rules is in `protections.ts`; root DSE and
 * subschema are for everybody, and no rule is asked about them.
 */
export const builtInSet: readonly BuiltInRow[] = [
  { means: 'everybody may sign in as any entry whose password they know', who: ['anyone'], rights: ['auth'] },
  {
    means: 'anybody reads what is public of people, where the realm allows it',
    when: 'anonymousReadPublic',
    who: ['anonymous'],
    target: people,
    attributes: publicOfPeople,
    rights: looking,
  },
  {
    means: 'anybody reads what is public of groups, where the realm allows it',
    when: 'anonymousReadPublic',
    who: ['anonymous'],
    target: groups,
    attributes: publicOfGroups,
    rights: looking,
  },
  {
    means: 'anybody sees what people and groups stand below, where the realm allows it',
    when: 'anonymousReadPublic',
    who: ['anonymous'],
    target: frameEntries,
    attributes: frame,
    rights: looking,
  },
  {
    means: 'a person reads what is public of people',
    who: ['authenticated'],
    target: people,
    attributes: [...publicOfPeople, 'memberOf'],
    rights: looking,
  },
  {
    means: 'a person reads what is public of groups',
    who: ['authenticated'],
    target: groups,
    attributes: [...publicOfGroups, 'memberOf'],
    rights: looking,
  },
  {
    means: 'a person sees which applications there are',
    who: ['authenticated'],
    target: ['children:ou=applications,{suffix}'],
    attributes: publicOfApplications,
    rights: looking,
  },
  {
    means: 'a person sees what people and groups stand below',
    who: ['authenticated'],
    target: frameEntries,
    attributes: frame,
    rights: looking,
  },
  {
    means: 'a person reads all that is kept of them',
    who: ['self'],
    attributes: [
      ...naming,
      '*',
      'memberOf',
      'createTimestamp',
      'modifyTimestamp',
      'entryCSN',
      'stsWebauthnCredential',
      'stsEmailFactor',
      'stsVerifiedMail',
      'stsEmailFailures',
      'stsEmailFirstFailures',
      'stsAuthenticatorApp',
      'stsRecoveryCodesLeft',
      'stsHasPassword',
      'stsDelegate',
      'pwdChangedTime',
      'stsAppPasswordInfo',
      'stsPasswordExpires',
      'stsAdministersRealm',
    ],
    rights: looking,
  },
  {
    means: 'a person keeps some of it up to date',
    who: ['self'],
    attributes: ['displayName', 'telephoneNumber', 'mobile', 'description', 'preferredLanguage', 'jpegPhoto'],
    rights: ['write'],
  },
  {
    means: 'a person says what applications may know of them',
    who: ['self'],
    attributes: ['stsConsent'],
    rights: ['write'],
  },
  {
    means: 'who has just authenticated writes their passwords, and who may act for them',
    who: ['self'],
    strength: ['fresh:300'],
    attributes: ['userPassword', 'stsAppPassword', 'stsDelegate'],
    rights: ['write'],
  },
  {
    means: 'who has just authenticated, with two factors where they hold a second one, writes what else they sign in with',
    who: ['self'],
    strength: ['fresh:300+all-factors'],
    attributes: ['mail', 'stsTotpCredential', 'stsRecoveryCode', 'stsCredentialId', 'stsWebauthnCredential', 'stsEmailFactor'],
    rights: ['write'],
  },
  { means: 'Admin Read reads everything', who: ['role:Admin Read'], rights: looking },
  {
    means: 'Admin Write does everything',
    who: ['role:Admin Write'],
    rights: ['auth', 'compare', 'search', 'read', 'enumerate', 'write', 'add', 'delete', 'manage'],
  },
];
