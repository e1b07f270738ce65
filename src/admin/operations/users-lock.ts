import { z } from 'zod';
import { utf8 } from '#base';
import { findOne, peoplePlace } from './entries-found.ts';
import { type Call, operation } from './row.ts';
import { userMember } from './users-shape.ts';

/** Locked until somebody unlocks it (draft-behera-ldap-password-policy §5.3.3). */
const lockedForGood = '000001010000Z';
const input = z.strictObject({ user: userMember });
const output = z.strictObject({ dn: z.string(), disabled: z.boolean(), changed: z.boolean().describe('False when it was so before.') });

export const usersDisable = operation({
  name: 'users.disable',
  method: 'POST',
  path: '/admin-api/users/disable',
  scope: 'admin:write',
  summary: 'disable a person: every door refuses them, and what they are signed in with ends',
  input,
  output,
  audit: '{user} disabled',
  console: {
    on: 'users/person',
    title: 'Disable',
    verb: 'Disable',
    danger: '{user} can sign in nowhere any more. Their sessions, tokens and LDAP connections end at once. Nothing of them is deleted.',
  },
  command: 'person disable',
  run: (call, { user }) => lock(call, user, true),
});

export const usersEnable = operation({
  name: 'users.enable',
  method: 'POST',
  path: '/admin-api/users/enable',
  scope: 'admin:write',
  summary: 'enable a person who was disabled; nothing that ended comes back',
  input,
  output,
  audit: '{user} enabled',
  console: { on: 'users/person', title: 'Enable', verb: 'Enable' },
  command: 'person enable',
  run: (call, { user }) => lock(call, user, false),
});

async function lock(call: Call, user: string, disabled: boolean): Promise<z.input<typeof output>> {
  const { dn, ...entry } = await findOne(call, peoplePlace, user, ['pwdAccountLockedTime'], 'user');
  const changed = entry.has('pwdAccountLockedTime') !== disabled;
  if (changed) {
    const values = disabled ? [utf8(lockedForGood)] : [];
    await call.actor.modify(dn, [{ operation: 'replace', attribute: { description: 'pwdAccountLockedTime', values } }]);
  }
  return { dn, disabled, changed };
}
