import { connectOperators } from '#client';
import { decodeBer, encodeBer } from '#ldap';
import type { TestAtrium } from '../support/atrium.ts';

export const issueLinkOid = '2.25.83716444157178576224225129172109131643.6.85';

/** The value of a request to issue a link. */
export function linkOrder(kind: string, dn: string, mail = false): Uint8Array {
  return encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(kind);
      ber.string(dn);
      if (mail) ber.boolean(true, 0x80);
    }),
  );
}

/** What such a request is answered with; without a link where it was mailed. */
export function readIssued(value: Uint8Array | undefined): { readonly untilMs: number; readonly link: string | undefined } {
  const issued =
    value &&
    decodeBer(value, (ber) => ber.sequence(() => ({ untilMs: Number(ber.string()), link: ber.more ? ber.string(0x80) : undefined })));
  if (issued === undefined) throw new Error('no answer to a request for a link');
  return issued;
}

/** Has a link issued over the operators' socket. @throws ClientRefusal */
export async function issueLink(atrium: Pick<TestAtrium, 'addresses'>, kind: 'activation' | 'reset', dn: string, mail = false) {
  const socketPath = decodeURIComponent((atrium.addresses.operators ?? '').replace('ldapi://', ''));
  await using operators = await connectOperators({ socketPath });
  return readIssued(await operators.extended(issueLinkOid, linkOrder(kind, dn, mail)));
}

/** The same, shown. @returns the link */
export async function shownLink(atrium: Pick<TestAtrium, 'addresses'>, kind: 'activation' | 'reset', dn: string): Promise<string> {
  return (await issueLink(atrium, kind, dn)).link ?? '';
}

/** The token of a link. */
export function tokenOf(link: string): string {
  return new URL(link).searchParams.get('link') ?? '';
}

/** Path and query of a link: what is asked for of a base. */
export function targetOf(link: string): string {
  const { pathname, search } = new URL(link);
  return pathname + search;
}
