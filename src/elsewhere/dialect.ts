import { text } from '#base';
import type { NoteKind } from './report.ts';

export type DialectName = 'slapcat' | 'db2ldif' | 'lldap';

/** What becomes of an attribute that means something else here, or nothing. */
export type Treatment =
  | { readonly leave: NoteKind }
  /** Kept under another name; a value of which nothing can be made is left. */
  | { readonly as: string; readonly note: NoteKind; readonly value?: (text: string) => string | undefined; readonly unless?: string };

/** How one server writes its tree. */
export interface Dialect {
  /** By the name of the type in lower case. */
  readonly attributes: Readonly<Record<string, Treatment>>;
  /** Entries that have no counterpart, by one of their classes in lower case. */
  readonly classes: Readonly<Record<string, NoteKind>>;
  /** Groups that meant something there, by the first part of their name. */
  readonly groups?: RegExp;
}

/** What LDAP servers work out, and what gives rights. */
const common: Dialect['attributes'] = {
  memberof: { leave: 'computed' },
  structuralobjectclass: { leave: 'computed' },
  subschemasubentry: { leave: 'computed' },
  entrydn: { leave: 'computed' },
  hassubordinates: { leave: 'computed' },
  numsubordinates: { leave: 'computed' },
  entryttl: { leave: 'computed' },
  contextcsn: { leave: 'server' },
  // What may lie idle there, or be bound by another setting, would be in force here.
  authzto: { leave: 'access' },
  authzfrom: { leave: 'access' },
};

const slapcat: Dialect = {
  attributes: {
    ...common,
    auditcontext: { leave: 'server' },
    monitorcontext: { leave: 'server' },
    namingcsn: { leave: 'server' },
    authtimestamp: { as: 'pwdLastSuccess', note: 'renamed', unless: 'pwdlastsuccess' },
  },
  classes: {},
};

/** 8-8-8-8 digits of 389 Directory Server, as RFC 4122 groups them. */
function uuidOf(text: string): string | undefined {
  const digits = text.replaceAll('-', '').toLowerCase();
  const groups = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(digits);
  return groups === null ? undefined : groups.slice(1).join('-');
}

/** As slapd's ppolicy writes that somebody has locked an account for good. */
export const lockedForGood = '000001010000Z';

const db2ldif: Dialect = {
  attributes: {
    ...common,
    nsuniqueid: { as: 'entryUUID', note: 'renamed', value: uuidOf, unless: 'entryuuid' },
    pwdupdatetime: { as: 'pwdChangedTime', note: 'renamed', unless: 'pwdchangedtime' },
    nsaccountlock: {
      as: 'pwdAccountLockedTime',
      note: 'locked',
      value: (text) => (/^(true|on|yes|1)$/i.test(text) ? lockedForGood : undefined),
    },
    aci: { leave: 'access' },
    nsrole: { leave: 'computed' },
    nsroledn: { leave: 'role' },
    dsentrydn: { leave: 'computed' },
    entryid: { leave: 'computed' },
    parentid: { leave: 'computed' },
    tombstonenumsubordinates: { leave: 'server' },
    internalcreatorsname: { leave: 'server' },
    internalmodifiersname: { leave: 'server' },
    nsds5replconflict: { leave: 'server' },
    nsparentuniqueid: { leave: 'server' },
    nscpentrydn: { leave: 'server' },
    nsidletimeout: { leave: 'server' },
    nslookthroughlimit: { leave: 'server' },
    nssizelimit: { leave: 'server' },
    nstimelimit: { leave: 'server' },
    entryusn: { leave: 'server' },
    dncomp: { leave: 'computed' },
    accountunlocktime: { leave: 'passwordState' },
    passwordallowchangetime: { leave: 'passwordState' },
    passwordexpirationtime: { leave: 'passwordState' },
    passwordexpwarned: { leave: 'passwordState' },
    passwordgraceusertime: { leave: 'passwordState' },
    passwordhistory: { leave: 'passwordState' },
    passwordretrycount: { leave: 'passwordState' },
    retrycountresettime: { leave: 'passwordState' },
    passwordobjectclass: { leave: 'policy' },
    pwdpolicysubentry: { leave: 'policy' },
  },
  classes: {
    nstombstone: 'server',
    nscontainer: 'server',
    nsroledefinition: 'role',
    cossuperdefinition: 'role',
    costemplate: 'role',
    passwordpolicy: 'policy',
    nspwpolicyentry: 'policy',
  },
};

const lldap: Dialect = {
  attributes: {
    ...common,
    passwordmodifieddate: { leave: 'passwordState' },
    // Under its own names, too, as it keeps them.
    first_name: { as: 'givenName', note: 'renamed', unless: 'givenname' },
    last_name: { as: 'sn', note: 'renamed', unless: 'sn' },
    avatar: { as: 'jpegPhoto', note: 'renamed', unless: 'jpegphoto' },
    user_id: { as: 'uid', note: 'renamed', unless: 'uid' },
    group_id: { leave: 'server' },
    // A group has its members twice there.
    uniquemember: { as: 'member', note: 'renamed', unless: 'member' },
  },
  classes: {},
  groups: /^cn=lldap_/i,
};

export const dialects: Readonly<Record<DialectName, Dialect>> = { slapcat, db2ldif, lldap };

/** Why an entry is not carried over at all, by its classes. */
export function leftByClass(
  { classes }: Dialect,
  given: readonly Uint8Array[],
): { readonly kind: NoteKind; readonly name: string } | undefined {
  for (const value of given) {
    const name = text(value) ?? '';
    const kind = classes[name.toLowerCase()];
    if (kind !== undefined) return { kind, name };
  }
  return undefined;
}
