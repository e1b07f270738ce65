import { type Control, decodeBer } from '#ldap';

/** Nothing was judged: too many attempts for the name, or from the address, have failed. */
export interface Limited {
  readonly kind: 'limited';
  /** Seconds until it is worth trying again. */
  readonly waitS: number;
  readonly of: 'identity' | 'address';
}

/** Of the web layer's door: beside a request it says where it comes from, beside an answer which limit was met. */
export const doorControlOid = '2.25.83716444157178576224225129172109131643.5.1';

/** The limit that was met, as the directory says it beside its words: SEQUENCE { wait INTEGER, ofAddress BOOLEAN DEFAULT FALSE }. */
export function limitOf(controls: readonly Control[]): Limited | undefined {
  const value = controls.find(({ oid }) => oid === doorControlOid)?.value;
  if (value === undefined) return undefined;
  return decodeBer(value, (ber) =>
    ber.sequence(() => {
      const waitS = ber.number();
      return { kind: 'limited', waitS, of: ber.more && ber.boolean() ? 'address' : 'identity' };
    }),
  );
}
