import { Refusal, refuse } from '#catalogue';
import type { Result } from '#ldap';
import type { AuditNotes } from '../audit.ts';
import type { Call } from '../call.ts';
import { malformed } from '../controls/kind.ts';
import { proxiedAuthorization } from '../controls/proxied-authorization.ts';
import { recognizedControls } from '../controls/table.ts';
import { transaction } from '../controls/transaction.ts';
import { errors } from '../errors.ts';
import type { WriteRequest } from '../operations/write.ts';
import { done, resultOf } from '../result.ts';
import { ownMessage } from './waiting.ts';

/**
 * Takes an update into its transaction: what becomes of it is said at the end of that (RFC 5805 §3.3).
 *
 * @throws Refusal `transactionUnknown` (53); `transactionTooLarge` (11), with the notice that it is aborted; `controlMalformed` (2)
 */
export function enqueue({ engine, connection, controls, reply }: Call, op: WriteRequest, notes: AuditNotes): Result {
  const identifier = controls.of(transaction);
  if (identifier === undefined) throw refuse(errors.transactionUnknown);
  const { transactions } = engine;
  const { updates } = transactions.of(connection, identifier);
  // RFC 5805 §4.4: who acts was said when it was begun.
  if (controls.has(proxiedAuthorization)) throw malformed({ oid: proxiedAuthorization.oid, critical: true });
  const { messageId } = notes.message;
  // RFC 5805 §3.3: each has a message id of its own, by which the end names the one that failed.
  if (updates.some((each) => each.messageId === messageId)) throw malformed({ oid: transaction.oid, critical: true });
  const message = ownMessage(messageId, op, controls.counted);
  const own = recognizedControls(connection, op.kind, message.controls);
  try {
    transactions.add(connection, { messageId, op: message.op, controls: own, notes: { ...notes, message, controls: own } });
  } catch (error) {
    if (error instanceof Refusal)
      reply.notify({ kind: 'extendedResponse', result: resultOf(error), oid: abortedNotice, value: identifier });
    throw error;
  }
  notes.queued = true;
  return done;
}

/** Aborted transaction notice (RFC 5805 §2.4). */
const abortedNotice = '1.3.6.1.1.21.4';
