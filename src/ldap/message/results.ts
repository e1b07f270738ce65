/** Result codes by the names of RFC 4511 §4.1.9 and of the documents that added to them. */
export const resultCodes = {
  success: 0,
  operationsError: 1,
  protocolError: 2,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  compareFalse: 5,
  compareTrue: 6,
  authMethodNotSupported: 7,
  strongerAuthRequired: 8,
  referral: 10,
  adminLimitExceeded: 11,
  unavailableCriticalExtension: 12,
  confidentialityRequired: 13,
  saslBindInProgress: 14,
  noSuchAttribute: 16,
  undefinedAttributeType: 17,
  inappropriateMatching: 18,
  constraintViolation: 19,
  attributeOrValueExists: 20,
  invalidAttributeSyntax: 21,
  noSuchObject: 32,
  aliasProblem: 33,
  invalidDNSyntax: 34,
  aliasDereferencingProblem: 36,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
  loopDetect: 54,
  namingViolation: 64,
  objectClassViolation: 65,
  notAllowedOnNonLeaf: 66,
  notAllowedOnRDN: 67,
  entryAlreadyExists: 68,
  objectClassModsProhibited: 69,
  affectsMultipleDSAs: 71,
  /** draft-ietf-ldapext-ldapv3-vlv-09 §6 */
  virtualListViewError: 76,
  other: 80,
  /** RFC 3909 §2.3 */
  canceled: 118,
  noSuchOperation: 119,
  tooLate: 120,
  cannotCancel: 121,
  /** RFC 4528 §4 */
  assertionFailed: 122,
  /** RFC 4370 §5 */
  authorizationDenied: 123,
  /** RFC 4533 §2.6 */
  syncRefreshRequired: 4096,
} as const;

export type ResultName = keyof typeof resultCodes;
export type ResultCode = (typeof resultCodes)[ResultName];

const names = new Map<number, string>(Object.entries(resultCodes).map(([name, code]) => [code, name]));

/** The name of a result code; the number itself as text when no document names it. */
export function resultName(code: number): string {
  return names.get(code) ?? String(code);
}

/**
 * What is said beside constraintViolation of a value that another entry has, in the words of slapo-unique(5): the code alone does not tell it from a value that
 * is unfit.
 */
export const notUniqueWords = 'some attributes not unique';
