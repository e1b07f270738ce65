import { type ErrorRow, Refusal, refuse } from '#catalogue';
import type { Connection } from '#directory';
import { decodeBer, type Message, type Request, resultCodes } from '#ldap';
import { finalAnswer } from './answers.ts';
import { errors } from './errors.ts';
import type { Operation } from './operation.ts';
import type { Securing } from './securing.ts';

/** RFC 4511 §4.14: StartTLS. */
export const startTlsOid = '1.3.6.1.4.1.1466.20037';
/** RFC 3909: Cancel. */
export const cancelOid = '1.3.6.1.1.8';

/** An extended operation that is about the connection itself: the directory never sees it. */
export type OwnRequest = Request & { readonly kind: 'extendedRequest' };

export function isOwn(op: Request): op is OwnRequest {
  return op.kind === 'extendedRequest' && (op.oid === startTlsOid || op.oid === cancelOid);
}

/** How the connection stands when it is asked. */
export interface Standing {
  readonly connection: Connection;
  readonly inProgress: ReadonlyMap<number, Operation>;
  readonly securing: Securing | undefined;
  /** Other requests are in progress, or something stands behind this one already. */
  readonly outstanding: boolean;
}

/** What comes of it: `secure` is answered by beginning TLS. */
type OwnAnswer =
  | { readonly kind: 'secure'; readonly securing: Securing }
  | { readonly kind: 'done'; readonly code: number; readonly diagnostic: string; readonly oid?: string }
  | { readonly kind: 'refused'; readonly row: ErrorRow; readonly code: number; readonly diagnostic: string; readonly oid?: string };

/** Performs StartTLS up to the beginning of TLS, and Cancel. */
export function answerOwn(op: OwnRequest, controls: Message['controls'], standing: Standing): OwnAnswer {
  const named = op.oid === startTlsOid ? { oid: startTlsOid } : {};
  try {
    // RFC 4511 §4.1.11: none is known here.
    if (controls.some(({ critical }) => critical)) throw refuse(errors.ownControl);
    if (op.oid === startTlsOid) return { kind: 'secure', securing: judgeStartTls(op, standing) };
    cancel(op, standing.inProgress);
    return { kind: 'done', code: resultCodes.success, diagnostic: '' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'refused', row: error.row, code: error.row.sees.ldap ?? resultCodes.other, diagnostic: error.says, ...named };
  }
}

/**
 * Whether TLS may begin now.
 *
 * @throws Refusal  RFC 4511 §4.14.1: operationsError where TLS is there, or where anything was asked beside it; protocolError where it is not
 *                  offered; and, as slapd, protocolError for one that brings a value
 */
function judgeStartTls(op: OwnRequest, { connection, securing, outstanding }: Standing): Securing {
  const { door, secure, exchange } = connection;
  if (op.value !== undefined) throw refuse(errors.startTlsValue);
  if (door === 'ldaps' || (door === 'ldap' && secure)) throw refuse(errors.tlsThere);
  if (door !== 'ldap' || securing === undefined) throw refuse(errors.startTlsNotOffered);
  // What stands behind it was sent in the clear, by whomever: it cannot have come from a client that waits for the answer.
  if (outstanding || exchange !== undefined) throw refuse(errors.startTlsOutstanding);
  return securing;
}

/**
 * Cancels another request of the connection: that one is answered `canceled`, and nothing else of it leaves.
 *
 * @throws Refusal  RFC 3909 §2: protocolError, noSuchOperation, cannotCancel for what may not be cancelled, tooLate for a change, which has
 *                  been handed on to be committed
 */
function cancel(op: OwnRequest, inProgress: ReadonlyMap<number, Operation>): void {
  const messageId = op.value === undefined ? undefined : decodeBer(op.value, (ber) => ber.sequence(() => ber.number()));
  if (messageId === undefined) throw refuse(errors.cancelMalformed);
  const operation = inProgress.get(messageId);
  if (operation === undefined || operation.ending !== 'unanswered') throw refuse(errors.cancelUnknown);
  const { message } = operation;
  if (message.op.kind === 'bindRequest' || message.op.kind === 'extendedRequest') throw refuse(errors.cancelImpossible);
  const reads = message.op.kind === 'searchRequest' || message.op.kind === 'compareRequest';
  const answer = finalAnswer(message.op, resultCodes.canceled, '');
  if (!reads || answer === undefined) throw refuse(errors.cancelTooLate);
  operation.cancel(answer);
}
