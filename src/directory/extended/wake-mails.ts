import { refuse } from '#catalogue';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/**
 * Has the service look now for mails that are due: a web process beside it has put one in the shared state, and hands none over. On the web layer's socket alone.
 * Neither request nor answer has a value; nothing is waited for.
 *
 * @throws Refusal `mailQueueMalformed` (2) for a value, `linkImpossible` (53) where no service runs
 */
export const wakeMails: ExtendedKind = {
  oid: '2.25.83716444157178576224225129172109131643.6.125',
  name: 'wake mails',
  offered: ({ trusted }) => trusted,
  perform({ engine }, value) {
    if (value !== undefined) throw refuse(errors.mailQueueMalformed);
    if (engine.desks === undefined) throw refuse(errors.linkImpossible, { why: 'a running service hands over its mails' });
    engine.desks.mails.wake();
    return { kind: 'extendedResponse', result: done };
  },
};
