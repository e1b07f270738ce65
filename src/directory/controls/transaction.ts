import { type ControlKind, malformed } from './kind.ts';

/** Transaction specification (RFC 5805 §2.2): the identifier of the transaction that a request is part of. */
export const transaction: ControlKind<Uint8Array> = {
  oid: '1.3.6.1.1.21.2',
  name: 'transaction specification',
  operations: ['addRequest', 'delRequest', 'modifyRequest', 'modifyDNRequest'],
  read(control) {
    // RFC 5805 §2.2: it is always critical.
    if (!control.critical || control.value === undefined) throw malformed(control);
    return control.value;
  },
};
