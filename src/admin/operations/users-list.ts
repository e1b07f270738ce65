import { z } from 'zod';
import type { ClientEntry } from '#client';
import { barOf, factorAttributes, holdingsOf, validityAttributes, validityOf } from '#holdings';
import { peoplePlace } from './entries-found.ts';
import { nextMember, pageIn, pageMembers } from './paging.ts';
import { operation } from './row.ts';
import { userShape } from './users-shape.ts';

/** What is asked of an entry to say of its person what a list says. */
export const userAttributes: readonly string[] = [
  ...factorAttributes,
  ...validityAttributes,
  'entryUUID',
  'entryCSN',
  'uid',
  'cn',
  'displayName',
  'pwdReset',
  'stsHasPassword',
];
const wordAttributes = ['uid', 'cn', 'displayName', 'mail'];

export const usersList = operation({
  name: 'users.list',
  method: 'GET',
  path: '/admin-api/users',
  scope: 'admin:read',
  summary: 'list persons, with an LDAP filter or a word, page by page',
  input: z.strictObject({
    filter: z.string().max(4096).optional().describe('An LDAP filter (RFC 4515), such as (department=Sales).'),
    q: z.string().min(1).max(200).optional().describe('A word of the uid, the names or the address.'),
    ...pageMembers,
  }),
  output: z.strictObject({ users: z.array(userShape), ...nextMember }),
  audit: 'persons listed',
  command: 'person list',
  run: async (call, asked) => {
    const { entries, ...next } = await pageIn(call, peoplePlace, asked, wordAttributes, userAttributes);
    const nowMs = call.deps.clock.nowMs();
    return { users: entries.map((entry) => userOf(entry, nowMs)), ...next };
  },
});

/** What is said of a person, from `userAttributes` of their entry. */
export function userOf(entry: ClientEntry, nowMs: number): z.input<typeof userShape> {
  const { keys, app, recoveryCodesLeft, mfaRequired } = holdingsOf(entry);
  const uid = entry.one('uid');
  const name = entry.one('displayName') ?? entry.one('cn');
  const bar = barOf(
    validityOf((attribute) => entry.one(attribute)),
    nowMs,
  );
  return {
    dn: entry.dn,
    id: entry.one('entryUUID') ?? '',
    ...(uid === undefined ? {} : { uid }),
    ...(name === undefined ? {} : { name }),
    mail: [...entry.all('mail')],
    state: bar ?? 'enabled',
    mustChangePassword: isTrue(entry.one('pwdReset')),
    mfaRequired,
    hasPassword: isTrue(entry.one('stsHasPassword')),
    keys: keys.map(({ id, name: called, role, addedMs, attestation }) => ({
      id,
      name: called,
      role,
      added: new Date(addedMs).toISOString(),
      ...(attestation.model === undefined ? {} : { model: attestation.model }),
      attestation: attestation.proved,
    })),
    authenticatorApp: app !== undefined,
    ...(recoveryCodesLeft === undefined ? {} : { recoveryCodesLeft }),
    etag: entry.one('entryCSN') ?? '',
  };
}

function isTrue(value: string | undefined): boolean {
  return value?.toUpperCase() === 'TRUE';
}
