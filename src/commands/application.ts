import { authWords, grantWords } from './application-grants.ts';
import type { Command } from './command.ts';
import { json, limit, realm, yes } from './options.ts';

/** What a command does to applications is loaded with it; these are the rows. */
const which = { name: 'APPLICATION', means: 'a client id, a cn or a DN' } as const;

/** What an entry says of its client, by the option that sets it; `application-entry.ts` says which attribute that is. */
const said = {
  'redirect-uri': { value: 'URI', many: true, means: 'where browsers may be sent back to, character by character' },
  'post-logout-uri': { value: 'URI', many: true, means: 'where browsers may be sent after signing out' },
  grant: {
    value: 'GRANT',
    many: true,
    type: Object.keys(grantWords),
    means: `what it may have tokens for: ${Object.keys(grantWords).join(', ')}; the first two where none is set`,
  },
  auth: { value: 'METHOD', type: authWords, means: `how it shows who it is: ${authWords.join(', ')}` },
  scope: { value: 'SCOPE', many: true, means: 'what it may ask for' },
  resource: { value: 'URI', many: true, means: 'an API that its tokens may be for; urn:atrium:admin-api is the management API' },
  group: { value: 'GROUP', many: true, means: 'only members of it may use the application' },
  url: { value: 'URL', means: 'where people open it' },
  description: { value: 'TEXT', means: 'what it is' },
  attribute: { value: 'NAME=VALUE', many: true, means: 'anything else that its classes allow' },
} as const;

export const applicationCommands = {
  'application list': {
    means: 'list applications',
    on: 'either',
    operands: [
      { name: 'WORD', many: true, optional: true, means: 'only those that have each of the words in their name, client id or description' },
    ],
    options: { deleted: { means: 'those that were removed and can be restored' }, limit, realm, json },
    examples: [
      { line: 'atrium application list' },
      { line: 'atrium application list wiki --json' },
      { line: 'atrium application list --deleted' },
    ],
    run: async (given, context) =>
      given.flag('deleted')
        ? (await import('./restore-deleted.ts')).listDeleted('applications', given, context)
        : (await import('./application-show.ts')).listApplications(given, context),
  },
  'application add': {
    means: 'add an application and print its secret, this once',
    more: [
      'The entry is an stsApplication and an stsOAuthClient below ou=applications: a client of OAuth 2.0 and OpenID Connect, in force at its next request. Its secret is made by the directory, is kept as a hash and is never shown again: atrium application secret makes another one. None is made with --auth none or private_key_jwt.',
      'The application needs the issuer, the client id and the secret. The issuer is the address at which people reach this service, with /realm/ID behind it for another realm.',
    ],
    on: 'either',
    operands: [{ name: 'NAME', means: 'its name for people, the cn' }],
    options: {
      'client-id': { value: 'ID', means: 'its name for OAuth; the name in small letters, with hyphens, unless given' },
      ...said,
      realm,
      json,
    },
    examples: [
      { line: "atrium application add 'Lunch Menu' --redirect-uri https://lunch.example.com/oidc/callback --group engineering" },
      { line: 'atrium application add reporting --grant client_credentials --resource urn:atrium:admin-api --scope admin:read --json' },
      { line: 'atrium application add phone --auth none --redirect-uri com.example.phone:/back', does: 'an app that can keep no secret' },
    ],
    run: async (given, context) => (await import('./application-change.ts')).addApplication(given, context),
  },
  'application show': {
    means: 'show an application',
    more: ['That it has a secret is told, and never which.'],
    on: 'either',
    operands: [which],
    options: { realm, json },
    examples: [{ line: 'atrium application show wiki' }, { line: 'atrium application show nothing', status: 3 }],
    run: async (given, context) => (await import('./application-show.ts')).showApplication(given, context),
  },
  'application change': {
    means: 'change an application',
    more: [
      'Each option takes the place of all that the entry has of it; --unset takes something away. It is in force at the next request.',
    ],
    on: 'either',
    operands: [which],
    options: {
      ...said,
      unset: { value: 'NAME', many: true, means: 'take this away: the name of an option above, or of an attribute' },
      realm,
      json,
    },
    examples: [
      { line: 'atrium application change wiki --redirect-uri https://wiki.example.com/a --redirect-uri https://wiki.example.com/b' },
      { line: 'atrium application change wiki --unset group --attribute stsRequiredAcr=mfa', does: 'everybody may, with a second factor' },
    ],
    run: async (given, context) => (await import('./application-change.ts')).changeApplication(given, context),
  },
  'application secret': {
    means: 'have a secret made for an application and print it, this once',
    more: ['It takes the place of the one that the application has, which is good no longer at once. What was issued stays.'],
    on: 'either',
    operands: [which],
    options: { yes, realm, json },
    destroys: 'the secret that the application has',
    examples: [
      { line: 'atrium application secret wiki --yes' },
      { line: 'atrium application secret field-notes', does: 'which keeps no secret', status: 1 },
    ],
    run: async (given, context) => (await import('./application-change.ts')).makeSecret(given, context),
  },
  'application remove': {
    means: 'remove an application',
    more: [
      'Nobody signs in to it any more, and it gets no tokens. What was issued to it is worth nothing any more. For directory.tombstoneDays atrium application restore brings it back.',
    ],
    on: 'either',
    operands: [which],
    options: { yes, realm, json },
    destroys: 'the application’s entry with its secret',
    examples: [
      { line: 'atrium application remove wiki', does: 'without a terminal it refuses', status: 2 },
      { line: 'atrium application remove wiki --yes' },
    ],
    run: async (given, context) => (await import('./application-change.ts')).removeApplication(given, context),
  },
  'application restore': {
    means: 'bring an application back that was removed',
    more: [
      'The entry is as it was, with its entryUUID, its client id and its keys, and the groups that it was in have it again. Its secret does not come back: atrium application secret makes another one. A client id that is another’s by now is not taken from it.',
    ],
    on: 'either',
    operands: [{ name: 'APPLICATION', means: 'a cn, a DN or an entryUUID, as atrium application list --deleted tells it' }],
    options: { realm, json },
    examples: [{ line: 'atrium application restore wiki', status: 3 }],
    run: async (given, context) => (await import('./restore-deleted.ts')).restoreDeleted('applications', given, context),
  },
} as const satisfies Record<string, Command>;
