/** What a peer may make this room do. The settings behind these are the caller's. */
export interface LdapLimits {
  /** Octets of one LDAPMessage, its tag and length included. */
  readonly messageOctetsMax: number;
  /** Nesting of a filter: `(a=b)` is 1, `(!(a=b))` is 2. Never more than `depthCeiling` is taken. */
  readonly depthMax: number;
  /** Components of one filter, counted at every level, with the inner parts of substrings. Absent: as many as the message has room for. */
  readonly filterItemsMax?: number;
}

/** Filters are read by recursion, so no setting may ask for more nesting than the stack surely holds. */
export const depthCeiling = 500;
