import type { ErrorRow } from '#catalogue';

export const errors = {
  cannotListen: {
    code: 'STS-LDAP-9200',
    means:
      'The LDAP listener cannot listen on {where}: {why}; ldap.port, ldap.tlsPort, ldap.host and ldap.socket say where it listens, and ports below 1024 take a privilege',
    sees: {},
    state: 'live',
  },
  tooManyConnections: {
    code: 'STS-LDAP-9201',
    means: 'A connection was closed at once: ldap.connectionsMax are open already',
    sees: {},
    state: 'live',
  },
  badFrame: {
    code: 'STS-LDAP-9202',
    means: 'What arrived begins no LDAP message, or one that is longer than allowed here; the connection is ended',
    says: 'not an LDAP message, or too long a one',
    sees: { ldap: 2 },
    state: 'live',
  },
  badMessage: {
    code: 'STS-LDAP-9203',
    means: 'An LDAP message cannot be decoded or is no request; the connection is ended',
    says: 'the message cannot be decoded',
    sees: { ldap: 2 },
    state: 'live',
  },
  badMessageId: {
    code: 'STS-LDAP-9204',
    means: 'A request has the message id 0 or that of another request in progress; the connection is ended',
    says: 'the message id is 0 or in use',
    sees: { ldap: 2 },
    state: 'live',
  },
  messageTooSlow: {
    code: 'STS-LDAP-9205',
    means: 'A message did not arrive whole within ldap.stallTimeoutS; the connection is ended',
    sees: {},
    state: 'live',
  },
  peerStalled: {
    code: 'STS-LDAP-9206',
    means: 'A peer read nothing of what waits for it for ldap.stallTimeoutS; the connection is ended',
    sees: {},
    state: 'live',
  },
  tlsFailed: {
    code: 'STS-LDAP-9207',
    means: 'A TLS connection could not be agreed on',
    sees: {},
    state: 'live',
  },
  operationFailed: {
    code: 'STS-LDAP-9208',
    means: 'A defect: the directory failed at an operation or gave no answer',
    says: 'the operation failed inside the server',
    sees: { ldap: 80 },
    state: 'live',
  },
  startTlsOutstanding: own(9210, 1, 'StartTLS while something else is asked', 'cannot start TLS when operations are outstanding'),
  tlsThere: own(9211, 1, 'StartTLS where TLS is there already', 'TLS already started'),
  startTlsNotOffered: own(9212, 2, 'StartTLS where it is not offered', 'TLS cannot be started here'),
  startTlsValue: own(9213, 2, 'StartTLS with a value', 'no request data expected'),
  cancelMalformed: own(9214, 2, 'Cancel whose value cannot be read', 'the value of Cancel cannot be read'),
  cancelUnknown: own(9215, 119, 'Cancel of a request that is not in progress', 'no such request is in progress'),
  cancelImpossible: own(9216, 121, 'Cancel of a bind or of an extended operation', 'this request cannot be cancelled'),
  cancelTooLate: own(9217, 120, 'Cancel of a change, which is on its way', 'the change is on its way'),
  ownControl: own(9218, 12, 'a critical control with StartTLS or Cancel', 'no control is known for this operation'),
} as const satisfies Record<string, ErrorRow>;

/** The refusal of an extended operation of the listener's own. */
function own(number: number, ldap: number, means: string, says: string) {
  return { code: `STS-LDAP-${number}`, means, says, sees: { ldap }, state: 'live' } as const;
}
