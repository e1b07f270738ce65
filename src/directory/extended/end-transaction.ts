import { Refusal, refuse } from '#catalogue';
import { type BerWriter, decodeBer, encodeBer, type Response } from '#ldap';
import { proxiedAuthorization } from '../controls/proxied-authorization.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import { type Settled, settle } from '../transactions/settle.ts';
import type { ExtendedKind } from './kind.ts';

const booleanTag = 0x01;

/** End transaction (RFC 5805 §2.3): commits it, or forgets it. */
export const endTransaction: ExtendedKind = {
  oid: '1.3.6.1.1.21.3',
  name: 'end transaction',
  perform(call, value) {
    const { engine, connection, controls } = call;
    // RFC 5805 §4.4: who acts was said when it was begun.
    if (controls.has(proxiedAuthorization))
      throw refuse(errors.transactionMalformed, { why: 'proxied authorization belongs to the start' });
    const asked =
      value &&
      decodeBer(value, (ber) => ber.sequence(() => ({ commits: ber.tag === booleanTag ? ber.boolean() : true, identifier: ber.octets() })));
    if (asked === undefined) throw refuse(errors.transactionMalformed, { why: 'request data decoding error' });
    const transaction = engine.transactions.of(connection, asked.identifier);
    engine.transactions.forget(connection);
    if (!asked.commits) return { kind: 'extendedResponse', result: { ...done, diagnostic: 'transaction aborted' } };
    if (transaction.updates.length === 0) throw refuse(errors.transactionEmpty);
    return settle(call, transaction).then(committed, (error: unknown) => {
      // The request is done again by another schema: then it shall find what it ends.
      if (error instanceof Refusal && error.row.code === errors.schemaMoved.code) engine.transactions.putBack(connection, transaction);
      throw error;
    });
  },
};

function committed(settled: readonly Settled[]): Response {
  if (settled.length === 0) return { kind: 'extendedResponse', result: done };
  return { kind: 'extendedResponse', result: done, value: encodeBer((ber) => ber.sequence(() => writeSettled(ber, settled))) };
}

/** `updatesControls` of txnEndRes. */
function writeSettled(ber: BerWriter, settled: readonly Settled[]): void {
  ber.sequence(() => {
    for (const { messageId, controls } of settled) {
      ber.sequence(() => {
        ber.number(messageId);
        ber.sequence(() => {
          for (const { oid, critical, value } of controls) {
            ber.sequence(() => {
              ber.string(oid);
              if (critical) ber.boolean(true);
              if (value !== undefined) ber.octets(value);
            });
          }
        });
      });
    }
  });
}

/** txnEndRes of a transaction that an update was refused in. */
export function refusedUpdate(messageId: number): Uint8Array {
  return encodeBer((ber) => ber.sequence(() => ber.number(messageId)));
}
