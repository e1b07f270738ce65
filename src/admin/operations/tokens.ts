import { z } from 'zod';
import { Refusal, refuse } from '#catalogue';
import type { SetView, TokenSets } from '#oauth';
import { errors } from '../errors.ts';
import { applicationsPlace } from './applications.ts';
import { findOne, peoplePlace } from './entries-found.ts';
import { nextMember, nextOf, numberedMembers, numberOf } from './paging.ts';
import { type Call, type Operation, operation } from './row.ts';
import { writable } from './sessions.ts';
import { userMember } from './users-shape.ts';

/** @see specification document 1, "Token set view" */
const setShape = z.strictObject({
  audience: z.array(z.string()),
  client_id: z.string(),
  family: z.string(),
  grant: z.string(),
  scope: z.string(),
  sub: z.string(),
  username: z.string(),
  sessionId: z.string(),
  setId: z.string(),
  setKey: z.string(),
  size: z.int().nonnegative(),
  members: z.array(z.strictObject({ kind: z.string(), state: z.string(), issuedAt: z.number(), expiresAtMs: z.number() })),
  families: z.array(z.string()),
  expiresAtMs: z.number(),
  issuedAt: z.number(),
  lastExpiresAtMs: z.number(),
  revocableCount: z.number(),
  revokedCount: z.number(),
  grouped: z.boolean(),
  sessionAuthenticated: z.boolean(),
  kinds: z.array(z.string()),
  state: z.string(),
  states: z.record(z.string(), z.number()),
});
const setKey = z.string().min(1).max(200).describe('Of the set, as it is listed; it opens nothing.');
const offered = ({ tokens }: Call['deps']) => tokens !== undefined;

const list = operation({
  name: 'tokens.list',
  method: 'GET',
  path: '/admin-api/tokens',
  scope: 'admin:read',
  summary: 'list what was issued: the token sets of the realm, of a person or of an application, the newest first, page by page',
  input: z.strictObject({
    user: userMember.optional(),
    application: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('The application: its client id, its name (cn), its entryUUID, or its DN.'),
    ...numberedMembers,
  }),
  output: z.strictObject({ sets: z.array(setShape), ...nextMember }),
  audit: 'token sets listed',
  offered,
  command: 'token-set list',
  terminal: {
    list: { of: 'sets', columns: ['setKey', 'username', 'client_id', 'scope', 'state', 'kinds'] },
    examples: [{ line: 'atrium token-set list' }, { line: 'atrium token-set list --user dkhalil' }],
  },
  run: async (call, { user, application, limit, after }) => {
    const person = user === undefined ? undefined : await findOne(call, peoplePlace, user, ['entryUUID'], 'user');
    const client =
      application === undefined ? undefined : await findOne(call, applicationsPlace, application, ['stsClientId', 'cn'], 'application');
    const entryUuid = person?.one('entryUUID');
    const clientId = client?.one('stsClientId');
    if (client !== undefined && clientId === undefined) return { sets: [] };
    const whose = { ...(entryUuid === undefined ? {} : { entryUuid }), ...(clientId === undefined ? {} : { clientId }) };
    const { sets, next } = await setsOf(call).list(call.realm, whose, limit, numberOf(after));
    return { sets: sets.map(shownOf), ...nextOf(next) };
  },
});

const open = operation({
  name: 'tokens.set',
  method: 'GET',
  path: '/admin-api/tokens/set',
  scope: 'admin:read',
  summary: 'open one token set: what came of one authorization, and what it is worth at this moment',
  input: z.strictObject({ setKey }),
  output: z.strictObject({ found: z.boolean(), set: setShape.nullable(), setKey: z.string(), why: z.string() }),
  audit: 'token set {setKey} opened',
  offered,
  command: 'token-set show',
  terminal: { examples: [{ line: 'atrium token-set show nothing-like-it', does: 'which is not there', status: 3 }] },
  run: async (call, { setKey: key }) => {
    const { found, set, setKey: named, why } = await setsOf(call).open(call.realm, key);
    return { found, set: set === null ? null : shownOf(set), setKey: named, why };
  },
});

const revoke = operation({
  name: 'tokens.revoke',
  method: 'POST',
  path: '/admin-api/tokens/revoke',
  scope: 'admin:write',
  summary: 'revoke a token set: nothing that came of that authorization is worth anything any more',
  input: z.strictObject({ setKey }),
  output: z.strictObject({ revoked: z.boolean().describe('False when it was worth nothing before.') }),
  audit: 'token set {setKey} revoked',
  offered,
  console: { on: 'tokens', title: 'Revoke', verb: 'Revoke', danger: 'Whoever holds tokens of this set is refused with them at once.' },
  command: 'token-set revoke',
  terminal: { examples: [{ line: 'atrium token-set revoke nothing-like-it --yes', does: 'which is not there', status: 3 }] },
  run: async (call, { setKey: key }) => {
    const { set } = await setsOf(call).open(call.realm, key);
    if (set === null) throw refuse(errors.absent, { what: 'token set', field: 'setKey' });
    await mayEnd(call, set);
    return { revoked: await setsOf(call).revoke(call.realm, key) };
  },
});

export const tokenRows: readonly Operation[] = [list, open, revoke];

function setsOf({ deps }: Call): TokenSets {
  if (deps.tokens === undefined) throw new Error('an operation that is not offered was called');
  return deps.tokens;
}

/** Tokens are no entries: who may disable whom they were issued to may end them. When that one is gone, nobody has to be asked. */
async function mayEnd(call: Call, { sub, client_id }: SetView): Promise<void> {
  const [place, named] = sub.startsWith('urn:uuid:') ? [peoplePlace, sub] : [applicationsPlace, client_id];
  const find = (actor: Call['actor']) => findOne({ actor, realm: call.realm }, place, named, ['1.1'], 'setKey');
  const entry = await found(find(call.actor));
  if (entry !== undefined) return writable(call, entry.dn);
  if ((await found(find(call.deps.client.as('self')))) !== undefined) throw refuse(errors.forbidden);
}

async function found(finding: ReturnType<typeof findOne>): Promise<Awaited<typeof finding> | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof Refusal && error.row === errors.absent) return undefined;
    throw error;
  }
}

function shownOf(set: SetView): z.input<typeof setShape> {
  const { audience, members, families, kinds, states } = set;
  return {
    ...set,
    ...{ audience: [...audience], families: [...families], kinds: [...kinds], states: { ...states } },
    members: members.map((member) => ({ ...member })),
  };
}
