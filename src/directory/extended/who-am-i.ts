import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { authzIdOf } from '../authz-id.ts';
import { errors } from '../errors.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/** Who am I (RFC 4532). @throws Refusal `whoAmIMalformed` (2) */
export const whoAmI: ExtendedKind = {
  oid: '1.3.6.1.4.1.4203.1.11.3',
  name: 'Who am I?',
  perform({ asker }, value) {
    // RFC 4532 §2.1: there is no request value.
    if (value !== undefined) throw refuse(errors.whoAmIMalformed);
    return { kind: 'extendedResponse', result: done, value: utf8(authzIdOf(asker.identity)) };
  },
};
