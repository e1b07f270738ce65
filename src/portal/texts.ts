/** Every word of the portal's pages. `{names}` are filled in. */
export const texts = {
  title: 'Your account',
  application: 'Your account',
  askerLabel: 'To open',
  signOut: 'Sign out',

  whoTitle: 'Who you are here',
  howTitle: 'How you sign in',
  whereTitle: 'Where you are signed in',

  userName: 'User name',
  name: 'Name',
  mail: 'Mail',
  phone: 'Phone',
  mobile: 'Mobile phone',
  role: 'Title',
  department: 'Department',
  employeeNumber: 'Employee number',
  manager: 'Manager',
  groups: 'Groups',
  dn: 'Directory name',
  entryId: 'Entry',

  password: 'Password',
  passwordWords: 'The directory checks it each time you sign in. It is kept as a hash that nobody can read.',
  passwordUnchecked: 'Not checked, because this service runs in development mode.',

  keys: 'Security keys',
  keysWords: 'See, add and remove your security keys',

  thisBrowser: 'This browser',
  otherBrowser: 'Another browser',
  since: 'Signed in',
  from: 'From address',
  lastUsed: 'Last used',
  until: 'Ends by itself',
  way: 'With',
  session: 'Session',
  moreOthers: 'There are more sessions, which were used less lately.',
  signOutElsewhere: 'Sign out everywhere else',

  terminal: 'The same from the command line',
  terminalWords: 'This page shows what the directory answers to this search, asked in your name:',

  cancelledTitle: 'You cancelled the sign-in',
  cancelledWords: 'Nothing was changed, and you are not signed in.',
  signIn: 'Sign in',

  anonymousTitle: 'You are not signed in',
  anonymousWords: 'You went on without signing in. Your account is there when you sign in.',

  signedOutTitle: 'You are signed out',
  signedOutWords: 'The session in this browser has ended.',
  signInAgain: 'Sign in again',

  staleTitle: 'You are still signed in',
  staleWords: 'The page you came from was no longer current, so nothing was done. Go back to your account and try again.',
  back: 'Back to your account',

  justNow: 'just now',
  minutesAgo: '{count} min ago',
  hoursAgo: '{count} h ago',
  dayAgo: '1 day ago',
  daysAgo: '{count} days ago',
  inMinutes: 'in {count} min',
  inHours: 'in {count} h',
  inDay: 'in 1 day',
  inDays: 'in {count} days',
} as const;

/** How a mechanism, or a method of authentication (RFC 8176), is called here. */
export const methodTexts: Readonly<Record<string, string>> = {
  password: 'Password',
  'security-key': 'Security key',
  'authenticator-app': 'Authenticator app',
  'recovery-code': 'Recovery code',
  'email-code': 'Emailed code',
  'email-link': 'Emailed link',
  pwd: 'Password',
  hwk: 'Security key',
  otp: 'One-time code',
};
