import { decodeMessage, type Message, type Request, type Response, type Result } from '#ldap';
import type { Limits } from './settings.ts';

/** RFC 4511 §4.4.1: Notice of Disconnection. */
const noticeOfDisconnectionOid = '1.3.6.1.4.1.1466.20036';

/** Tells a client why its connection ends (RFC 4511 §4.4.1). */
export function noticeOfDisconnection(code: number, diagnostic: string): Message<Response> {
  return { messageId: 0, op: { kind: 'extendedResponse', result: result(code, diagnostic), oid: noticeOfDisconnectionOid }, controls: [] };
}

/** The answer to an extended operation of the listener's own. */
export function extendedAnswer(messageId: number, code: number, diagnostic: string, oid?: string): Message<Response> {
  const op = { kind: 'extendedResponse', result: result(code, diagnostic) } as const;
  return { messageId, op: oid === undefined ? op : { ...op, oid }, controls: [] };
}

/** The answer that ends a request, with a result and nothing else; `undefined` for those that have no answer. */
export function finalAnswer(request: Request, code: number, diagnostic: string): Response | undefined {
  switch (request.kind) {
    case 'bindRequest':
      return { kind: 'bindResponse', result: result(code, diagnostic) };
    case 'searchRequest':
      return { kind: 'searchResultDone', result: result(code, diagnostic) };
    case 'modifyRequest':
      return { kind: 'modifyResponse', result: result(code, diagnostic) };
    case 'addRequest':
      return { kind: 'addResponse', result: result(code, diagnostic) };
    case 'delRequest':
      return { kind: 'delResponse', result: result(code, diagnostic) };
    case 'modifyDNRequest':
      return { kind: 'modifyDNResponse', result: result(code, diagnostic) };
    case 'compareRequest':
      return { kind: 'compareResponse', result: result(code, diagnostic) };
    case 'extendedRequest':
      return { kind: 'extendedResponse', result: result(code, diagnostic) };
    case 'abandonRequest':
    case 'unbindRequest':
      return undefined;
  }
}

/** True for an answer behind which nothing more of the same request may follow. */
export function isFinal(answer: Response): boolean {
  return answer.kind !== 'searchResultEntry' && answer.kind !== 'searchResultReference' && answer.kind !== 'intermediateResponse';
}

type ReadRequest = { readonly kind: 'request'; readonly message: Message<Request> } | { readonly kind: 'bad'; readonly why: string };

/** Decodes a message that a client sent, within what it may ask for. */
export function readRequest(frame: Uint8Array, limits: Limits, anonymous: boolean): ReadRequest {
  const filterItemsMax = limits[anonymous ? 'ldap.filterItemsAnonymousMax' : 'ldap.filterItemsMax'];
  const decoded = decodeMessage(frame, { depthMax: limits['ldap.filterDepthMax'], filterItemsMax });
  if (decoded.kind === 'bad') return decoded;
  if (!isRequest(decoded.message)) return { kind: 'bad', why: `${decoded.message.op.kind} from a client` };
  return { kind: 'request', message: decoded.message };
}

function isRequest(message: Message): message is Message<Request> {
  return message.op.kind.endsWith('Request');
}

function result(code: number, diagnostic: string): Result {
  return { code, matchedDN: '', diagnostic };
}
