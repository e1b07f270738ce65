import { z } from 'zod';
import { refuse } from '#catalogue';
import type { ClientEntry } from '#client';
import { formatRdn, parseDn, parseRdn } from '#ldap';
import { errors } from '../errors.ts';
import { hasWord, readFilter } from './entries-found.ts';
import { entryLocation, madeAgain, readAgain, unchanged } from './entry-edit.ts';
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
import { nextMember, pageMembers, pageOf } from './paging.ts';
import { type Call, type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';

const dnMember = z.string().min(1).max(4000).describe('The name (DN) of the entry.');
const place = { word: 'entry' };

/** Operations reach entries of the realm they are called in alone, as all others do. */
function within({ realm }: Call, dn: string, field: string): string {
  const [name, suffix] = [parseDn(dn), parseDn(realm.suffix)];
  if (name === undefined || suffix === undefined) throw new Unfit({ field, message: 'is no name of an entry' });
  const top = name.slice(name.length - suffix.length).map((rdn) => formatRdn(rdn).toLowerCase());
  if (top.join() !== suffix.map((rdn) => formatRdn(rdn).toLowerCase()).join()) throw refuse(errors.absent, { what: place.word, field });
  return dn;
}

const read = operation({
  name: 'entries.read',
  method: 'GET',
  path: '/admin-api/entries',
  scope: 'admin:read',
  summary: 'read any entry of the realm: all of it that the caller may see',
  input: z.strictObject({ dn: dnMember }),
  output: z.strictObject({ ...entryMembers, attributes: attributesShape }),
  audit: 'entry {dn} read',
  command: 'entry show',
  terminal: { examples: [{ line: 'atrium entry show ou=people,dc=example,dc=com' }] },
  run: async (call, { dn }) => {
    const entry = await readAgain(call, within(call, dn, 'dn'), ['*', '+', ...entryAttributes], place);
    return { ...entryMembersOf(entry), attributes: attributesOfEntry(entry) };
  },
});

const search = operation({
  name: 'entries.search',
  method: 'GET',
  path: '/admin-api/entries/search',
  scope: 'admin:read',
  summary: 'search entries of the realm, page by page',
  input: z.strictObject({
    base: dnMember.optional().describe('Below which; the realm’s suffix when absent.'),
    scope: z.enum(['one', 'sub', 'base']).default('sub').describe('one: the level below; sub: all levels.'),
    filter: z.string().max(4096).optional().describe('An LDAP filter (RFC 4515).'),
    q: z.string().min(1).max(200).optional().describe('A word of a name or description.'),
    ...pageMembers,
  }),
  output: z.strictObject({
    entries: z.array(z.strictObject({ dn: z.string(), id: z.string(), objectClass: z.array(z.string()) })),
    ...nextMember,
  }),
  audit: 'entries searched',
  command: 'entry list',
  terminal: {
    list: { of: 'entries', columns: ['dn', 'objectClass'] },
    examples: [
      { line: 'atrium entry list --base ou=groups,dc=example,dc=com --scope one' },
      { line: "atrium entry list --filter '(mail=*)' --limit 10 --json" },
    ],
  },
  run: async (call, { base = call.realm.suffix, scope, filter, q, ...page }) => {
    const isIt = { kind: 'present', description: 'objectClass' } as const;
    const wanted =
      filter !== undefined ? readFilter(filter, 'filter') : q === undefined ? isIt : hasWord(q, ['cn', 'ou', 'uid', 'description']);
    const options = { base: within(call, base, 'base'), scope, filter: wanted, attributes: ['objectClass', ...entryAttributes] } as const;
    const { entries, ...next } = await pageOf(call, options, page);
    return { entries: entries.map(shown), ...next };
  },
});

function shown(entry: ClientEntry) {
  return { dn: entry.dn, id: entry.one('entryUUID') ?? '', objectClass: [...entry.all('objectClass')] };
}

const create = operation({
  name: 'entries.create',
  method: 'POST',
  path: '/admin-api/entries',
  scope: 'admin:write',
  summary: 'add any entry to the realm, as the schema allows it',
  status: 201,
  location: entryLocation,
  input: z.strictObject({ dn: dnMember, attributes: attributesShape }),
  output: madeShape,
  audit: 'entry {dn} added',
  console: { on: 'directory', title: 'Add an entry', verb: 'Add' },
  command: 'entry add',
  terminal: { examples: [{ line: 'atrium entry add ou=rooms,dc=example,dc=com --set objectClass=organizationalUnit --set ou=rooms' }] },
  run: async (call, { dn, attributes }) => {
    const name = within(call, dn, 'dn');
    await call.actor.add(name, givenAttributes(attributes));
    return await madeAgain(call, name, place);
  },
});

const change = operation({
  name: 'entries.change',
  method: 'PATCH',
  path: '/admin-api/entries',
  scope: 'admin:write',
  summary: 'change attributes of any entry: each that is named is replaced, one without values is removed',
  editable: true,
  input: z.strictObject({ dn: dnMember, attributes: attributesShape }),
  output: madeShape,
  audit: 'entry {dn} changed',
  console: { on: 'directory/entry', title: 'Change', verb: 'Save' },
  command: 'entry change',
  terminal: { examples: [{ line: "atrium entry change ou=people,dc=example,dc=com --set description='who works here'" }] },
  run: async (call, { dn, attributes }) => {
    const changes = replacements(attributes);
    if (changes.length === 0) throw new Unfit({ field: 'attributes', message: 'names nothing that should change' });
    const name = within(call, dn, 'dn');
    await call.actor.modify(name, changes, unchanged(call));
    return await madeAgain(call, name, place);
  },
});

const rename = operation({
  name: 'entries.rename',
  method: 'POST',
  path: '/admin-api/entries/rename',
  scope: 'admin:write',
  summary: 'rename an entry, or move it and what is below it',
  editable: true,
  input: z.strictObject({
    dn: dnMember,
    newRdn: z.string().min(1).max(1000).describe('Its new first part: cn=other.'),
    newSuperior: dnMember.optional().describe('Below which it moves; where it is, when absent.'),
    keepOld: z.boolean().default(false).describe('Whether the value that it was named by stays one of its values.'),
  }),
  output: madeShape,
  audit: 'entry {dn} renamed to {newRdn}',
  console: { on: 'directory/entry', title: 'Rename or move', verb: 'Rename' },
  command: 'entry rename',
  terminal: {
    examples: [
      {
        line: 'atrium entry add ou=halls,dc=example,dc=com --set objectClass=organizationalUnit --set ou=halls\natrium entry rename ou=halls,dc=example,dc=com ou=lobbies',
      },
    ],
  },
  run: async (call, { dn, newRdn, newSuperior, keepOld }) => {
    const name = within(call, dn, 'dn');
    if (parseRdn(newRdn) === undefined) throw new Unfit({ field: 'newRdn', message: 'is no first part of a name, such as cn=other' });
    const above = newSuperior === undefined ? {} : { newSuperior: within(call, newSuperior, 'newSuperior') };
    await call.actor.rename(name, { newRdn, deleteOldRdn: !keepOld, ...above }, unchanged(call));
    const parent = newSuperior ?? name.slice(formatRdn(parseDn(name)?.[0] ?? []).length + 1);
    return await madeAgain(call, `${newRdn},${parent}`, place);
  },
});

const remove = operation({
  name: 'entries.delete',
  method: 'DELETE',
  path: '/admin-api/entries',
  scope: 'admin:write',
  summary: 'delete an entry that has none below it',
  editable: true,
  input: z.strictObject({ dn: dnMember }),
  output: z.strictObject({ dn: z.string() }),
  audit: 'entry {dn} deleted',
  console: { on: 'directory/entry', title: 'Delete', verb: 'Delete', danger: '{dn} is deleted. Groups that name it lose it as a member.' },
  command: 'entry remove',
  terminal: {
    examples: [
      {
        line: 'atrium entry add ou=sheds,dc=example,dc=com --set objectClass=organizationalUnit --set ou=sheds\natrium entry remove ou=sheds,dc=example,dc=com --yes',
      },
      { line: 'atrium entry remove ou=nothing-like-it,dc=example,dc=com --yes', does: 'which is not there', status: 3 },
    ],
  },
  run: async (call, { dn }) => {
    const name = within(call, dn, 'dn');
    await call.actor.delete(name, unchanged(call));
    return { dn: name };
  },
});

/** Any entry of a realm: what the directory browser of the console does. */
export const entryRows: readonly Operation[] = [read, search, create, change, rename, remove];
