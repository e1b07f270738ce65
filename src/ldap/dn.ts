/** One attribute value assertion of an RDN, as it was given (RFC 4514). */
export interface Ava {
  readonly type: string;
  readonly value: Uint8Array;
}

/** A relative distinguished name: one assertion or several. */
export type Rdn = readonly Ava[];

/** A distinguished name, its leaf first. Comparing two is the schema's business (`normalizeDn`). */
export type Dn = readonly Rdn[];
