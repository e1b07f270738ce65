import { utf8 } from '#base';
import { type Control, encodeBer } from '#ldap';
import type { Client, House } from './driver.ts';

/** For a house with a web layer. */
export const webSecret = new Uint8Array(32).fill(7);

/** A connection of the web layer. */
export async function webLayer(house: House): Promise<Client> {
  const client = house.connect('web');
  await client.ask({ kind: 'extendedRequest', oid: '2.25.83716444157178576224225129172109131643.6.1', value: webSecret });
  return client;
}

/** The controls by which it acts for somebody with a session. */
export function actingFor(
  dn: string,
  session?: { readonly factors: number; readonly authenticatedMs: number; readonly address?: string; readonly isProtected?: boolean },
): Control[] {
  const acting = { oid: '2.16.840.1.113730.3.4.18', critical: true, value: utf8(`dn:${dn}`) };
  if (session === undefined) return [acting];
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.number(session.factors);
      ber.string(String(session.authenticatedMs));
      if (session.address !== undefined) ber.string(session.address, 0x80);
      if (session.isProtected !== undefined) ber.boolean(session.isProtected, 0x81);
    }),
  );
  return [acting, { oid: '2.25.83716444157178576224225129172109131643.5.20', critical: true, value }];
}
