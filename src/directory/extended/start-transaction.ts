import { refuse } from '#catalogue';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/** Whoever fills the room that others have leaves administrators theirs. */
const othersShare = 0.5;

/** Start transaction (RFC 5805 §2.1). */
export const startTransaction: ExtendedKind = {
  oid: '1.3.6.1.1.21.1',
  name: 'start transaction',
  perform({ engine, connection, asker }, value) {
    if (value !== undefined) throw refuse(errors.transactionMalformed, { why: 'no request data expected' });
    // Who may change nothing keeps nothing here.
    if (asker.identity.strength === 'anonymous') throw refuse(errors.accessDenied, { why: 'nobody changes anything anonymously' });
    const share = asker.managesSome(engine.store.snapshot()) ? 1 : othersShare;
    const { identifier } = engine.transactions.begin(connection, asker.identity, share);
    return { kind: 'extendedResponse', result: done, value: identifier };
  },
};
