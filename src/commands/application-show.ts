import { utf8 } from '#base';
import { allOf, anyOf, type ClientEntry } from '#client';
import type { Filter } from '#ldap';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { entryJson, shown, sortedBy, upTo } from './entries.ts';
import type { Given } from './given.ts';
import { applications, isOf, need } from './lookup.ts';
import { list, pageOf, printable } from './table.ts';

const wordAttributes = ['cn', 'stsClientId', 'description'];

export async function listApplications(given: Given, context: Context): Promise<number> {
  const filter = allOf(isOf(applications), ...given.texts('WORD').map(hasWord));
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const base = `${applications.below},${await suffixOf(given.need('realm'))}`;
    const attributes = ['cn', 'stsClientId', 'stsApplicationUrl', 'description'];
    const options = { base, scope: 'sub', filter, attributes, sizeLimit: given.count('limit') ?? 0 } as const;
    const first = (name: string) => (entry: ClientEntry) => entry.one(name) ?? '';
    await list(upTo(client, options, [sortedBy('cn')], context), given, context, {
      columns: [
        { head: 'APPLICATION', of: first('cn') },
        { head: 'CLIENT ID', of: first('stsClientId'), telling: true },
        { head: 'ADDRESS', of: first('stsApplicationUrl') },
        { head: 'DESCRIPTION', of: first('description') },
      ],
      json: (entry) => ({
        dn: entry.dn,
        cn: entry.one('cn'),
        clientId: entry.one('stsClientId'),
        url: entry.one('stsApplicationUrl'),
        description: entry.one('description'),
      }),
      none: 'There is no such application.',
    });
    return 0;
  });
}

function hasWord(word: string): Filter {
  return anyOf(...wordAttributes.map((description): Filter => ({ kind: 'substrings', description, any: [utf8(word)] })));
}

export async function showApplication(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const entry = await need(client, suffix, applications, given.need('APPLICATION'), ['*', 'stsHasPassword']);
    const secret = entry.one('stsHasPassword') === 'TRUE';
    const { dn, attributes } = entryJson(entry);
    const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== 'stsHasPassword'));
    if (given.flag('json')) {
      context.stdout.write(`${JSON.stringify({ dn, secret, attributes: own })}\n`);
      return 0;
    }
    const rows = entry.attributes
      .filter(({ description }) => Object.hasOwn(own, description) && description.toLowerCase() !== 'objectclass')
      .flatMap(({ description, values }) => values.map((value, at) => [at === 0 ? description : '', shown(value)] as const));
    context.stdout.write(`${printable(dn)}\n\n${pageOf([['secret', secret ? 'it has one' : 'it has none'], ...rows])}`);
    return 0;
  });
}
