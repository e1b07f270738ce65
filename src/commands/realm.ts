import type { Command } from './command.ts';
import { json, realmOperand, yes } from './options.ts';

/** What a command does to realms is loaded with it; these are the rows. */
export const realmCommands = {
  'realm list': {
    means: 'list realms',
    on: 'either',
    options: { json },
    examples: [{ line: 'atrium realm list' }, { line: 'atrium realm list --json' }],
    run: async (given, context) => (await import('./realm-change.ts')).listRealms(given, context),
  },
  'realm create': {
    means: 'make a realm, and invite its administrator',
    more: [
      'A realm has people, groups, policies and settings of its own, below a suffix of its own: that of its domain where it has one, else o=<ID>. Its id, and whether it has a domain and which, stay as they are for good. The id is lower-case letters, digits and hyphens, at most 31.',
      'Its administrator is printed with a password that the realm’s pages take, and LDAP does not before another one is set: atrium person set-password. It is not to be had again: atrium realm invite makes another one.',
    ],
    on: 'either',
    operands: [{ name: 'ID', means: 'what the realm is called in paths and commands' }],
    options: {
      domain: { value: 'NAME', means: 'its domain, of two labels or more' },
      name: { value: 'NAME', means: 'what its pages are headed with' },
      mode: { value: 'MODE', type: ['product', 'development'], means: 'product or development; the service’s unless given' },
      setting: { value: 'NAME=VALUE', many: true, means: 'a setting that it has of its own' },
      json,
    },
    examples: [
      { line: 'atrium realm create acme' },
      { line: "atrium realm create north --domain north.example.org --name 'North Ltd' --setting authn.maxSessions=500" },
      { line: 'atrium realm create default', does: 'which is refused: there is one', status: 1 },
    ],
    run: async (given, context) => (await import('./realm-change.ts')).createRealm(given, context),
  },
  'realm invite': {
    means: 'give a realm’s administrator a password to begin with',
    more: ['What they signed in with before is good no longer. Of the default realm’s, too.'],
    on: 'either',
    operands: [realmOperand],
    options: { json },
    examples: [{ line: 'atrium realm invite default' }, { line: 'atrium realm invite nowhere', status: 3 }],
    run: async (given, context) => (await import('./realm-change.ts')).inviteAdministrator(given, context),
  },
  'realm remove': {
    means: 'remove a realm',
    more: [
      'From then on nobody signs in to it, and nothing of it is changed. Its sessions are ended, what it owes to others is handed over for at most realms.removalDeliveryTimeoutS, then its entries are deleted, its own entry last. The service does this by itself and goes on after any end of it; atrium realm list says how far it is. It cannot be taken back.',
    ],
    on: 'either',
    operands: [realmOperand],
    options: { yes, json },
    destroys: 'the realm with all of its people, groups and settings',
    examples: [
      { line: 'atrium realm remove nowhere --yes', status: 3 },
      { line: 'atrium realm create acme && atrium realm remove acme --yes' },
    ],
    run: async (given, context) => (await import('./realm-change.ts')).removeRealm(given, context),
  },
} as const satisfies Record<string, Command>;
