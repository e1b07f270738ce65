import { utf8 } from '#base';
import { type ClientEntry, ClientRefusal, type OperatorsClient } from '#client';
import { resultCodes } from '#ldap';
import { Failure } from './exits.ts';

/** In which attribute a group names its members. @throws Failure for one whose members a search finds */
export function memberAttribute(group: ClientEntry): string {
  const classes = new Set(group.all('objectClass').map((name) => name.toLowerCase()));
  if (classes.has('groupofuniquenames')) return 'uniqueMember';
  if (classes.has('groupofurls')) throw new Failure(`${group.dn} has no members of its own: its memberURL says who they are`);
  return 'member';
}

/** @returns false for who is a member already */
export async function addMember(client: OperatorsClient, group: ClientEntry | string, member: string): Promise<boolean> {
  return await change(client, group, 'add', member, resultCodes.attributeOrValueExists);
}

/** @returns false for who is none */
export async function removeMember(client: OperatorsClient, group: ClientEntry | string, member: string): Promise<boolean> {
  return await change(client, group, 'delete', member, resultCodes.noSuchAttribute);
}

async function change(
  { actor }: OperatorsClient,
  group: ClientEntry | string,
  operation: 'add' | 'delete',
  member: string,
  already: number,
): Promise<boolean> {
  const entry = typeof group === 'string' ? await actor.read(group, ['objectClass']) : group;
  if (entry === undefined) throw new Failure(`${String(group)} has gone meanwhile`);
  try {
    await actor.modify(entry.dn, [{ operation, attribute: { description: memberAttribute(entry), values: [utf8(member)] } }]);
    return true;
  } catch (error) {
    if (!(error instanceof ClientRefusal) || error.code !== already) throw error;
    return false;
  }
}
