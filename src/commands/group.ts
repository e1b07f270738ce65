import type { Command } from './command.ts';
import { json, limit, realm, yes } from './options.ts';

/** What a command does to groups is loaded with it; these are the rows. */
const which = { name: 'GROUP', means: 'a cn, or a DN' } as const;
const members = { name: 'MEMBER', many: true, means: 'a person or a group: a uid, a mail address, a cn or a DN' } as const;

export const groupCommands = {
  'group list': {
    means: 'list groups',
    on: 'either',
    operands: [{ name: 'WORD', many: true, optional: true, means: 'only those that have each of the words in their name or description' }],
    options: {
      of: { value: 'MEMBER', means: 'only the groups of this person or group, those through other groups included' },
      deleted: { means: 'those that were removed and can be restored' },
      limit,
      realm,
      json,
    },
    examples: [
      { line: 'atrium group list' },
      { line: 'atrium group list sales' },
      { line: 'atrium group list --of dkhalil --json' },
      { line: 'atrium group list --deleted' },
    ],
    run: async (given, context) =>
      given.flag('deleted')
        ? (await import('./restore-deleted.ts')).listDeleted('groups', given, context)
        : (await import('./group-list.ts')).listGroups(given, context),
  },
  'group add': {
    means: 'add a group',
    more: ['The entry is a groupOfNames below ou=groups, which has at least one member.'],
    on: 'either',
    operands: [{ name: 'GROUP', means: 'its cn' }, members],
    options: { description: { value: 'TEXT', means: 'what it is for' }, realm, json },
    examples: [{ line: "atrium group add climbers dkhalil --description 'Thursdays after work'" }],
    run: async (given, context) => (await import('./group-change.ts')).addGroup(given, context),
  },
  'group show': {
    means: 'show a group with its members',
    on: 'either',
    operands: [which],
    options: { nested: { means: 'with the members of the groups within it' }, realm, json },
    examples: [{ line: 'atrium group show engineering' }, { line: 'atrium group show engineering --nested --json' }],
    run: async (given, context) => (await import('./group-show.ts')).showGroup(given, context),
  },
  'group add-member': {
    means: 'add members to a group',
    more: ['Who is a member already stays one, and is told.'],
    on: 'either',
    operands: [which, members],
    options: { realm, json },
    examples: [
      { line: 'atrium group add-member engineering dkhalil' },
      { line: 'atrium group add-member engineering platform', does: 'a group within a group' },
    ],
    run: async (given, context) => (await import('./group-change.ts')).addMembers(given, context),
  },
  'group remove-member': {
    means: 'take members out of a group',
    more: ['Who is no member is told. The last member stays: a group has at least one.'],
    on: 'either',
    operands: [which, members],
    options: { realm, json },
    examples: [{ line: 'atrium group remove-member engineering platform' }],
    run: async (given, context) => (await import('./group-change.ts')).removeMembers(given, context),
  },
  'group remove': {
    means: 'remove a group',
    more: [
      'Its members stay. The directory takes its name out of other groups in the same moment. For directory.tombstoneDays atrium group restore brings it back.',
    ],
    on: 'either',
    operands: [which],
    options: { yes, realm, json },
    destroys: 'the group’s entry with its list of members',
    examples: [
      { line: 'atrium group remove design', does: 'without a terminal it refuses', status: 2 },
      { line: 'atrium group remove design --yes' },
    ],
    run: async (given, context) => (await import('./group-change.ts')).removeGroup(given, context),
  },
  'group restore': {
    means: 'bring a group back that was removed',
    more: [
      'The entry is as it was, with its entryUUID; of its members those are in it again that are there, under the names that they have now, and the groups that it was in have it again. A name that is another’s by now is not taken from it.',
    ],
    on: 'either',
    operands: [{ name: 'GROUP', means: 'a cn, a DN or an entryUUID, as atrium group list --deleted tells it' }],
    options: { realm, json },
    examples: [{ line: 'atrium group restore design', status: 3 }],
    run: async (given, context) => (await import('./restore-deleted.ts')).restoreDeleted('groups', given, context),
  },
} as const satisfies Record<string, Command>;
