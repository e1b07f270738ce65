import { refuse } from '#catalogue';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/** Start transaction (RFC 5805 §2.1). */
export const startTransaction: ExtendedKind = {
  oid: '1.3.6.1.1.21.1',
  name: 'start transaction',
  perform({ engine, connection, asker }, value) {
    if (value !== undefined) throw refuse(errors.transactionMalformed, { why: 'no request data expected' });
    // Who may change nothing keeps nothing here.
    if (asker.who === 'anonymous') throw refuse(errors.accessDenied, { why: 'nobody changes anything anonymously' });
    const { identifier } = engine.transactions.begin(connection, asker.identity);
    return { kind: 'extendedResponse', result: done, value: identifier };
  },
};
