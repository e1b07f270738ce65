import { decodeBer, encodeBer } from '#ldap';
import { askPassword } from './ask-secret.ts';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { need, people } from './lookup.ts';
import { list } from './table.ts';

const whyOid = '2.25.83716444157178576224225129172109131643.6.76';
const tags = { who: 0x80, door: 0x81, from: 0x82, password: 0x83 } as const;

/** Says rule by rule what lets a person through a door or keeps them out. */
export async function why(given: Given, context: Context): Promise<number> {
  const password = given.flag('ask-password') ? await askPassword(`Password to judge, of ${given.need('PERSON')}`, context) : undefined;
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const person = await need(client, await suffixOf(given.need('realm')), people, given.need('PERSON'), ['uid']);
    const request = encodeBer((ber) =>
      ber.sequence(() => {
        ber.string(`dn:${person.dn}`, tags.who);
        ber.string(given.need('door'), tags.door);
        for (const from of given.texts('from').slice(0, 1)) ber.string(from, tags.from);
        if (password !== undefined) ber.string(password, tags.password);
      }),
    );
    const answer = await client.extended(whyOid, request);
    const rows =
      answer &&
      decodeBer(answer, (ber) =>
        ber.list(() =>
          ber.sequence(() => ({
            rule: ber.string(),
            verdict: ber.string(),
            words: ber.string(),
            code: ber.string(),
            change: ber.string(),
          })),
        ),
      );
    if (rows === undefined) throw new Failure('the answer of the directory cannot be read');
    await list(rows, given, context, {
      columns: [
        { head: 'RULE', of: ({ rule }) => rule },
        { head: '', of: ({ verdict }) => (verdict === 'says' ? '' : verdict) },
        { head: 'CODE', of: ({ code }) => code },
        { head: 'WHY', of: ({ words }) => words },
        { head: 'CHANGE', of: ({ change }) => change },
      ],
      json: (row) => ({ dn: person.dn, ...row }),
      none: 'Nothing was judged.',
    });
    return 0;
  });
}
