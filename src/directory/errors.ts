import type { ErrorRow } from '#catalogue';

export const errors = {
  nameInvalid: row(9001, 34, 'a name that is no distinguished name', 'the name is not a distinguished name'),
  entryAbsent: row(9002, 32, 'no such entry, or none that may be seen', ''),
  entryExists: row(9003, 68, 'an entry of that name exists', 'an entry of that name exists'),
  entryHasSubordinates: row(9004, 66, 'an entry with entries below it cannot be deleted', 'there are entries below it'),
  renameOfSubtree: row(
    9005,
    66,
    'an entry with entries below it cannot be renamed yet',
    'there are entries below it; only an entry without any can be renamed in this version',
  ),
  accessDenied: row(9006, 50, 'the identity may not do this', '{why}'),
  attributeUnknown: row(9007, 17, 'an attribute that no schema defines', '{attribute}: no schema defines it'),
  attributeAbsent: row(9008, 16, 'an attribute or a value that the entry does not have', '{attribute}: {why}'),
  valueExists: row(9009, 20, 'a value that the entry has already, or that is given twice', '{attribute}: {why}'),
  valueRefused: row(9010, 19, 'a value that a rule of the directory refuses', '{attribute}: {why}'),
  valueUnfit: row(9011, 21, 'a value that does not fit the syntax of its attribute', '{attribute}: {why}'),
  matchingInappropriate: row(9015, 18, 'the attribute has no rule for this comparison', '{attribute}: it has no rule for this comparison'),
  superiorUnfit: row(9016, 53, 'an entry cannot be moved below itself, or out of its realm', '{why}'),
  protocolVersion: row(9017, 2, 'a bind with another protocol version than 3', 'only version 3 of the protocol is spoken here'),
  controlUnknown: row(
    9018,
    12,
    'a critical control that is not supported for this operation',
    '{oid}: this critical control is not supported',
  ),
  controlMalformed: row(9019, 2, 'a control whose value cannot be read', '{oid}: the value of this control cannot be read'),
  extensionUnknown: row(9020, 2, 'an extended operation that is not supported', '{oid}: this extended operation is not supported'),
  bindWithoutPassword: row(
    9021,
    53,
    'a bind with a name and no password (RFC 4513 §5.1.2)',
    'unauthenticated bind (DN with no password) disallowed',
  ),
  mechanismUnknown: row(9022, 7, 'a SASL mechanism that is not offered at this door', 'this way of authenticating is not offered here'),
  passwordUnprotected: row(
    9023,
    13,
    'product mode: a password over an unprotected connection from beyond loopback',
    'a password may only be sent over a protected connection (ldaps)',
  ),
  externalIdentity: row(9024, 49, 'SASL EXTERNAL that asks for another identity', 'invalid credentials'),
  webLayerUnproved: row(9025, 50, 'the web door before the secret of this start was shown', 'this door is the web layer’s own'),
  webLayerRefused: row(9026, 49, 'a wrong secret at the web door', 'invalid credentials'),
  proxyDenied: row(9027, 123, 'proxied authorization for an identity that may not be taken', 'this identity may not be taken'),
  sizeLimit: row(9028, 4, 'a search found more entries than the limit allows', 'there are more entries than the limit allows'),
  timeLimit: row(9029, 3, 'a search took longer than the limit allows', 'the search took longer than the limit allows'),
  contended: row(9030, 51, 'the entry was changed by others again and again', 'the entry is being changed by others, try again'),
  internal: row(9031, 80, 'a defect of the service', 'internal error'),
  importRefused: {
    code: 'STS-LDAP-9032',
    means: 'an import stopped at a record',
    says: 'line {line}, {dn}: {why}',
    sees: {},
    state: 'live',
  },
  entryTooLarge: row(
    9034,
    11,
    'an entry that a write would make larger than the limit allows',
    'the entry would be larger than the limit allows',
  ),
  referencesTooMany: row(
    9140,
    11,
    'a delete or a rename of what more entries name than may be changed at once',
    'more than {most} entries name what is deleted or renamed',
  ),
  chainTooLong: row(9141, 11, 'names lead on to more entries than may be followed', 'the names lead on to more than {most} entries'),
  suffixUnfit: {
    code: 'STS-LDAP-9033',
    means: 'startup refused: realms.defaultSuffix cannot be the suffix of a realm',
    says: 'realms.defaultSuffix: {why}',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;

function row(number: number, ldap: number, means: string, says: string) {
  return { code: `STS-LDAP-${number}`, means, says, sees: { ldap }, state: 'live' } as const;
}
