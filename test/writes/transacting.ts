import { type Control, encodeBer, type Request } from '#ldap';
import type { Client } from '../directory/driver.ts';
import { oids } from './table.ts';

/** Transactions (RFC 5805) as a client speaks of them. */
export const begin: Request = { kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' };

export const part = (identifier: Uint8Array): Control => ({ oid: oids.transaction, critical: true, value: identifier });
export const end = (identifier: Uint8Array, commits = true): Request => ({
  kind: 'extendedRequest',
  oid: '1.3.6.1.1.21.3',
  value: encodeBer((ber) =>
    ber.sequence(() => {
      if (!commits) ber.boolean(false);
      ber.octets(identifier);
    }),
  ),
});

/** The identifier of a new one. */
export async function begun(client: Client): Promise<Uint8Array> {
  const { code, last } = await client.ask(begin);
  if (code !== 0 || last.kind !== 'extendedResponse' || last.value === undefined) throw new Error(`no transaction: ${code}`);
  return last.value;
}
