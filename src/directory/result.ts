import type { Refusal } from '#catalogue';
import { type Request, type Response, type Result, resultCodes } from '#ldap';
import { urisOf } from './referrals.ts';

/** Done, and nothing to say. */
export const done: Result = { code: resultCodes.success, matchedDN: '', diagnostic: '' };

/** What a client sees of a refusal: the row's result code and words, and nothing else. */
export function resultOf(refusal: Refusal): Result {
  const { matchedDN } = refusal.detail;
  const referral = urisOf(refusal);
  return {
    code: refusal.row.sees.ldap ?? resultCodes.other,
    matchedDN: typeof matchedDN === 'string' ? matchedDN : '',
    diagnostic: refusal.says,
    ...(referral === undefined ? {} : { referral }),
  };
}

/**
 * The answer to a request, of the kind that belongs to it; `undefined` for those that have none (RFC 4511 §4.3, §4.11).
 *
 * @param value  of the answer to an extended request
 */
export function responseTo(request: Request, result: Result, value?: Uint8Array): Response | undefined {
  switch (request.kind) {
    case 'bindRequest':
      return { kind: 'bindResponse', result };
    case 'searchRequest':
      return { kind: 'searchResultDone', result };
    case 'modifyRequest':
      return { kind: 'modifyResponse', result };
    case 'addRequest':
      return { kind: 'addResponse', result };
    case 'delRequest':
      return { kind: 'delResponse', result };
    case 'modifyDNRequest':
      return { kind: 'modifyDNResponse', result };
    case 'compareRequest':
      return { kind: 'compareResponse', result };
    case 'extendedRequest':
      return { kind: 'extendedResponse', result, ...(value === undefined ? {} : { value }) };
    case 'unbindRequest':
    case 'abandonRequest':
      return undefined;
  }
}
