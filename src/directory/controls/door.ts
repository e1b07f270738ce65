import { type ControlKind, readControl } from './kind.ts';

/** By which door of the web layer a password came, from where, and whether nobody could read it on the way there. */
export interface OuterDoor {
  readonly door: string;
  readonly address: string;
  readonly isProtected: boolean;
}

/**
 * Names the door and the client's address behind a bind, or a verification, that the web layer asks for: SEQUENCE { door OCTET STRING, address OCTET STRING,
 * protected BOOLEAN DEFAULT FALSE }. An answer carries it when too many have failed (`attempts.ts`).
 */
export const door: ControlKind<OuterDoor> = {
  oid: '2.25.83716444157178576224225129172109131643.5.1',
  name: 'door',
  operations: ['bindRequest', 'extendedRequest'],
  offered: ({ trusted }) => trusted,
  read: (control) =>
    readControl(control, (ber) =>
      ber.sequence(() => ({ door: ber.string(), address: ber.string(), isProtected: ber.more && ber.boolean() })),
    ),
};
