import { type ControlKind, readControl } from './kind.ts';

/** By which door of the web layer a password came, and from where. */
export interface OuterDoor {
  readonly door: string;
  readonly address: string;
}

/** Names the door and the client's address behind a bind that the web layer makes: SEQUENCE { door OCTET STRING, address OCTET STRING }. */
export const door: ControlKind<OuterDoor> = {
  oid: '2.25.83716444157178576224225129172109131643.5.1',
  name: 'door',
  operations: ['bindRequest'],
  offered: ({ trusted }) => trusted,
  read: (control) => readControl(control, (ber) => ber.sequence(() => ({ door: ber.string(), address: ber.string() }))),
};
