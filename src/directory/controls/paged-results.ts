import { type Control, encodeBer } from '#ldap';
import { type ControlKind, readControl } from './kind.ts';

/** Which page a search is asked for: how many entries, and behind which cookie; an empty one begins. */
export interface PagedResults {
  readonly size: number;
  readonly cookie: Uint8Array;
}

/** Simple paged results (RFC 2696 §2): SEQUENCE { size INTEGER, cookie OCTET STRING }, the same in the answer. */
export const pagedResults: ControlKind<PagedResults> = {
  oid: '1.2.840.113556.1.4.319',
  name: 'simple paged results',
  operations: ['searchRequest'],
  read: (control) => readControl(control, (ber) => ber.sequence(() => ({ size: ber.number(), cookie: ber.octets() }))),
};

/**
 * @param estimate  of entries in all pages together; 0 when it is not known
 * @param cookie    for the next page; empty behind the last one
 */
export function pagedResultsAnswer(estimate: number, cookie: Uint8Array): Control {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(estimate);
      ber.octets(cookie);
    }),
  );
  return { oid: pagedResults.oid, critical: false, value };
}
