import type { Session } from '../types.ts';
import { type ControlKind, malformed, readControl } from './kind.ts';

const addressTag = 0x80;
const protectedTag = 0x81;

/**
 * Beside proxied authorization on the web layer's socket: the session for which it acts. SEQUENCE { factors INTEGER, authenticated OCTET STRING
 * (milliseconds since 1970, in digits), address [0] OCTET STRING OPTIONAL (of the browser), protected [1] BOOLEAN DEFAULT FALSE (its connection) }.
 */
export const session: ControlKind<Session> = {
  oid: '2.25.83716444157178576224225129172109131643.5.20',
  name: 'session',
  operations: ['searchRequest', 'modifyRequest', 'addRequest', 'delRequest', 'modifyDNRequest', 'compareRequest', 'extendedRequest'],
  offered: ({ trusted }) => trusted,
  read(control) {
    const said = readControl(control, (ber) =>
      ber.sequence(() => ({
        factors: ber.number(),
        authenticatedMs: ber.string(),
        address: ber.more && ber.tag === addressTag ? ber.string(addressTag) : undefined,
        isProtected: ber.more && ber.boolean(protectedTag),
      })),
    );
    if (said.factors < 1 || said.factors > factorsMax || !/^(?:0|[1-9]\d{0,15})$/.test(said.authenticatedMs)) throw malformed(control);
    return { ...said, authenticatedMs: Number(said.authenticatedMs) };
  },
};

/** More than any sign-in asks for. */
const factorsMax = 100;
