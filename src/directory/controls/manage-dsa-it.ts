import { type ControlKind, readMark } from './kind.ts';

/** ManageDsaIT (RFC 3296 §3): a referral object is meant itself, not what it refers to. */
export const manageDsaIt: ControlKind<true> = {
  oid: '2.16.840.1.113730.3.4.2',
  name: 'manage DSA IT',
  operations: ['searchRequest', 'compareRequest', 'addRequest', 'delRequest', 'modifyRequest', 'modifyDNRequest', 'extendedRequest'],
  read: readMark,
};
