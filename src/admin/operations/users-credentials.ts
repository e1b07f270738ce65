import { z } from 'zod';
import { utf8 } from '#base';
import { refuse } from '#catalogue';
import { factorAttributes, holdingsOf, printSecurityKey, type SecurityKey } from '#holdings';
import { decodeBer, encodeBer } from '#ldap';
import { errors } from '../errors.ts';
import { findOne, peoplePlace } from './entries-found.ts';
import { replacing } from './entry-shape.ts';
import { type Call, type Operation, operation } from './row.ts';
import { Unfit } from './unfit.ts';
import { userMember } from './users-shape.ts';

const issueLinkOid = '2.25.83716444157178576224225129172109131643.6.85';
const linkTags = { mail: 0x80, link: 0x80 } as const;
const linkInput = z.strictObject({
  user: userMember,
  deliver: z
    .literal('mail')
    .optional()
    .describe('Mailed to the address of the entry, and shown to nobody. Without, the answer has the link, once.'),
});
const linkOutput = z.strictObject({ dn: z.string(), until: z.iso.datetime(), link: z.string().optional() });

const issuePasswordReset = operation({
  name: 'users.issue-password-reset',
  method: 'POST',
  path: '/admin-api/users/issue-password-reset',
  scope: 'admin:write',
  summary: 'take a person’s password away, sign them out everywhere, and issue a link by which they set another, once',
  input: linkInput,
  output: linkOutput,
  audit: 'a reset link for {user}',
  console: {
    on: 'users/person',
    title: 'Send a reset link',
    verb: 'Issue the link',
    danger: 'The password of {user} is taken away, and their sessions and connections end at once.',
  },
  command: 'person reset-password',
  run: (call, { user, deliver }) => issueLink(call, 'reset', user, deliver === 'mail'),
});

const issueActivation = operation({
  name: 'users.issue-activation',
  method: 'POST',
  path: '/admin-api/users/issue-activation',
  scope: 'admin:write',
  summary: 'issue a link by which a person sets a password, or enrols a key or an authenticator app, once',
  input: linkInput,
  output: linkOutput,
  audit: 'an activation link for {user}',
  console: { on: 'users/person', title: 'Send an activation link', verb: 'Issue the link' },
  command: 'person invite',
  run: (call, { user, deliver }) => issueLink(call, 'activation', user, deliver === 'mail'),
});

const setPassword = operation({
  name: 'users.set-password',
  method: 'POST',
  path: '/admin-api/users/set-password',
  scope: 'admin:write',
  summary: 'set a person’s password, or have one generated that keeps the policy',
  fields: { userpassword: 'password' },
  input: z.strictObject({
    user: userMember,
    password: z.string().min(1).max(1000).optional().describe('Absent: one is generated, and told once.'),
    mustChange: z.boolean().default(false).describe('Whether they must change it before they use it.'),
  }),
  output: z.strictObject({ dn: z.string(), password: z.string().optional().describe('The one that was generated.') }),
  audit: 'the password of {user} set',
  console: {
    on: 'users/person',
    title: 'Set a password',
    verb: 'Set',
    danger: 'The password that {user} has is worth nothing from then on.',
  },
  command: 'person set-password',
  run: async (call, { user, password, mustChange }) => {
    const { dn } = await findOne(call, peoplePlace, user, ['1.1'], 'user');
    const mark = replacing('pwdReset', ...(mustChange ? ['TRUE'] : []));
    if (password !== undefined) {
      await call.actor.modify(dn, [replacing('userPassword', password), mark]);
      return { dn };
    }
    // A mark that is set comes first, one that is taken away last: neither password is good for longer than it should be.
    if (mustChange) await call.actor.modify(dn, [mark]);
    const generated = await call.actor.generatePassword(dn);
    if (!mustChange) await call.actor.modify(dn, [mark]);
    return { dn, password: generated };
  },
});

const clearKey = operation({
  name: 'users.clear-key',
  method: 'POST',
  path: '/admin-api/users/clear-key',
  scope: 'admin:write',
  summary: 'remove a security key of a person, or all of them',
  input: z.strictObject({ user: userMember, key: z.base64url().max(2000).optional().describe('The credential id; absent: all keys.') }),
  output: z.strictObject({ dn: z.string(), removed: z.int().nonnegative() }),
  audit: 'security keys of {user} removed',
  console: { on: 'users/person', title: 'Remove a security key', verb: 'Remove', danger: '{user} cannot sign in with it any more.' },
  command: 'person clear-key',
  terminal: { examples: [{ line: 'atrium person clear-key dkhalil --yes' }] },
  run: async (call, { user, key }) => {
    const entry = await findOne(call, peoplePlace, user, factorAttributes, 'user');
    const { keys } = holdingsOf(entry);
    const meant = key === undefined ? keys : keys.filter(({ id }) => id === key);
    if (key !== undefined && meant.length === 0) throw new Unfit({ field: 'key', message: 'They have no such key.' });
    if (meant.length > 0) await call.actor.modify(entry.dn, removalOf(meant));
    return { dn: entry.dn, removed: meant.length };
  },
});

const clearTotp = operation({
  name: 'users.clear-totp',
  method: 'POST',
  path: '/admin-api/users/clear-totp',
  scope: 'admin:write',
  summary: 'remove a person’s authenticator app: their password, or another factor of theirs, is what is left',
  input: z.strictObject({ user: userMember }),
  output: z.strictObject({ dn: z.string(), removed: z.boolean() }),
  audit: 'the authenticator app of {user} removed',
  console: { on: 'users/person', title: 'Remove the authenticator app', verb: 'Remove', danger: 'Codes of it are worth nothing any more.' },
  command: 'person clear-totp',
  terminal: { examples: [{ line: 'atrium person clear-totp dkhalil --yes' }] },
  run: async (call, { user }) => {
    const entry = await findOne(call, peoplePlace, user, ['stsAuthenticatorApp'], 'user');
    const removed = entry.has('stsAuthenticatorApp');
    if (removed) await call.actor.modify(entry.dn, [replacing('stsTotpCredential')]);
    return { dn: entry.dn, removed };
  },
});

const clearBackupCodes = operation({
  name: 'users.clear-backup-codes',
  method: 'POST',
  path: '/admin-api/users/clear-backup-codes',
  scope: 'admin:write',
  summary: 'delete a person’s recovery codes',
  input: z.strictObject({ user: userMember }),
  output: z.strictObject({ dn: z.string(), removed: z.boolean() }),
  audit: 'the recovery codes of {user} deleted',
  console: {
    on: 'users/person',
    title: 'Delete the recovery codes',
    verb: 'Delete',
    danger: 'The codes that {user} has printed are worth nothing any more.',
  },
  command: 'person clear-backup-codes',
  terminal: { examples: [{ line: 'atrium person clear-backup-codes dkhalil --yes' }] },
  run: async (call, { user }) => {
    const entry = await findOne(call, peoplePlace, user, ['stsRecoveryCodesLeft'], 'user');
    const removed = entry.has('stsRecoveryCodesLeft');
    if (removed) await call.actor.modify(entry.dn, [replacing('stsRecoveryCode')]);
    return { dn: entry.dn, removed };
  },
});

export const userCredentialRows: readonly Operation[] = [
  issuePasswordReset,
  issueActivation,
  setPassword,
  clearKey,
  clearTotp,
  clearBackupCodes,
];

async function issueLink(call: Call, kind: 'activation' | 'reset', user: string, mails: boolean): Promise<z.input<typeof linkOutput>> {
  const { dn } = await findOne(call, peoplePlace, user, ['1.1'], 'user');
  const asked = encodeBer((ber) =>
    ber.sequence(() => {
      ber.string(kind);
      ber.string(dn);
      if (mails) ber.boolean(true, linkTags.mail);
    }),
  );
  const answer = await call.actor.extended(issueLinkOid, asked);
  const issued =
    answer &&
    decodeBer(answer, (ber) => ber.sequence(() => [Number(ber.string()), ber.more ? ber.string(linkTags.link) : undefined] as const));
  if (issued === undefined) throw refuse(errors.busy);
  const [untilMs, link] = issued;
  return { dn, until: new Date(untilMs).toISOString(), ...(link === undefined ? {} : { link }) };
}

/** Each key by its own values: one that is enrolled meanwhile stays. */
function removalOf(keys: readonly SecurityKey[]) {
  return [
    { operation: 'delete', attribute: { description: 'stsWebauthnCredential', values: keys.map((key) => utf8(printSecurityKey(key))) } },
    {
      operation: 'delete',
      attribute: { description: 'stsCredentialId', values: keys.map(({ id }) => new Uint8Array(Buffer.from(id, 'base64url'))) },
    },
  ] as const;
}
