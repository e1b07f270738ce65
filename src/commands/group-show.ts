import type { ClientEntry, OperatorsClient } from '#client';
import type { Context } from './command.ts';
import { withDirectory } from './directory.ts';
import { entryJson } from './entries.ts';
import type { Given } from './given.ts';
import { groups, need } from './lookup.ts';
import { write } from './output.ts';
import { pageOf, printable } from './table.ts';

const memberAttributes = ['member', 'uniqueMember'];
/** Members that are looked into for `--nested`: every one of them is a search. */
const lookedIntoMax = 100_000;

export async function showGroup(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const group = await need(client, suffix, groups, given.need('GROUP'), ['*', 'memberOf']);
    const direct = membersOf(group);
    const nested = given.flag('nested') ? await nestedOf(client, group) : undefined;
    const { attributes } = entryJson(group);
    const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => ![...memberAttributes, 'memberOf'].includes(name)));
    if (given.flag('json')) {
      const object = {
        dn: group.dn,
        members: direct,
        ...(nested === undefined ? {} : { nested }),
        memberOf: group.all('memberOf'),
        attributes: own,
      };
      await write(context.stdout, `${JSON.stringify(object)}\n`);
      return 0;
    }
    const said = ['cn', 'description'].flatMap((name) => group.all(name).map((value) => [name, value] as const));
    const part = (label: string, names: readonly string[]) =>
      names.length === 0
        ? []
        : [`\n${label}, ${names.length.toLocaleString('en')}:\n${names.map((name) => `  ${printable(name)}\n`).join('')}`];
    const text = [
      `${printable(group.dn)}\n\n${pageOf(said)}`,
      ...part('members', direct),
      ...part('through groups within it', nested ?? []),
      ...part('is within', group.all('memberOf')),
    ];
    for (const each of text) await write(context.stdout, each);
    return 0;
  });
}

function membersOf(group: ClientEntry): readonly string[] {
  return memberAttributes.flatMap((name) => group.all(name));
}

/** Who is a member through the groups within a group, each once, in the order of the groups. */
async function nestedOf({ actor }: OperatorsClient, group: ClientEntry): Promise<string[]> {
  const seen = new Set([group.dn, ...membersOf(group)].map((dn) => dn.toLowerCase()));
  const queue = [...membersOf(group)];
  const found: string[] = [];
  for (let at = 0; at < queue.length && at < lookedIntoMax; at++) {
    const entry = await actor.read(queue[at] as string, memberAttributes);
    for (const dn of entry === undefined ? [] : membersOf(entry)) {
      if (seen.has(dn.toLowerCase())) continue;
      seen.add(dn.toLowerCase());
      queue.push(dn);
      found.push(dn);
    }
  }
  return found;
}
