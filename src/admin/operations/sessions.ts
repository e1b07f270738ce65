import { z } from 'zod';
import { utf8 } from '#base';
import { anyOf, ClientRefusal, equals } from '#client';
import { resultCodes } from '#ldap';
import type { Session } from '#sessions';
import { findOne, peoplePlace } from './entries-found.ts';
import { nextMember, nextOf, numberedMembers, numberOf } from './paging.ts';
import { type Call, type Operation, operation } from './row.ts';
import { userMember } from './users-shape.ts';

const sessionShape = z.strictObject({
  sid: z.string().describe('Stays for the life of the session; it opens nothing.'),
  userId: z.string().optional().describe('The entryUUID of whose it is; absent for somebody who did not sign in.'),
  username: z.string().optional().describe('What they are called; absent where there is nobody whom the caller may see.'),
  address: z.string().optional().describe('Where they signed in from last.'),
  ways: z.array(z.string()).describe('How they signed in then.'),
  began: z.iso.datetime(),
  lastUsed: z.iso.datetime(),
  ends: z.iso.datetime().describe('At the latest.'),
  events: z.array(
    z.strictObject({ when: z.iso.datetime(), amr: z.array(z.string()), acr: z.string(), door: z.string(), address: z.string() }),
  ),
});
const list = operation({
  name: 'sessions.list',
  method: 'GET',
  path: '/admin-api/sessions',
  scope: 'admin:read',
  summary: 'list the sessions of the realm, or of a person, the one used last first, page by page',
  input: z.strictObject({ user: userMember.optional(), ...numberedMembers }),
  output: z.strictObject({ sessions: z.array(sessionShape), ...nextMember }),
  audit: 'sessions listed',
  command: 'session list',
  terminal: {
    list: { of: 'sessions', columns: ['sid', 'username', 'address', 'ways', 'began', 'lastUsed'] },
    examples: [{ line: 'atrium session list' }, { line: 'atrium session list --user dkhalil --json' }],
  },
  run: async (call, { user, limit, after }) => {
    const whose = user === undefined ? undefined : await findOne(call, peoplePlace, user, ['entryUUID'], 'user');
    const asked = { limit, behind: numberOf(after), ...(whose === undefined ? {} : { entryUuid: whose.one('entryUUID') ?? '' }) };
    const { sessions, next } = await call.deps.sessions.page(call.realm.id, asked);
    const names = await namesOf(call, [...new Set(sessions.flatMap((each) => (each.authenticated ? [each.entryUuid] : [])))]);
    return { sessions: sessions.map((each) => shownOf(each, names.get(each.entryUuid))), ...nextOf(next) };
  },
});

/** What people are called whom the caller may see, by their entryUUID. */
async function namesOf({ actor, realm }: Call, uuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (uuids.length === 0) return new Map();
  const { below, namedBy } = peoplePlace;
  const isOne = anyOf(...uuids.map((each) => equals('entryUUID', each)));
  const attributes = ['entryUUID', ...namedBy];
  const { entries } = await actor.search({
    base: `${below},${realm.suffix}`,
    scope: 'sub',
    filter: isOne,
    attributes,
    sizeLimit: uuids.length,
  });
  return new Map(entries.map((entry) => [entry.one('entryUUID') ?? '', namedBy.map((name) => entry.one(name))[0] ?? entry.dn]));
}

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
  command: 'session end',
  terminal: {
    examples: [{ line: 'atrium session end dkhalil nothing-like-it --yes', does: 'where there is none any more, nothing is ended' }],
  },
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
  command: 'session end-all',
  terminal: { examples: [{ line: 'atrium session end-all dkhalil --yes' }] },
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

function shownOf(
  { sid, entryUuid, authenticated, events, createdMs, lastUsedMs, endsAtMs }: Session,
  username: string | undefined,
): z.input<typeof sessionShape> {
  const last = events.at(-1);
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    sid,
    ...(authenticated ? { userId: entryUuid } : {}),
    ...(authenticated && username !== undefined ? { username } : {}),
    ...(last === undefined ? {} : { address: last.address }),
    ways: [...(last?.mechanisms ?? last?.amr ?? [])],
    began: time(createdMs),
    lastUsed: time(lastUsedMs),
    ends: time(endsAtMs),
    events: events.map(({ whenMs, amr, acr, door, address }) => ({ when: time(whenMs), amr: [...amr], acr, door, address })),
  };
}
