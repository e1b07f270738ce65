import { publicOfPeople } from '../directory/plain-search.ts';
import type { Rule } from './oracle.ts';
import type { PlainRealm, PlainWorld } from './plain.ts';

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
const people = [...naming, ...publicOfPeople];
const groups = [...naming, 'cn', 'ou', 'o', 'description', 'member', 'uniqueMember', 'memberUid', 'owner', 'gidNumber', 'businessCategory'];
const applications = [...naming, 'cn', 'description', 'stsApplicationUrl'];
const frame = [...naming, 'dc', 'o', 'ou', 'description'];
const kept = ['displayName', 'telephoneNumber', 'mobile', 'description', 'preferredLanguage', 'jpegPhoto'];
const own = [
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
  'stsConsent',
];
const looks = ['read', 'search', 'compare'];

/** The built-in set in the form of rules, for one realm. All of them allow. */
export function builtIn({ anonymousRead }: PlainWorld, { suffix }: PlainRealm): readonly Rule[] {
  const inPeople = [`children:ou=people,${suffix}`];
  const inGroups = [`children:ou=groups,${suffix}`];
  const inFrame = [`entry:${suffix}`, `entry:ou=people,${suffix}`, `entry:ou=groups,${suffix}`];
  const anonymous = anonymousRead === 'none' ? [] : ['anonymous'];
  return [
    row('everybody may bind', ['anyone'], [], [], ['auth']),
    row('public of people, to anybody', anonymous, inPeople, people, looks),
    row('public of groups, to anybody', anonymous, inGroups, groups, looks),
    row('the frame, to anybody', anonymous, inFrame, frame, looks),
    row('public of people', ['authenticated'], inPeople, [...people, 'memberOf'], looks),
    row('public of groups', ['authenticated'], inGroups, [...groups, 'memberOf'], looks),
    row('applications', ['authenticated'], [`children:ou=applications,${suffix}`], applications, looks),
    row('the frame', ['authenticated'], inFrame, frame, looks),
    row('one’s own', ['self'], [], own, looks),
    row('one’s own, kept up to date', ['self'], [], kept, ['write']),
    row('what applications may know', ['self'], [], ['stsConsent'], ['write']),
    row('one’s own password, freshly', ['self'], [], ['userPassword', 'stsAppPassword', 'stsDelegate'], ['write'], ['fresh:300']),
    row(
      'one’s own, freshly and with all factors',
      ['self'],
      [],
      ['mail', 'stsTotpCredential', 'stsRecoveryCode', 'stsCredentialId', 'stsWebauthnCredential', 'stsEmailFactor'],
      ['write'],
      ['fresh:300+all-factors'],
    ),
    row('Admin Read', ['role:Admin Read'], [], [], looks),
    row('Admin Write', ['role:Admin Write'], [], [], ['auth', ...looks, 'enumerate', 'write', 'add', 'delete', 'manage']),
  ];
}

function row(
  name: string,
  who: readonly string[],
  target: readonly string[],
  attribute: readonly string[],
  right: readonly string[],
  strength: readonly string[] = [],
): Rule {
  return { name: `built in: ${name}`, order: 0, effect: 'allow', who, strength, from: [], target, filter: undefined, attribute, right };
}
