import type { AppPassword } from '#holdings';

/** Every word of the pages about app passwords. `{names}` are filled in. */
export const appPasswordsTexts = {
  title: 'App passwords',
  words:
    'Mail programs, VPN, Wi-Fi and servers can ask for nothing but a name and a password. Give each of them a password of its own: then your own stays with you, and one that is lost is taken back without changing the others.',
  ownRefused: 'You have a second factor, so such programs do not take your own password: they need one of these.',
  yours: 'Those that you have',
  none: 'You have no app passwords.',
  off: 'No new app passwords are made here at this moment. Those that you have go on working.',
  full: 'You have as many app passwords as you may. Revoke one to make another.',
  added: 'Made',
  lastUsed: 'last used',
  never: 'not used yet',
  from: 'from {address}',
  at: 'at {door}',
  expires: 'ends',
  expired: 'ended',
  networks: 'Only from {networks}',
  program: 'For {program}',
  scopes: 'Good for {scopes}',
  revoke: 'Revoke',
  revokeAll: 'Revoke all',

  make: 'Make one',
  programLabel: 'For which program?',
  nameLabel: 'Name',
  nameHint: 'So that you know it again: “Mail on my phone”. Without one it is called as the program.',
  more: 'Narrow it down',
  scopesLabel: 'What it is good for',
  expiresLabel: 'Ends',
  networksLabel: 'Only from these networks',
  networksHint: 'Addresses or networks such as 192.0.2.0/24, with spaces between them. Without any: from anywhere.',
  submit: 'Make the app password',

  nameTaken: 'You have an app password of this name already. Give this one another.',
  scopesMissing: 'Choose what it is good for.',
  unfit: 'This is not taken: {why}.',
  refused: 'This cannot be done. Nothing was changed.',
  notNow: 'The app password could not be made just now. Try again in a moment.',
  gone: 'That app password is not there any more.',

  madeTitle: 'Your new app password',
  madeWords: 'Copy it now: it is shown this once. Dashes and spaces do not matter.',
  settings: 'Settings for {program}',
  file: 'Ready to copy',
  done: 'Done',

  revokeTitle: 'Revoke “{name}”?',
  revokeAllTitle: 'Revoke all app passwords?',
  revokeWords: 'The program that uses it is not let in any more, from its next attempt on.',
  revokeAllWords: 'No program that uses one of your {count} app passwords is let in any more, from its next attempt on.',
  revokeAgain: 'It cannot be undone: to use the program again, make a new one and type it there.',
  revokeIt: 'Revoke it',
  revokeThem: 'Revoke all of them',
  keep: 'Keep it',
  keepThem: 'Keep them',

  after: {
    revoked: 'The app password was revoked.',
    'revoked-all': 'All app passwords were revoked.',
  },
} as const;

/** What an app password is good for, in words. */
export const scopeTexts: Readonly<Record<AppPassword['scopes'][number], string>> = {
  ldap: 'mail, VPN, Wi-Fi, servers and whatever asks the directory (LDAP)',
  wstrust: 'programs that ask for security tokens (WS-Trust)',
  scim: 'programs that keep accounts (SCIM)',
  ssf: 'programs that listen to security events (Shared Signals)',
  est: 'devices that ask for certificates (EST)',
};

/** Until when an app password is good: days, by the word that the form sends. */
export const expiryTexts = {
  never: 'Never by itself',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In a year',
} as const;
