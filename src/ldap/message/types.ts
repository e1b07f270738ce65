import type { Filter } from '../filter/types.ts';

/** A control as it travels (RFC 4511 §4.1.11): its value is opaque here. */
export interface Control {
  readonly oid: string;
  readonly critical: boolean;
  readonly value?: Uint8Array;
}

/** An attribute description with its values, as it travels (RFC 4511 §4.1.7). */
export interface PartialAttribute {
  readonly description: string;
  readonly values: readonly Uint8Array[];
}

/** One change of a modify request (RFC 4511 §4.6, RFC 4525 for increment). */
export interface Modification {
  readonly operation: 'add' | 'delete' | 'replace' | 'increment';
  readonly attribute: PartialAttribute;
}

export type Authentication =
  | { readonly kind: 'simple'; readonly password: Uint8Array }
  | { readonly kind: 'sasl'; readonly mechanism: string; readonly credentials?: Uint8Array };

/** DNs stay text in messages: whether one is valid is the operation's answer to give (invalidDNSyntax), not a broken message. */
export type Request =
  | { readonly kind: 'bindRequest'; readonly version: number; readonly name: string; readonly authentication: Authentication }
  | { readonly kind: 'unbindRequest' }
  | SearchRequest
  | { readonly kind: 'modifyRequest'; readonly object: string; readonly changes: readonly Modification[] }
  | { readonly kind: 'addRequest'; readonly entry: string; readonly attributes: readonly PartialAttribute[] }
  | { readonly kind: 'delRequest'; readonly entry: string }
  | {
      readonly kind: 'modifyDNRequest';
      readonly entry: string;
      readonly newRdn: string;
      readonly deleteOldRdn: boolean;
      readonly newSuperior?: string;
    }
  | { readonly kind: 'compareRequest'; readonly entry: string; readonly description: string; readonly value: Uint8Array }
  | { readonly kind: 'abandonRequest'; readonly messageId: number }
  | { readonly kind: 'extendedRequest'; readonly oid: string; readonly value?: Uint8Array };

export interface SearchRequest {
  readonly kind: 'searchRequest';
  readonly baseObject: string;
  readonly scope: 'base' | 'one' | 'sub' | 'children';
  readonly derefAliases: 'never' | 'inSearching' | 'findingBaseObj' | 'always';
  /** 0: no limit asked for. */
  readonly sizeLimit: number;
  readonly timeLimitS: number;
  readonly typesOnly: boolean;
  readonly filter: Filter;
  readonly attributes: readonly string[];
}

/** LDAPResult (RFC 4511 §4.1.9). `code` is a number of `resultCodes`. */
export interface Result {
  readonly code: number;
  readonly matchedDN: string;
  readonly diagnostic: string;
  readonly referral?: readonly string[];
}

export type Response =
  | { readonly kind: 'bindResponse'; readonly result: Result; readonly serverSaslCreds?: Uint8Array }
  | { readonly kind: 'searchResultEntry'; readonly object: string; readonly attributes: readonly PartialAttribute[] }
  | { readonly kind: 'searchResultReference'; readonly uris: readonly string[] }
  | { readonly kind: 'searchResultDone'; readonly result: Result }
  | { readonly kind: 'modifyResponse'; readonly result: Result }
  | { readonly kind: 'addResponse'; readonly result: Result }
  | { readonly kind: 'delResponse'; readonly result: Result }
  | { readonly kind: 'modifyDNResponse'; readonly result: Result }
  | { readonly kind: 'compareResponse'; readonly result: Result }
  | { readonly kind: 'extendedResponse'; readonly result: Result; readonly oid?: string; readonly value?: Uint8Array }
  | { readonly kind: 'intermediateResponse'; readonly oid?: string; readonly value?: Uint8Array };

/** LDAPMessage (RFC 4511 §4.1.1). */
export interface Message<Op = Request | Response> {
  readonly messageId: number;
  readonly op: Op;
  readonly controls: readonly Control[];
}
