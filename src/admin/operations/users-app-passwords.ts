import { z } from 'zod';
import { type AppPassword, appPasswordAttributes, appPasswordScopes, appPasswordsOf } from '#holdings';
import { findOne, peoplePlace } from './entries-found.ts';
import { type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';
import { userMember } from './users-shape.ts';

const scopes = z.enum(appPasswordScopes);
const moment = z.iso.datetime({ offset: true });

const appPasswordShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  scopes: z.array(scopes),
  added: z.iso.datetime(),
  expires: z.iso.datetime().optional(),
  networks: z.array(z.string()).optional(),
  program: z.string().optional(),
  lastUsed: z.iso.datetime().optional(),
  lastUsedFrom: z.string().optional(),
});

const list = operation({
  name: 'users.app-passwords',
  method: 'GET',
  path: '/admin-api/users/app-passwords',
  scope: 'admin:read',
  summary: 'list the app passwords of a person, page by page',
  input: z.strictObject({
    user: userMember,
    limit: z.coerce.number().int().min(1).max(200).default(50).describe('How many, at most 200.'),
    after: z.string().max(200).optional().describe('`next` of the page before.'),
  }),
  output: z.strictObject({ dn: z.string(), appPasswords: z.array(appPasswordShape), next: z.string().optional() }),
  audit: 'app passwords of {user} listed',
  command: 'person app-password list',
  run: async (call, { user, limit, after }) => {
    const entry = await findOne(call, peoplePlace, user, appPasswordAttributes, 'user');
    const held = appPasswordsOf(entry);
    const from = after === undefined ? 0 : held.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0)
      throw new Unfit({ field: 'after', message: 'is no `next` of a page, or that app password was revoked' });
    const page = held.slice(from, from + limit);
    const last = page.at(-1);
    const more = from + limit < held.length && last !== undefined ? { next: last.id } : {};
    return { dn: entry.dn, appPasswords: page.map(shownOf), ...more };
  },
});

const create = operation({
  name: 'users.create-app-password',
  method: 'POST',
  path: '/admin-api/users/create-app-password',
  scope: 'admin:write',
  summary: 'make an app password for a person; its value is told once',
  status: 201,
  once: true,
  input: z.strictObject({
    user: userMember,
    name: z.string().min(1).max(100).describe('What it is for, as people read it.'),
    scopes: z.array(scopes).min(1).max(appPasswordScopes.length).describe('The doors at which it is good.'),
    expires: moment.optional().describe('From then on it is worth nothing.'),
    networks: z.array(z.string().max(100)).min(1).max(50).optional().describe('Addresses and networks that it may come from.'),
    program: z.string().min(1).max(100).optional(),
  }),
  output: z.strictObject({ dn: z.string(), id: z.string(), value: z.string().describe('Nobody can be told it again.') }),
  audit: 'an app password {name} made for {user}',
  console: { on: 'users/person', title: 'Make an app password', verb: 'Make' },
  command: 'person app-password add',
  run: async (call, { user, expires, name, scopes: asked, networks, program }) => {
    const { dn } = await findOne(call, peoplePlace, user, ['1.1'], 'user');
    const made = await call.actor.makeAppPassword({
      ...{ dn, name, scopes: asked },
      ...(expires === undefined ? {} : { expiresMs: Date.parse(expires) }),
      ...(networks === undefined ? {} : { networks }),
      ...(program === undefined ? {} : { program }),
    });
    return { dn, id: made.id, value: made.value };
  },
});

const revoke = operation({
  name: 'users.revoke-app-password',
  method: 'POST',
  path: '/admin-api/users/revoke-app-password',
  scope: 'admin:write',
  summary: 'revoke an app password of a person, or all of them',
  input: z.strictObject({ user: userMember, id: z.string().min(1).max(200).optional().describe('Absent: all of them.') }),
  output: z.strictObject({ dn: z.string(), revoked: z.int().nonnegative() }),
  audit: 'app passwords of {user} revoked',
  console: { on: 'users/person', title: 'Revoke an app password', verb: 'Revoke', danger: 'Programs that use it come in no more.' },
  command: 'person app-password revoke',
  run: async (call, { user, id }) => {
    const { dn } = await findOne(call, peoplePlace, user, ['1.1'], 'user');
    return { dn, revoked: await call.actor.revokeAppPassword({ dn, ...(id === undefined ? {} : { id }) }) };
  },
});

export const userAppPasswordRows: readonly Operation[] = [list, create, revoke];

function shownOf({
  id,
  name,
  scopes: doors,
  addedMs,
  expiresMs,
  networks,
  program,
  lastUsedMs,
  lastUsedFrom,
}: AppPassword): z.input<typeof appPasswordShape> {
  return {
    ...{ id, name, scopes: [...doors], added: new Date(addedMs).toISOString() },
    ...(expiresMs === undefined ? {} : { expires: new Date(expiresMs).toISOString() }),
    ...(networks === undefined ? {} : { networks: [...networks] }),
    ...(program === undefined ? {} : { program }),
    ...(lastUsedMs === undefined ? {} : { lastUsed: new Date(lastUsedMs).toISOString() }),
    ...(lastUsedFrom === undefined ? {} : { lastUsedFrom }),
  };
}
