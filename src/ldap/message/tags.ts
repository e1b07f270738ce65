/** Universal tags that LDAP uses (X.690 §8). */
export const universal = { boolean: 0x01, integer: 0x02, octets: 0x04, enumerated: 0x0a, sequence: 0x30, set: 0x31 } as const;

/** The [APPLICATION n] tags of protocolOp (RFC 4511 §4.2 to §4.13), constructed but for unbind, del and abandon. */
export const operationTags = {
  bindRequest: 0x60,
  bindResponse: 0x61,
  unbindRequest: 0x42,
  searchRequest: 0x63,
  searchResultEntry: 0x64,
  searchResultDone: 0x65,
  modifyRequest: 0x66,
  modifyResponse: 0x67,
  addRequest: 0x68,
  addResponse: 0x69,
  delRequest: 0x4a,
  delResponse: 0x6b,
  modifyDNRequest: 0x6c,
  modifyDNResponse: 0x6d,
  compareRequest: 0x6e,
  compareResponse: 0x6f,
  abandonRequest: 0x50,
  searchResultReference: 0x73,
  extendedRequest: 0x77,
  extendedResponse: 0x78,
  intermediateResponse: 0x79,
} as const;

export type OperationName = keyof typeof operationTags;

/** Names in the order of their ENUMERATED values (RFC 4511 §4.5.1.2, §4.5.1.3, §4.6; children: draft-sermersheim-ldap-subordinate-scope; increment: RFC 4525). */
export const scopes = ['base', 'one', 'sub', 'children'] as const;
export const derefPolicies = ['never', 'inSearching', 'findingBaseObj', 'always'] as const;
export const modifyOperations = ['add', 'delete', 'replace', 'increment'] as const;
