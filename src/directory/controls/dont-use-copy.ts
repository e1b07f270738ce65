import { type ControlKind, malformed, readMark } from './kind.ts';

/** Don't use copy (RFC 6171): what is answered here is never a copy, so there is nothing to do but to know it. */
export const dontUseCopy: ControlKind<true> = {
  oid: '1.3.6.1.1.22',
  name: 'don’t use copy',
  operations: ['searchRequest', 'compareRequest'],
  read(control) {
    // RFC 6171 §2: it is always critical.
    if (!control.critical) throw malformed(control);
    return readMark(control);
  },
};
