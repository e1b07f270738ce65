import { utf8 } from '#base';
import { authzIdOf } from '../authz-id.ts';
import { done } from '../result.ts';
import type { ExtendedKind } from './kind.ts';

/** Who am I (RFC 4532). */
export const whoAmI: ExtendedKind = {
  oid: '1.3.6.1.4.1.4203.1.11.3',
  name: 'Who am I?',
  perform: ({ asker }) => ({ kind: 'extendedResponse', result: done, value: utf8(authzIdOf(asker.identity)) }),
};
