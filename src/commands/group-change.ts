import { attributesOf, type ClientEntry, ClientRefusal, type OperatorsClient } from '#client';
import { resultCodes } from '#ldap';
import type { Context } from './command.ts';
import { confirm } from './confirm.ts';
import { withDirectory } from './directory.ts';
import { Failure } from './exits.ts';
import type { Given } from './given.ts';
import { groups, need, needMember } from './lookup.ts';
import { addMember, removeMember } from './members.ts';
import { nameIn } from './names.ts';
import { explain } from './operators.ts';

export async function addGroup(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const members: string[] = [];
    for (const name of given.texts('MEMBER')) members.push((await needMember(client, suffix, name, ['1.1'])).dn);
    const cn = given.need('GROUP');
    const dn = nameIn('cn', cn, `${groups.below},${suffix}`);
    try {
      await client.actor.add(
        dn,
        attributesOf({ objectClass: 'groupOfNames', cn, description: given.texts('description'), member: members }).filter(
          ({ values }) => values.length > 0,
        ),
      );
    } catch (error) {
      if (!(error instanceof ClientRefusal)) throw error;
      const isThere = error.code === resultCodes.entryAlreadyExists;
      throw new Failure(
        isThere ? `${dn} is there already. See: atrium group show ${JSON.stringify(cn)}` : `${dn} was not added: ${explain(error)}`,
      );
    }
    answer(given, context, [`added ${dn}`, ...members.map((member) => `member ${member}`)], { dn, members });
    return 0;
  });
}

export async function addMembers(given: Given, context: Context): Promise<number> {
  return await eachMember(given, context, async (client, group, member) =>
    (await addMember(client, group, member)) ? { words: 'member now', changed: true } : { words: 'member already', changed: false },
  );
}

export async function removeMembers(given: Given, context: Context): Promise<number> {
  return await eachMember(given, context, async (client, group, member) => {
    try {
      return (await removeMember(client, group, member))
        ? { words: 'no member now', changed: true }
        : { words: 'no member', changed: false };
    } catch (error) {
      if (!(error instanceof ClientRefusal) || error.code !== resultCodes.objectClassViolation) throw error;
      throw new Failure(
        `${member} is the last member of ${group.dn}, and a group has at least one: add another first, or remove the group`,
      );
    }
  });
}

interface Changed {
  readonly words: string;
  readonly changed: boolean;
}

/** All members are found before the first is changed. */
async function eachMember(
  given: Given,
  context: Context,
  act: (client: OperatorsClient, group: ClientEntry, member: string) => Promise<Changed>,
): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const group = await need(client, suffix, groups, given.need('GROUP'), ['objectClass']);
    const members: string[] = [];
    for (const name of given.texts('MEMBER')) members.push((await needMember(client, suffix, name, ['1.1'])).dn);
    for (const member of members) {
      const { words, changed } = await act(client, group, member);
      answer(given, context, [`${words}: ${member}`], { group: group.dn, member, changed });
    }
    return 0;
  });
}

export async function removeGroup(given: Given, context: Context): Promise<number> {
  return await withDirectory(context, async ({ client, suffixOf }) => {
    const suffix = await suffixOf(given.need('realm'));
    const group = await need(client, suffix, groups, given.need('GROUP'), ['cn', 'member', 'uniqueMember']);
    const count = group.all('member').length + group.all('uniqueMember').length;
    const cn = group.one('cn') ?? group.dn;
    await confirm(
      `This removes ${group.dn} and its list of ${count.toLocaleString('en')} ${count === 1 ? 'member' : 'members'}, who stay.`,
      cn,
      given,
      context,
    );
    await client.actor.delete(group.dn);
    answer(given, context, [`removed ${group.dn}`], { dn: group.dn });
    return 0;
  });
}

function answer(given: Given, { stdout }: Context, words: readonly string[], object: object): void {
  stdout.write(given.flag('json') ? `${JSON.stringify(object)}\n` : `${words.join('\n')}\n`);
}
