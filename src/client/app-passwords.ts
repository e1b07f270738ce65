import type { AppPassword } from '#holdings';
import { type BerWriter, decodeBer, encodeBer } from '#ldap';

/** An app password that is to be made. */
export type AppPasswordAsked = Pick<AppPassword, 'name' | 'scopes' | 'expiresMs' | 'networks' | 'program'> & { readonly dn: string };

/** `value` as it is printed, in groups with dashes: nobody can be told it again. */
export interface AppPasswordMade {
  readonly id: string;
  readonly value: string;
}

const arc = '2.25.83716444157178576224225129172109131643.6';
export const makeAppPasswordOid = `${arc}.70`;
export const revokeAppPasswordOid = `${arc}.71`;

const tags = { expires: 0x80, networks: 0xa1, program: 0x82, id: 0x80 } as const;

/** The value of the request, as the directory's `make app password` reads it. */
export function makeValue({ dn, name, scopes, expiresMs, networks, program }: AppPasswordAsked): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      ber.string(name);
      writeList(ber, scopes);
      if (expiresMs !== undefined) ber.string(String(expiresMs), tags.expires);
      if (networks !== undefined) writeList(ber, networks, tags.networks);
      if (program !== undefined) ber.string(program, tags.program);
    }),
  );
}

function writeList(ber: BerWriter, texts: readonly string[], tag?: number): void {
  ber.sequence(() => {
    for (const text of texts) ber.string(text);
  }, tag);
}

/** @throws Error for an answer of another form: it is not this directory's */
export function madeOf(value: Uint8Array | undefined): AppPasswordMade {
  const made = value && decodeBer(value, (ber) => ber.sequence(() => ({ id: ber.string(), value: ber.string() })));
  if (made === undefined) throw new Error('the directory made an app password and did not say it');
  return made;
}

/** @param id  without it all of them */
export function revokeValue({ dn, id }: { readonly dn: string; readonly id?: string }): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      if (id !== undefined) ber.string(id, tags.id);
    }),
  );
}

/** How many were revoked. */
export function revokedOf(value: Uint8Array | undefined): number {
  return (value && decodeBer(value, (ber) => ber.sequence(() => ber.number()))) ?? 0;
}
