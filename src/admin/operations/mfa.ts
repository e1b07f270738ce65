import { z } from 'zod';
import type { ClientEntry } from '#client';
import { factorAttributes, holdingsOf } from '#holdings';
import { peoplePlace } from './entries-found.ts';
import { nextMember, pageMembers, pageOf } from './paging.ts';
import { type Operation, operation } from './row.ts';

const holderShape = z.strictObject({
  dn: z.string(),
  id: z.string(),
  uid: z.string().optional(),
  secondFactorKeys: z.int().nonnegative(),
  passwordlessKeys: z.int().nonnegative(),
  authenticatorApp: z.boolean(),
  recoveryCodesLeft: z.int().nonnegative().optional(),
  email: z.boolean().describe('Whether they want codes by mail, to an address that is verified.'),
  required: z.boolean().describe('Whether a second factor is required of them by themselves.'),
});

/** Searches of one call, however few are wanted of each. */
const turnsMax = 100;

const roster = operation({
  name: 'mfa.list',
  method: 'GET',
  path: '/admin-api/mfa',
  scope: 'admin:read',
  summary: 'list who holds which factor, and how many recovery codes are left',
  more: 'Reads at most `credentials.factorScanLimit` entries; `next` goes on where it stopped, whether it has found anybody or not.',
  input: z.strictObject({
    ...pageMembers,
    all: z.stringbool().default(false).describe('Those who hold nothing, too.'),
  }),
  output: z.strictObject({ holders: z.array(holderShape), read: z.int().nonnegative().describe('Entries that were read.'), ...nextMember }),
  audit: 'the factors of people listed',
  command: 'mfa list',
  terminal: {
    list: { of: 'holders', columns: ['uid', 'secondFactorKeys', 'passwordlessKeys', 'authenticatorApp', 'recoveryCodesLeft', 'email'] },
    examples: [{ line: 'atrium mfa list' }, { line: 'atrium mfa list --all --limit 20' }],
  },
  run: async (call, { limit, after, all }) => {
    const base = `${peoplePlace.below},${call.realm.suffix}`;
    const scanMax = Number(call.deps.settingsOf(call.realm.id)['credentials.factorScanLimit']);
    const holders: z.input<typeof holderShape>[] = [];
    let read = 0;
    let turns = 0;
    let next = after;
    do {
      // No more than are still wanted: `next` is behind all that were read.
      const size = Math.min(limit - holders.length, scanMax - read);
      const search = { base, scope: 'sub', filter: peoplePlace.isOne, attributes: [...factorAttributes, 'entryUUID', 'uid'] } as const;
      const page = await pageOf(call, search, { limit: size, after: next });
      read += page.entries.length;
      next = page.next;
      holders.push(...page.entries.map(holderOf).filter((each) => all || holdsAny(each)));
    } while (next !== undefined && read < scanMax && holders.length < limit && ++turns < turnsMax);
    return { holders, read, ...(next === undefined ? {} : { next }) };
  },
});

export const mfaRows: readonly Operation[] = [roster];

function holderOf(entry: ClientEntry): z.input<typeof holderShape> {
  const { keys, app, recoveryCodesLeft, email, mfaRequired } = holdingsOf(entry);
  const uid = entry.one('uid');
  return {
    ...{ dn: entry.dn, id: entry.one('entryUUID') ?? '' },
    ...(uid === undefined ? {} : { uid }),
    secondFactorKeys: keys.filter(({ role }) => role === 'mfa').length,
    passwordlessKeys: keys.filter(({ role }) => role === 'primary').length,
    authenticatorApp: app !== undefined,
    ...(recoveryCodesLeft === undefined ? {} : { recoveryCodesLeft }),
    email: email?.verified === true && email.optedIn,
    required: mfaRequired,
  };
}

function holdsAny(holder: z.input<typeof holderShape>): boolean {
  const { secondFactorKeys, passwordlessKeys, authenticatorApp, recoveryCodesLeft, email, required } = holder;
  return secondFactorKeys + passwordlessKeys > 0 || authenticatorApp || recoveryCodesLeft !== undefined || email || required;
}
