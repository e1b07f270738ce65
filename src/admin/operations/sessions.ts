import { z } from 'zod';
import { utf8 } from '#base';
import { ClientRefusal } from '#client';
import { resultCodes } from '#ldap';
import type { Session } from '#sessions';
import { findOne, peoplePlace } from './entries-found.ts';
import { type Call, type Operation, operation } from './row.ts';
import { userMember } from './users-shape.ts';

const sessionShape = z.strictObject({
  sid: z.string().describe('Stays for the life of the session; it opens nothing.'),
  userId: z.string().optional().describe('The entryUUID of whose it is; absent for somebody who did not sign in.'),
  began: z.iso.datetime(),
  lastUsed: z.iso.datetime(),
  ends: z.iso.datetime().describe('At the latest.'),
  events: z.array(
    z.strictObject({ when: z.iso.datetime(), amr: z.array(z.string()), acr: z.string(), door: z.string(), address: z.string() }),
  ),
});
const limit = z.coerce.number().int().min(1).max(1000).default(50).describe('How many, at most 1000.');

const list = operation({
  name: 'sessions.list',
  method: 'GET',
  path: '/admin-api/sessions',
  scope: 'admin:read',
  summary: 'list the sessions of the realm, or of a person, the one used last first',
  input: z.strictObject({ user: userMember.optional(), limit }),
  output: z.strictObject({ sessions: z.array(sessionShape), more: z.boolean().describe('Whether there are older ones.') }),
  audit: 'sessions listed',
  run: async (call, { user, limit: most }) => {
    const { sessions } = call.deps;
    const { id } = call.realm;
    const whose = user === undefined ? undefined : await findOne(call, peoplePlace, user, ['entryUUID'], 'user');
    const found =
      whose === undefined ? await sessions.latest(id, most + 1) : await sessions.list(id, whose.one('entryUUID') ?? '', most + 1);
    return { sessions: found.slice(0, most).map(shownOf), more: found.length > most };
  },
});

const end = operation({
  name: 'sessions.end',
  method: 'POST',
  path: '/admin-api/sessions/end',
  scope: 'admin:write',
  summary: 'end one session of a person, in whatever browser it is',
  input: z.strictObject({ user: userMember, sid: z.string().min(1).max(200).describe('Of the session, as it is listed.') }),
  output: z.strictObject({ ended: z.boolean().describe('False when there was none any more.') }),
  audit: 'session {sid} of {user} ended',
  console: { on: 'sessions', title: 'End a session', verb: 'End', danger: '{user} is signed out there.' },
  run: async (call, { user, sid }) => {
    const entryUuid = await endable(call, user);
    return { ended: await call.deps.sessions.endOne(call.realm.id, entryUuid, sid, call.visit) };
  },
});

const endAll = operation({
  name: 'users.end-sessions',
  method: 'POST',
  path: '/admin-api/users/end-sessions',
  scope: 'admin:write',
  summary: 'end all sessions of a person, in all browsers',
  input: z.strictObject({ user: userMember }),
  output: z.strictObject({ ended: z.int().nonnegative() }),
  audit: 'all sessions of {user} ended',
  console: {
    on: 'users/person',
    title: 'Sign out everywhere',
    verb: 'Sign out',
    danger: 'All sessions of {user} end at once. They may sign in again.',
  },
  run: async (call, { user }) => {
    const entryUuid = await endable(call, user);
    return { ended: await call.deps.sessions.endAll(call.realm.id, entryUuid, call.visit) };
  },
});

export const sessionRows: readonly Operation[] = [list, end, endAll];

/**
 * Whose sessions the caller may end. Sessions are no entries: who may disable a person may end what they are signed in with, and who that is the directory
 * says. It is asked to take away a value that nobody has, which it refuses in one way to those who may write, and in another to all others.
 *
 * @throws ClientRefusal `insufficientAccessRights`
 */
async function endable(call: Call, user: string): Promise<string> {
  const entry = await findOne(call, peoplePlace, user, ['entryUUID'], 'user');
  await writable(call, entry.dn);
  return entry.one('entryUUID') ?? '';
}

/** @throws ClientRefusal `insufficientAccessRights` for who may not disable an entry */
export async function writable({ actor }: Pick<Call, 'actor'>, dn: string): Promise<void> {
  try {
    await actor.modify(dn, [{ operation: 'delete', attribute: { description: 'pwdAccountLockedTime', values: [utf8(never)] } }]);
  } catch (error) {
    if (!(error instanceof ClientRefusal) || error.code !== resultCodes.noSuchAttribute) throw error;
  }
}

/** A time at which nobody was locked. */
const never = '19000101000000Z';

function shownOf({ sid, entryUuid, authenticated, events, createdMs, lastUsedMs, endsAtMs }: Session): z.input<typeof sessionShape> {
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    sid,
    ...(authenticated ? { userId: entryUuid } : {}),
    began: time(createdMs),
    lastUsed: time(lastUsedMs),
    ends: time(endsAtMs),
    events: events.map(({ whenMs, amr, acr, door, address }) => ({ when: time(whenMs), amr: [...amr], acr, door, address })),
  };
}
