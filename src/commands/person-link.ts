import { type ClientEntry, ClientRefusal, type OperatorsClient } from '#client';
import { decodeBer, encodeBer } from '#ldap';
import type { Context } from './command.ts';
import { withRunning } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { explain } from './operators.ts';
import { answer, withPerson } from './person-change.ts';

const issueLinkOid = '2.25.83716444157178576224225129172109131643.6.85';
const tags = { mail: 0x80, link: 0x80 } as const;

/** Has the running service issue a link for a person, and prints it, or has it mailed. */
export async function issueLink(kind: 'activation' | 'reset', given: Given, context: Context): Promise<number> {
  const mails = given.flag('mail');
  const issue = async ({ dn }: ClientEntry, { extended }: OperatorsClient) => {
    const request = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(kind);
        ber.string(dn);
        if (mails) ber.boolean(true, tags.mail);
      }),
    );
    const value = await extended(issueLinkOid, request).catch((error: unknown) => {
      if (error instanceof ClientRefusal) throw new Failure(`there is no link for ${dn}: ${explain(error)}`);
      throw error;
    });
    const issued =
      value &&
      decodeBer(value, (ber) =>
        ber.sequence(() => ({ untilMs: Number(ber.string()), link: ber.more ? ber.string(tags.link) : undefined })),
      );
    if (issued === undefined) throw new Failure('the answer of the directory cannot be read');
    const { link, untilMs } = issued;
    const until = new Date(untilMs).toISOString();
    const words = link === undefined ? `mailed to the address of ${dn}; good until ${until}` : `link ${link}\ngood until ${until}, once`;
    answer(given, context, words, { dn, kind, until, ...(link === undefined ? {} : { link }) });
  };
  return await withPerson(given, context, issue, withRunning);
}
