import { z } from 'zod';
import { refuse } from '#catalogue';
import { allOf, anyOf, type ClientEntry, equals, present } from '#client';
import { decodeBer, encodeBer, type Filter } from '#ldap';
import { errors } from '../errors.ts';
import { nextMember, pageMembers, pageOf } from './paging.ts';
import { type Call, type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';

const restoreOid = '2.25.83716444157178576224225129172109131643.6.75';
const attributes = ['stsDeletedUUID', 'stsDeletedName', 'stsDeletedDN', 'stsDeletedTime', 'stsDeletedBy', 'stsPurgeTime'];
const isKept = equals('objectClass', 'stsTombstone');
const isPerson = allOf(isKept, { kind: 'not', filter: present('stsDeletedKind') });

const deletedShape = z.strictObject({
  id: z.string().describe('The entryUUID that the entry had, and will have again.'),
  name: z.string(),
  dn: z.string().describe('Where it stood.'),
  deleted: z.string().describe('GeneralizedTime.'),
  by: z.string().optional(),
  keptUntil: z.string().optional(),
});
const listShape = z.strictObject({ deleted: z.array(deletedShape), ...nextMember });
const restoredShape = z.strictObject({
  dn: z.string(),
  named: z.array(z.string()).describe('Entries that name it again.'),
  lost: z.array(z.string()).describe('References that could not be made again.'),
});
const listed = { method: 'GET', scope: 'admin:read', input: z.strictObject(pageMembers), output: listShape } as const;
const restoring = { method: 'POST', scope: 'admin:write', output: restoredShape } as const;
const called = (what: string) => z.string().min(1).max(1000).describe(`The ${what}, entryUUID or DN that it had.`);

export const userDeletedRows: readonly Operation[] = [
  operation({
    ...listed,
    name: 'users.deleted',
    path: '/admin-api/users/deleted',
    summary: 'list the people who were deleted and can be restored, page by page',
    audit: 'deleted people listed',
    command: 'person list --deleted',
    run: (call, page) => list(call, page, isPerson),
  }),
  operation({
    ...restoring,
    name: 'users.restore',
    path: '/admin-api/users/restore',
    summary: 'restore somebody who was deleted: their entry and the groups that named them, without what they signed in with',
    input: z.strictObject({ user: z.string().min(1).max(1000).describe('The uid, entryUUID or DN that they had.') }),
    audit: '{user} restored',
    console: { on: 'users', title: 'Restore', verb: 'Restore' },
    command: 'person restore',
    run: (call, { user }) => restore(call, { is: isPerson, named: user, field: 'user', what: 'deleted person' }),
  }),
];

const isGroup = equals('objectClass', 'stsDeletedGroup');

export const groupDeletedRows: readonly Operation[] = [
  operation({
    ...listed,
    name: 'groups.deleted',
    path: '/admin-api/groups/deleted',
    summary: 'list the groups that were deleted and can be restored, page by page',
    audit: 'deleted groups listed',
    command: 'group list --deleted',
    run: (call, page) => list(call, page, isGroup),
  }),
  operation({
    ...restoring,
    name: 'groups.restore',
    path: '/admin-api/groups/restore',
    summary: 'restore a group that was deleted: its entry with the members that are there still, and the groups that it was in',
    input: z.strictObject({ group: called('name (cn)') }),
    audit: 'group {group} restored',
    console: { on: 'groups', title: 'Restore', verb: 'Restore' },
    command: 'group restore',
    run: (call, { group }) => restore(call, { is: isGroup, named: group, field: 'group', what: 'deleted group' }),
  }),
];

const isApplication = equals('objectClass', 'stsDeletedApplication');

export const applicationDeletedRows: readonly Operation[] = [
  operation({
    ...listed,
    name: 'applications.deleted',
    path: '/admin-api/applications/deleted',
    summary: 'list the applications that were deleted and can be restored, page by page',
    audit: 'deleted applications listed',
    command: 'application list --deleted',
    run: (call, page) => list(call, page, isApplication),
  }),
  operation({
    ...restoring,
    name: 'applications.restore',
    path: '/admin-api/applications/restore',
    summary: 'restore an application that was deleted: its entry and the groups that it was in, without its secret',
    input: z.strictObject({ application: called('name (cn)') }),
    audit: 'application {application} restored',
    console: { on: 'applications', title: 'Restore', verb: 'Restore' },
    command: 'application restore',
    run: (call, { application }) =>
      restore(call, { is: isApplication, named: application, field: 'application', what: 'deleted application' }),
  }),
];

async function list(call: Call, page: { readonly limit: number; readonly after?: string | undefined }, filter: Filter) {
  const options = { base: call.realm.suffix, scope: 'one', filter, attributes, showDeleted: true } as const;
  const { entries, ...next } = await pageOf(call, options, page);
  return { deleted: entries.map(deletedOf), ...next };
}

interface Wanted {
  readonly is: Filter;
  /** As the caller calls it. */
  readonly named: string;
  /** The member of the input that says so. */
  readonly field: string;
  readonly what: string;
}

async function restore({ actor, realm }: Call, { is, named, field, what }: Wanted): Promise<z.input<typeof restoredShape>> {
  const isThis = anyOf(...['stsDeletedUUID', 'stsDeletedName', 'stsDeletedDN'].map((name) => equals(name, named)));
  const search = { base: realm.suffix, scope: 'one', filter: allOf(is, isThis), attributes, sizeLimit: 2, showDeleted: true } as const;
  const [stone, another] = (await actor.search(search)).entries;
  if (stone === undefined) throw refuse(errors.absent, { what, field });
  if (another !== undefined) throw new Unfit({ field, message: 'Several were called so. Name one by its entryUUID.' });
  const answer = await actor.extended(
    restoreOid,
    encodeBer((ber) => ber.sequence(() => ber.string(stone.dn))),
  );
  const restored =
    answer &&
    decodeBer(answer, (ber) => ber.sequence(() => [ber.string(), ber.list(() => ber.string()), ber.list(() => ber.string())] as const));
  if (restored === undefined) throw new Error('the directory restored an entry and did not say which');
  const [dn, back, lost] = restored;
  return { dn, named: back, lost };
}

function deletedOf(entry: ClientEntry): z.input<typeof deletedShape> {
  const [by, keptUntil] = [entry.one('stsDeletedBy'), entry.one('stsPurgeTime')];
  return {
    id: entry.one('stsDeletedUUID') ?? '',
    name: entry.one('stsDeletedName') ?? '',
    dn: entry.one('stsDeletedDN') ?? '',
    deleted: entry.one('stsDeletedTime') ?? '',
    ...(by === undefined ? {} : { by }),
    ...(keptUntil === undefined ? {} : { keptUntil }),
  };
}
