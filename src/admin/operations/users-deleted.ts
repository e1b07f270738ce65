import { z } from 'zod';
import { refuse } from '#catalogue';
import { allOf, anyOf, type ClientEntry, equals } from '#client';
import { decodeBer, encodeBer } from '#ldap';
import { errors } from '../errors.ts';
import { nextMember, pageMembers, pageOf } from './paging.ts';
import { type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';

const restoreOid = '2.25.83716444157178576224225129172109131643.6.75';
const attributes = ['stsDeletedUUID', 'stsDeletedName', 'stsDeletedDN', 'stsDeletedTime', 'stsDeletedBy', 'stsPurgeTime'];
const isDeleted = equals('objectClass', 'stsTombstone');

const deletedShape = z.strictObject({
  id: z.string().describe('The entryUUID that they had, and will have again.'),
  name: z.string(),
  dn: z.string().describe('Where they stood.'),
  deleted: z.string().describe('GeneralizedTime.'),
  by: z.string().optional(),
  keptUntil: z.string().optional(),
});

const list = operation({
  name: 'users.deleted',
  method: 'GET',
  path: '/admin-api/users/deleted',
  scope: 'admin:read',
  summary: 'list the people who were deleted and can be restored, page by page',
  input: z.strictObject(pageMembers),
  output: z.strictObject({ deleted: z.array(deletedShape), ...nextMember }),
  audit: 'deleted people listed',
  command: 'person list --deleted',
  run: async (call, page) => {
    const options = { base: call.realm.suffix, scope: 'one', filter: isDeleted, attributes, showDeleted: true } as const;
    const { entries, ...next } = await pageOf(call, options, page);
    return { deleted: entries.map(deletedOf), ...next };
  },
});

const restore = operation({
  name: 'users.restore',
  method: 'POST',
  path: '/admin-api/users/restore',
  scope: 'admin:write',
  summary: 'restore somebody who was deleted: their entry and the groups that named them, without what they signed in with',
  input: z.strictObject({ user: z.string().min(1).max(1000).describe('The uid, entryUUID or DN that they had.') }),
  output: z.strictObject({
    dn: z.string(),
    named: z.array(z.string()).describe('Entries that name them again.'),
    lost: z.array(z.string()).describe('References that could not be made again.'),
  }),
  audit: '{user} restored',
  console: { on: 'users', title: 'Restore', verb: 'Restore' },
  command: 'person restore',
  run: async ({ actor, realm }, { user }) => {
    const isThis = anyOf(...['stsDeletedUUID', 'stsDeletedName', 'stsDeletedDN'].map((name) => equals(name, user)));
    const search = {
      base: realm.suffix,
      scope: 'one',
      filter: allOf(isDeleted, isThis),
      attributes,
      sizeLimit: 2,
      showDeleted: true,
    } as const;
    const [stone, another] = (await actor.search(search)).entries;
    if (stone === undefined) throw refuse(errors.absent, { what: 'deleted person' });
    if (another !== undefined) throw new Unfit({ field: 'user', message: 'Several were called so. Name one by its entryUUID.' });
    const answer = await actor.extended(
      restoreOid,
      encodeBer((ber) => ber.sequence(() => ber.string(stone.dn))),
    );
    const restored =
      answer &&
      decodeBer(answer, (ber) => ber.sequence(() => [ber.string(), ber.list(() => ber.string()), ber.list(() => ber.string())] as const));
    if (restored === undefined) throw new Error('the directory restored somebody and did not say whom');
    const [dn, named, lost] = restored;
    return { dn, named, lost };
  },
});

export const userDeletedRows: readonly Operation[] = [list, restore];

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
