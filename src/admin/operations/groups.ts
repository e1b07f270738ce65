import { z } from 'zod';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { anyOf, type ClientEntry, ClientRefusal, equals } from '#client';
import { type Modification, resultCodes } from '#ldap';
import { errors } from '../errors.ts';
import { applicationsPlace } from './applications.ts';
import { findOne, type Place, peoplePlace } from './entries-found.ts';
import { changeOne, deleteOne, madeAgain, nameIn } from './entry-edit.ts';
import {
  attributesOfEntry,
  attributesShape,
  entryAttributes,
  entryMembers,
  entryMembersOf,
  givenAttributes,
  madeShape,
  replacements,
} from './entry-shape.ts';
import { nextMember, pageIn, pageMembers, pageOf } from './paging.ts';
import { type Call, type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';

const classes = ['groupOfNames', 'groupOfUniqueNames', 'posixGroup', 'groupOfURLs'];
export const groupsPlace: Place = {
  below: 'ou=groups',
  isOne: anyOf(...classes.map((name) => equals('objectClass', name))),
  namedBy: ['cn'],
  word: 'group',
};
/** Members are left out: a group may have very many, which have a list of their own. */
const shown = ['objectClass', 'cn', 'description', 'owner', 'seeAlso', 'stsRole', 'memberURL', 'gidNumber', ...entryAttributes];
const groupMember = z.string().min(1).max(1000).describe('The group: its name (cn), its entryUUID, or its DN.');
const memberNames = z
  .array(z.string().min(1).max(1000))
  .min(1)
  .max(1000)
  .describe('Persons, applications or groups: uid, name, entryUUID or DN.');

const groupShape = z.strictObject({
  ...entryMembers,
  name: z.string(),
  description: z.string().optional(),
  roles: z.array(z.string()).describe('What its members may do in this service: Admin Read, Admin Write.'),
});

const list = operation({
  name: 'groups.list',
  method: 'GET',
  path: '/admin-api/groups',
  scope: 'admin:read',
  summary: 'list groups, with an LDAP filter or a word, page by page',
  input: z.strictObject({
    filter: z.string().max(4096).optional().describe('An LDAP filter (RFC 4515), such as (stsRole=*).'),
    q: z.string().min(1).max(200).optional().describe('A word of the name or the description.'),
    ...pageMembers,
  }),
  output: z.strictObject({ groups: z.array(groupShape), ...nextMember }),
  audit: 'groups listed',
  command: 'group list',
  run: async (call, asked) => {
    const { entries, ...next } = await pageIn(call, groupsPlace, asked, ['cn', 'description'], shown);
    return { groups: entries.map(groupOf), ...next };
  },
});

const read = operation({
  name: 'groups.read',
  method: 'GET',
  path: '/admin-api/groups/:group',
  scope: 'admin:read',
  summary: 'read a group, without its members',
  input: z.strictObject({ group: groupMember }),
  output: z.strictObject({ ...entryMembers, group: groupShape, attributes: attributesShape }),
  audit: 'group {group} read',
  command: 'group show',
  run: async (call, { group }) => {
    const entry = await findOne(call, groupsPlace, group, shown, 'group');
    return { ...entryMembersOf(entry), group: groupOf(entry), attributes: attributesOfEntry(entry) };
  },
});

const members = operation({
  name: 'groups.members',
  method: 'GET',
  path: '/admin-api/groups/members',
  scope: 'admin:read',
  summary: 'list who is in a group, themselves or by groups in it, page by page',
  input: z.strictObject({ group: groupMember, ...pageMembers }),
  output: z.strictObject({
    dn: z.string(),
    members: z.array(z.strictObject({ dn: z.string(), id: z.string(), name: z.string() })),
    ...nextMember,
  }),
  audit: 'members of group {group} listed',
  command: 'group show',
  run: async (call, { group, ...page }) => {
    const { dn } = await findOne(call, groupsPlace, group, ['1.1'], 'group');
    const search = {
      base: call.realm.suffix,
      scope: 'sub',
      filter: equals('memberOf', dn),
      attributes: ['entryUUID', 'uid', 'cn'],
    } as const;
    const { entries, ...next } = await pageOf(call, search, page);
    const told = entries.map((entry) => ({
      dn: entry.dn,
      id: entry.one('entryUUID') ?? '',
      name: entry.one('uid') ?? entry.one('cn') ?? entry.dn,
    }));
    return { dn, members: told, ...next };
  },
});

const create = operation({
  name: 'groups.create',
  method: 'POST',
  path: '/admin-api/groups',
  scope: 'admin:write',
  summary: 'add a group',
  status: 201,
  fields: { dn: 'name', cn: 'name', description: 'description', member: 'members' },
  input: z.strictObject({
    name: z.string().min(1).max(200).describe('cn: no other group of the realm has it.'),
    description: z.string().min(1).max(2000).optional(),
    members: memberNames.optional(),
    attributes: attributesShape.optional().describe('What else the entry has; objectClass, too, where it is not groupOfNames.'),
  }),
  output: madeShape,
  audit: 'group {name} added',
  console: { on: 'groups', title: 'Add a group', verb: 'Add' },
  command: 'group add',
  run: async (call, { name, description, members: named = [], attributes = {} }) => {
    const dn = nameIn(call, groupsPlace, 'cn', name);
    const member = await Promise.all(named.map((each, at) => memberDn(call, each, `members[${at}]`)));
    const own = { objectClass: ['groupOfNames'], cn: [name], description: description === undefined ? [] : [description], member };
    await call.actor.add(dn, givenAttributes({ ...own, ...attributes }));
    return await madeAgain(call, dn, groupsPlace);
  },
});

const change = operation({
  name: 'groups.change',
  method: 'PATCH',
  path: '/admin-api/groups/:group',
  scope: 'admin:write',
  summary: 'change attributes of a group: each that is named is replaced, one without values is removed',
  editable: true,
  fields: {},
  input: z.strictObject({ group: groupMember, attributes: attributesShape }),
  output: madeShape,
  audit: 'group {group} changed',
  console: { on: 'groups/group', title: 'Change', verb: 'Save' },
  command: 'group change',
  terminal: { examples: [{ line: "atrium group change platform --set description='those who build'" }] },
  run: async (call, { group, attributes }) => {
    const dn = await changeOne(call, groupsPlace, group, replacements(attributes), 'group');
    return await madeAgain(call, dn, groupsPlace);
  },
});

const remove = operation({
  name: 'groups.delete',
  method: 'DELETE',
  path: '/admin-api/groups/:group',
  scope: 'admin:write',
  summary: 'delete a group; its members stay, and it can be restored for as long as the realm keeps what is deleted',
  editable: true,
  input: z.strictObject({ group: groupMember }),
  output: z.strictObject({ dn: z.string() }),
  audit: 'group {group} deleted',
  console: { on: 'groups/group', title: 'Delete', verb: 'Delete', danger: 'Whoever was in {group} has no more what the group gave them.' },
  command: 'group remove',
  run: async (call, { group }) => ({ dn: await deleteOne(call, groupsPlace, group, 'group') }),
});

const memberInput = z.strictObject({ group: groupMember, members: memberNames });
const memberOutput = z.strictObject({
  dn: z.string(),
  changed: z.array(z.string()).describe('The DNs of those for whom something changed.'),
});

const addMembers = operation({
  name: 'groups.add-members',
  method: 'POST',
  path: '/admin-api/groups/add-members',
  scope: 'admin:write',
  summary: 'put persons, applications or groups into a group',
  editable: true,
  input: memberInput,
  output: memberOutput,
  audit: 'members added to group {group}',
  console: { on: 'groups/group', title: 'Add members', verb: 'Add' },
  command: 'group add-member',
  run: (call, { group, members: named }) => changeMembers(call, group, named, 'add'),
});

const removeMembers = operation({
  name: 'groups.remove-members',
  method: 'POST',
  path: '/admin-api/groups/remove-members',
  scope: 'admin:write',
  summary: 'take persons, applications or groups out of a group',
  editable: true,
  input: memberInput,
  output: memberOutput,
  audit: 'members removed from group {group}',
  console: { on: 'groups/group', title: 'Remove members', verb: 'Remove', danger: 'They have no more what {group} gave them.' },
  command: 'group remove-member',
  run: (call, { group, members: named }) => changeMembers(call, group, named, 'delete'),
});

export const groupRows: readonly Operation[] = [list, create, members, addMembers, removeMembers, read, change, remove];

function groupOf(entry: ClientEntry): z.input<typeof groupShape> {
  const description = entry.one('description');
  return {
    ...entryMembersOf(entry),
    name: entry.one('cn') ?? '',
    ...(description === undefined ? {} : { description }),
    roles: [...entry.all('stsRole')],
  };
}

/** All members are found before the first is changed; who is in already, or is not, is passed over. */
async function changeMembers(call: Call, group: string, named: readonly string[], operationOf: 'add' | 'delete') {
  const entry = await findOne(call, groupsPlace, group, ['objectClass', 'entryCSN'], 'group');
  if (call.ifMatch !== undefined && entry.one('entryCSN') !== call.ifMatch) throw refuse(errors.changedMeanwhile);
  const attribute = memberAttributeOf(entry);
  const dns: string[] = [];
  for (const [at, each] of named.entries()) dns.push(await memberDn(call, each, `members[${at}]`));
  const changed: string[] = [];
  for (const dn of dns) {
    const one: Modification = { operation: operationOf, attribute: { description: attribute, values: [utf8(dn)] } };
    try {
      await call.actor.modify(entry.dn, [one]);
      changed.push(dn);
    } catch (error) {
      const isSo = operationOf === 'add' ? resultCodes.attributeOrValueExists : resultCodes.noSuchAttribute;
      if (!(error instanceof ClientRefusal) || error.code !== isSo) throw error;
    }
  }
  return { dn: entry.dn, changed };
}

function memberAttributeOf(group: ClientEntry): string {
  const held = new Set(group.all('objectClass').map((name) => name.toLowerCase()));
  if (held.has('groupofnames')) return 'member';
  if (held.has('groupofuniquenames')) return 'uniqueMember';
  throw new Unfit({ field: 'group', message: 'Its members are not named one by one: change what it is made of.' });
}

/** Whom a name means: a person, then an application, then a group. */
async function memberDn(call: Call, named: string, field: string): Promise<string> {
  for (const place of [peoplePlace, applicationsPlace, groupsPlace]) {
    try {
      return (await findOne(call, place, named, ['1.1'], field)).dn;
    } catch (error) {
      if (error instanceof Unfit || !isAbsent(error)) throw error;
    }
  }
  throw new Unfit({ field, message: 'There is no person, application or group of that name.' });
}

function isAbsent(error: unknown): boolean {
  return (
    (error instanceof ClientRefusal && error.code === resultCodes.noSuchObject) ||
    (error instanceof Error && 'row' in error && error.row === errors.absent)
  );
}
