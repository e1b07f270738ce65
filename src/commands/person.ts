import { appPasswordScopes } from '#holdings';
import type { Command } from './command.ts';
import { json, limit, realm, yes } from './options.ts';

/** What a command does to people is loaded with it; these are the rows. */
const who = { name: 'PERSON', means: 'a uid, a mail address, or a DN' } as const;

export const personCommands = {
  'person list': {
    means: 'list people',
    on: 'either',
    operands: [
      {
        name: 'WORD',
        many: true,
        optional: true,
        means: 'only those who have each of the words in their names, address, title, place or unit',
      },
    ],
    options: {
      filter: { value: 'FILTER', means: 'only those whom an LDAP filter fits' },
      disabled: { means: 'only those as whom nobody can sign in now: disabled, not valid yet, valid no longer' },
      deleted: { means: 'those who were removed and can be restored' },
      attribute: { value: 'NAME', many: true, means: 'show this, too' },
      limit,
      realm,
      json,
    },
    examples: [
      { line: 'atrium person list' },
      { line: 'atrium person list berlin engineer --limit 10' },
      { line: "atrium person list --filter '(&(l=Berlin)(employeeType=employee))' --attribute title" },
      { line: 'atrium person list --disabled --json' },
      { line: 'atrium person list --deleted' },
    ],
    run: async (given, context) =>
      given.flag('deleted')
        ? (await import('./restore-deleted.ts')).listDeleted('people', given, context)
        : (await import('./person-list.ts')).listPeople(given, context),
  },
  'person add': {
    means: 'add a person',
    more: [
      'The entry is an inetOrgPerson below ou=people. Nobody can sign in as them before they have a password: --generate makes one, and atrium person set-password sets another. Many people are added with atrium import.',
    ],
    on: 'either',
    operands: [{ name: 'UID', means: 'the name that they sign in with' }],
    options: {
      cn: { value: 'NAME', means: 'their whole name; the uid unless given' },
      sn: { value: 'NAME', means: 'their surname; the last word of the whole name unless given' },
      mail: { value: 'ADDRESS', many: true, means: 'a mail address' },
      attribute: { value: 'NAME=VALUE', many: true, means: 'anything else that their classes allow' },
      class: { value: 'NAME', many: true, means: 'another class, posixAccount for example' },
      group: { value: 'GROUP', many: true, means: 'a group that they become a member of' },
      generate: { means: 'make a password and print it' },
      realm,
      json,
    },
    examples: [
      { line: "atrium person add ada --cn 'Ada Lovelace' --mail ada@example.com" },
      {
        line: "atrium person add grace --cn 'Grace Hopper' --attribute title=Admiral --attribute l=Arlington --group engineering --generate",
      },
      {
        line: 'atrium person add ken --class posixAccount --attribute gidNumber=30001 --attribute homeDirectory=/home/ken',
        does: 'with the next free uidNumber',
      },
    ],
    run: async (given, context) => (await import('./person-add.ts')).addPerson(given, context),
  },
  'person show': {
    means: 'show a person with their groups',
    more: ['Passwords and what else is secret are shown to nobody.'],
    on: 'either',
    operands: [who],
    options: { realm, json },
    examples: [{ line: 'atrium person show dkhalil' }, { line: 'atrium person show nobody', status: 3 }],
    run: async (given, context) => (await import('./person-show.ts')).showPerson(given, context),
  },
  'person set-password': {
    means: 'set a person’s password',
    more: [
      'On a terminal it is typed twice and not shown; else it is the first line of standard input. It is never given on the command line, where others see it. The old one is good no longer, and neither is what applications were given by it; sessions and connections that were opened with it stay.',
    ],
    on: 'either',
    operands: [who],
    options: {
      generate: { means: 'make one and print it' },
      'must-change': { means: 'it is to be changed at the first use: until then the sign-in screen alone takes it' },
      realm,
      json,
    },
    examples: [
      { line: 'atrium person set-password dkhalil --generate' },
      { line: 'atrium person set-password dkhalil < password.txt' },
      { line: 'atrium person set-password dkhalil --generate --must-change --json' },
    ],
    run: async (given, context) => (await import('./person-change.ts')).setPassword(given, context),
  },
  'person invite': {
    means: 'give a person a link by which they choose how they sign in',
    more: [
      'The link is good once, for security.activationTtlMinutes. Whoever opens it sets a password, or enrols a security key or an authenticator app. It is printed once, or mailed to the address of the entry and shown to nobody. Another one takes its place; disabling or removing the person ends it.',
      'It is not for somebody who holds a second factor: see atrium person reset-password.',
    ],
    on: 'running',
    operands: [who],
    options: { mail: { means: 'mail it, and print nothing of it' }, realm, json },
    examples: [
      { line: 'atrium person invite dkhalil' },
      { line: 'atrium person invite dkhalil --mail', does: 'which takes a mail server', status: 1 },
    ],
    run: async (given, context) => (await import('./person-link.ts')).issueLink('activation', given, context),
  },
  'person reset-password': {
    means: 'take a person’s password away, and give them a link to set another',
    more: [
      'Their password is good no longer, and they are signed out everywhere. App passwords go on working. The link is good once, for security.passwordResetTtlMinutes; it is printed once, or mailed to the address of the entry and shown to nobody. A second factor that they hold is asked for as before.',
    ],
    on: 'running',
    operands: [who],
    options: { mail: { means: 'mail it, and print nothing of it' }, realm, json },
    examples: [
      { line: 'atrium person reset-password dkhalil' },
      { line: 'atrium person reset-password dkhalil --json' },
      { line: 'atrium person reset-password nobody', status: 3 },
    ],
    run: async (given, context) => (await import('./person-link.ts')).issueLink('reset', given, context),
  },
  'person app-password': {
    means: 'make, list or revoke the passwords of a person’s programs',
    more: [
      'To add makes one, prints it once and keeps its hash. A program that can take nothing but a password, a mail client for instance, signs in with it; at LDAP it does so, too, where the person’s own password is refused because they hold a second factor. It may write nothing that people sign in with. To revoke ends one at once; the person’s password and other app passwords stay.',
    ],
    on: 'either',
    operands: [
      { name: 'ACTION', type: ['add', 'list', 'revoke'], means: 'add, list or revoke' },
      who,
      { name: 'NAME', optional: true, means: 'what a new one is called; the name or the id of the one to revoke' },
    ],
    options: {
      scope: { value: 'DOOR', many: true, type: appPasswordScopes, means: 'add: where it is taken; ldap unless given' },
      expires: { value: 'TIME', means: 'add: until when, a day or a time such as 2026-12-31T18:00Z' },
      network: { value: 'NETWORK', many: true, means: 'add: an address or network that it may come from; anywhere unless given' },
      program: { value: 'NAME', means: 'add: the program that it is for' },
      all: { means: 'revoke: all of them' },
      yes,
      realm,
      json,
    },
    destroys: 'the app password that is revoked',
    examples: [
      { line: "atrium person app-password add dkhalil 'mail on the phone' --scope ldap --network 192.0.2.0/24" },
      { line: 'atrium person app-password list dkhalil' },
      { line: 'atrium person app-password revoke dkhalil --all --yes --json' },
      { line: "atrium person app-password revoke dkhalil 'mail on the phone' --yes", does: 'where there is none of that name', status: 3 },
    ],
    run: async (given, context) => (await import('./person-app-password.ts')).appPasswords(given, context),
  },
  'person disable': {
    means: 'let nobody sign in as a person',
    more: [
      'Sets pwdAccountLockedTime. From then on no password and no other way of signing in is taken. Their browser sessions, the connections over which LDAP clients signed in as them, and what they were about to enrol end within a second, however the attribute came to be set. Nothing else changes: they stay in their groups. To enable them again brings nothing of it back.',
    ],
    on: 'either',
    operands: [who],
    options: { realm, json },
    examples: [{ line: 'atrium person disable dkhalil' }],
    run: async (given, context) => (await import('./person-change.ts')).disablePerson(given, context),
  },
  'person validity': {
    means: 'set from when and until when anybody can sign in as a person',
    more: [
      'Sets stsValidFrom and stsValidUntil. Outside of that time they are refused as if they were disabled, and what they have open ends when it is over. Nobody has to be there for that. Without --from and --until it is shown.',
    ],
    on: 'either',
    operands: [who],
    options: {
      from: { value: 'TIME', means: 'a day, which begins at midnight UTC, or a time such as 2026-12-31T18:00Z; none takes it away' },
      until: { value: 'TIME', means: 'the same' },
      realm,
      json,
    },
    examples: [
      { line: 'atrium person validity dkhalil --from 2026-01-01 --until 2036-12-31T18:00:00+01:00' },
      { line: 'atrium person validity dkhalil' },
      { line: 'atrium person validity dkhalil --from none --until none' },
    ],
    run: async (given, context) => (await import('./person-validity.ts')).personValidity(given, context),
  },
  'person enable': {
    means: 'let a person sign in again',
    on: 'either',
    operands: [who],
    options: { realm, json },
    examples: [{ line: 'atrium person enable dkhalil' }],
    run: async (given, context) => (await import('./person-change.ts')).enablePerson(given, context),
  },
  'person remove': {
    means: 'remove a person',
    more: [
      'The directory takes their name out of groups and of whatever else names them, in the same moment. What they had open ends. For directory.tombstoneDays atrium person restore brings them back.',
    ],
    on: 'either',
    operands: [who],
    options: { yes, realm, json },
    destroys: 'the person’s entry with all that it holds, and their memberships',
    examples: [
      { line: 'atrium person remove dkhalil', does: 'without a terminal it refuses', status: 2 },
      { line: 'atrium person remove dkhalil --yes' },
    ],
    run: async (given, context) => (await import('./person-change.ts')).removePerson(given, context),
  },
  'person restore': {
    means: 'bring a person back who was removed',
    more: [
      'The entry is as it was, with its entryUUID, and those name it again that are there still. What they signed in with does not come back: passwords, keys, apps, app passwords, recovery codes. A name that is somebody else’s by now is not taken from them.',
    ],
    on: 'either',
    operands: [{ name: 'PERSON', means: 'a uid, a DN or an entryUUID, as atrium person list --deleted tells it' }],
    options: { realm, json },
    examples: [{ line: 'atrium person restore dkhalil', status: 3 }],
    run: async (given, context) => (await import('./restore-deleted.ts')).restoreDeleted('people', given, context),
  },
  why: {
    means: 'explain what lets a person in, or keeps them out',
    more: [
      'Rule by rule, in the order in which a password is judged, by what the doors themselves judge by: with the code that stands in the audit trail, and the entry or the setting to change. No counter moves. With --ask-password a password is judged, too, which is read as atrium person set-password reads one; that is told in the audit trail.',
    ],
    on: 'either',
    operands: [who],
    options: {
      door: { value: 'DOOR', means: 'ldap, wstrust, scim, ssf, est or browser; without it ldap, and browser with --application' },
      application: { value: 'ID', means: 'to which they sign in at the sign-in page: a client id' },
      from: { value: 'ADDRESS', means: 'an address or this-machine, and +protected behind it; from here without' },
      'ask-password': { means: 'have a password judged' },
      realm,
      json,
    },
    examples: [
      { line: 'atrium why dkhalil' },
      { line: 'atrium why dkhalil --door browser --from 192.0.2.7+protected' },
      { line: 'atrium why dkhalil --application bookshop' },
      { line: 'atrium why dkhalil --ask-password < password.txt' },
    ],
    run: async (given, context) => (await import('./why.ts')).why(given, context),
  },
} as const satisfies Record<string, Command>;
