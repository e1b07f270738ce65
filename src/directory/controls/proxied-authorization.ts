import { empty, text } from '#base';
import { type ControlKind, malformed } from './kind.ts';

/** Proxied authorization (RFC 4370): whose authority a request asks to act under, as an authzId, empty for anonymous. */
export const proxiedAuthorization: ControlKind<string> = {
  oid: '2.16.840.1.113730.3.4.18',
  name: 'proxied authorization',
  operations: ['searchRequest', 'modifyRequest', 'addRequest', 'delRequest', 'modifyDNRequest', 'compareRequest', 'extendedRequest'],
  read(control) {
    const authzId = text(control.value ?? empty);
    // RFC 4370 §3: it is always critical, and one that is not must be refused.
    if (!control.critical || authzId === undefined) throw malformed(control);
    return authzId;
  },
};
