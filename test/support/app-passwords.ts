import { utf8 } from '#base';
import { type BerWriter, decodeBer, encodeBer } from '#ldap';
import type { Answers, Client } from '../directory/driver.ts';

const arc = '2.25.83716444157178576224225129172109131643.6';

/** What an app password is asked for with. */
export interface Asked {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly expiresMs?: number;
  readonly networks?: readonly string[];
  readonly program?: string;
}

/** Asks a directory in this process for an app password, octet by octet as its page says. */
export async function askAppPassword(client: Client, dn: string, asked: Asked = {}, controls: Parameters<Client['ask']>[1] = []) {
  const { name = 'Laptop', scopes = ['ldap'], expiresMs, networks, program } = asked;
  const list = (ber: BerWriter, texts: readonly string[], tag?: number) =>
    ber.sequence(() => {
      for (const each of texts) ber.string(each);
    }, tag);
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      ber.string(name);
      list(ber, scopes);
      if (expiresMs !== undefined) ber.string(String(expiresMs), 0x80);
      if (networks !== undefined) list(ber, networks, 0xa1);
      if (program !== undefined) ber.string(program, 0x82);
    }),
  );
  const answers = await client.ask({ kind: 'extendedRequest', oid: `${arc}.70`, value }, controls);
  const made = saidBy(answers);
  const said = made && decodeBer(made, (ber) => ber.sequence(() => ({ id: ber.string(), value: ber.string() })));
  return { code: answers.code, says: answers.result.diagnostic, id: said?.id ?? '', value: said?.value ?? '' };
}

/** One that must come about. */
export async function appPasswordOf(client: Client, dn: string, asked: Asked = {}) {
  const made = await askAppPassword(client, dn, asked);
  if (made.code !== 0) throw new Error(`${made.code} ${made.says}`);
  return made;
}

/** @returns the result code, and how many are gone */
export async function revoke(client: Client, dn: string, id?: string, controls: Parameters<Client['ask']>[1] = []) {
  const value = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(dn);
      if (id !== undefined) ber.octets(utf8(id), 0x80);
    }),
  );
  const answers = await client.ask({ kind: 'extendedRequest', oid: `${arc}.71`, value }, controls);
  const said = saidBy(answers);
  return { code: answers.code, count: said === undefined ? undefined : decodeBer(said, (ber) => ber.sequence(() => ber.number())) };
}

function saidBy({ last }: Answers): Uint8Array | undefined {
  return last.kind === 'extendedResponse' ? last.value : undefined;
}
