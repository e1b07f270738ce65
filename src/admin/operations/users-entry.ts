import { z } from 'zod';
import { findOne, peoplePlace } from './entries-found.ts';
import { changeOne, deleteOne, madeAgain, nameIn } from './entry-edit.ts';
import {
  attributesOfEntry,
  attributesShape,
  entryMembers,
  entryMembersOf,
  givenAttributes,
  madeShape,
  replacements,
} from './entry-shape.ts';
import { type Operation, operation } from './row.ts';
import { userAttributes, userOf } from './users-list.ts';
import { userMember, userShape } from './users-shape.ts';

const shown = ['*', ...userAttributes, 'memberOf', 'createTimestamp', 'modifyTimestamp', 'pwdChangedTime'];

const read = operation({
  name: 'users.read',
  method: 'GET',
  path: '/admin-api/users/:user',
  scope: 'admin:read',
  summary: 'read a person: what they hold, and the attributes of their entry',
  input: z.strictObject({ user: userMember }),
  output: z.strictObject({ ...entryMembers, user: userShape, attributes: attributesShape }),
  audit: '{user} read',
  command: 'person show',
  run: async (call, { user }) => {
    const entry = await findOne(call, peoplePlace, user, shown, 'user');
    return { ...entryMembersOf(entry), user: userOf(entry, call.deps.clock.nowMs()), attributes: attributesOfEntry(entry) };
  },
});

const create = operation({
  name: 'users.create',
  method: 'POST',
  path: '/admin-api/users',
  scope: 'admin:write',
  summary: 'add a person',
  status: 201,
  fields: { dn: 'uid', uid: 'uid', cn: 'name', sn: 'surname', givenname: 'givenName', mail: 'mail', userpassword: 'password' },
  input: z.strictObject({
    uid: z.string().min(1).max(200).describe('By which they sign in; nobody else of the realm has it.'),
    name: z.string().min(1).max(500).describe('Their full name (cn).'),
    surname: z.string().min(1).max(500).optional().describe('sn; the last word of the name when absent.'),
    givenName: z.string().min(1).max(500).optional(),
    mail: z.array(z.string().min(3).max(320)).max(50).optional().describe('Addresses.'),
    password: z.string().min(1).max(1000).optional().describe('Without one nobody signs in as them before a link or a password is issued.'),
    attributes: attributesShape.optional().describe('What else the entry has; objectClass, too, where it is not inetOrgPerson.'),
  }),
  output: madeShape,
  audit: 'person {uid} added',
  console: { on: 'users', title: 'Add a person', verb: 'Add' },
  command: 'person add',
  run: async (call, { uid, name, surname, givenName, mail, password, attributes = {} }) => {
    const dn = nameIn(call, peoplePlace, 'uid', uid);
    const own = { objectClass: ['inetOrgPerson'], uid: [uid], cn: [name], sn: [surname ?? lastWord(name)] };
    const more = {
      givenName: givenName === undefined ? [] : [givenName],
      mail: mail ?? [],
      userPassword: password === undefined ? [] : [password],
    };
    await call.actor.add(dn, givenAttributes({ ...own, ...more, ...attributes }));
    return await madeAgain(call, dn, peoplePlace);
  },
});

const change = operation({
  name: 'users.change',
  method: 'PATCH',
  path: '/admin-api/users/:user',
  scope: 'admin:write',
  summary: 'change attributes of a person: each that is named is replaced, one without values is removed',
  editable: true,
  fields: {},
  input: z.strictObject({ user: userMember, attributes: attributesShape }),
  output: madeShape,
  audit: '{user} changed',
  console: { on: 'users/person', title: 'Change', verb: 'Save' },
  command: 'person change',
  terminal: {
    examples: [
      { line: "atrium person change dkhalil --set title='Head of Sales' --set l=Berlin" },
      { line: 'atrium person change dkhalil --set l=', does: 'which takes what stands there away' },
    ],
  },
  run: async (call, { user, attributes }) => {
    const dn = await changeOne(call, peoplePlace, user, replacements(attributes), 'user');
    return await madeAgain(call, dn, peoplePlace);
  },
});

const remove = operation({
  name: 'users.delete',
  method: 'DELETE',
  path: '/admin-api/users/:user',
  scope: 'admin:write',
  summary: 'delete a person; they can be restored for as long as the realm keeps what is deleted',
  editable: true,
  input: z.strictObject({ user: userMember }),
  output: z.strictObject({ dn: z.string() }),
  audit: '{user} deleted',
  console: {
    on: 'users/person',
    title: 'Delete',
    verb: 'Delete',
    danger:
      '{user} is deleted: their sessions, tokens and connections end, and their groups name them no more. What they sign in with cannot be restored.',
  },
  command: 'person remove',
  run: async (call, { user }) => ({ dn: await deleteOne(call, peoplePlace, user, 'user') }),
});

export const userEntryRows: readonly Operation[] = [read, create, change, remove];

function lastWord(name: string): string {
  return name.trim().split(/\s+/u).at(-1) ?? name;
}
