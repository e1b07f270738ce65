import { explainSignIn } from '#client';
import { askPassword } from './ask-secret.ts';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { Failure, Misuse } from './exits.ts';
import type { Given } from './given.ts';
import { need, people } from './lookup.ts';
import { list } from './table.ts';

/** Says rule by rule what lets a person through a door or keeps them out. */
export async function why(given: Given, context: Context): Promise<number> {
  const application = given.text('application');
  const door = given.text('door') ?? (application === undefined ? 'ldap' : 'browser');
  if (application !== undefined && door !== 'browser')
    throw new Misuse(`people sign in to applications at the door browser: leave --door ${door} out, or --application`);
  const password = given.flag('ask-password') ? await askPassword(`Password to judge, of ${given.need('PERSON')}`, context) : undefined;
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const person = await need(client, await suffixOf(given.need('realm')), people, given.need('PERSON'), ['uid']);
    const rows = await explainSignIn(client, {
      dn: person.dn,
      door,
      application,
      from: given.texts('from')[0],
      password,
    });
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
