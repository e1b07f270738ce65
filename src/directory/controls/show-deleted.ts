import { type ControlKind, readMark } from './kind.ts';

/** Show deleted, Active Directory's LDAP_SERVER_SHOW_DELETED_OID: a search finds what is kept of deleted people, too. */
export const showDeleted: ControlKind<true> = {
  oid: '1.2.840.113556.1.4.417',
  name: 'show deleted',
  operations: ['searchRequest'],
  read: readMark,
};
