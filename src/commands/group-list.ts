import { utf8 } from '#base';
import { allOf, anyOf, type ClientEntry, type OperatorsClient } from '#client';
import type { Filter } from '#ldap';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { sortedBy, upTo } from './entries.ts';
import type { Given } from './given.ts';
import { groups, isOf, needMember } from './lookup.ts';
import { list } from './table.ts';

const wordAttributes = ['cn', 'description'];
const attributes = ['cn', 'description', 'objectClass'];

export async function listGroups(given: Given, context: Context): Promise<number> {
  const filter = allOf(isOf(groups), ...given.texts('WORD').map(hasWord));
  const sizeLimit = given.count('limit') ?? 0;
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const of = given.text('of');
    const member = of === undefined ? undefined : await needMember(client, suffix, of, ['memberOf']);
    const options = { base: `${groups.below},${suffix}`, scope: 'sub', filter, attributes, sizeLimit } as const;
    const found = member === undefined ? upTo(client, options, [sortedBy('cn')], context) : groupsOf(client, member, filter, sizeLimit);
    const first = (name: string) => (entry: ClientEntry) => entry.one(name) ?? '';
    await list(found, given, context, {
      columns: [
        { head: 'GROUP', of: first('cn') },
        { head: 'DESCRIPTION', of: first('description') },
      ],
      json: (entry) => ({ dn: entry.dn, cn: entry.one('cn'), description: entry.one('description'), classes: entry.all('objectClass') }),
      none: 'There is no such group.',
    });
    return 0;
  });
}

function hasWord(word: string): Filter {
  return anyOf(...wordAttributes.map((description): Filter => ({ kind: 'substrings', description, any: [utf8(word)] })));
}

/** The groups of an entry, as its memberOf has them, by name. */
async function* groupsOf({ actor }: OperatorsClient, member: ClientEntry, filter: Filter, sizeLimit: number): AsyncGenerator<ClientEntry> {
  let count = 0;
  for (const base of [...member.all('memberOf')].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))) {
    const { entries } = await actor.search({ base, scope: 'base', filter, attributes });
    for (const entry of entries) {
      yield entry;
      if (++count === sizeLimit) return;
    }
  }
}
