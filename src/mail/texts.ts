/**
 * Every word of the mails. `{names}` are filled in; a paragraph that is a code, or an address to open, stands by itself so that it can be found at a glance.
 * None says more than is needed to go on: whoever reads somebody else's mail learns no name and no password. An operator can put words of their own in the
 * place of these, realm by realm: each must hold what `needs` names, and may hold what `takes` names besides.
 */
export const letters = {
  code: {
    subject: 'Your sign-in code for {realm}',
    paragraphs: [
      'Somebody is signing in to {realm} with this mail address. If it is you, type this code:',
      '{code}',
      'It can be used once, for {minutes} minutes.',
      'If it is not you, do nothing: without the code nobody gets in. Never tell it to anybody.',
    ],
    needs: ['code'],
    takes: ['realm', 'minutes'],
  },
  link: {
    subject: 'Your sign-in link for {realm}',
    paragraphs: [
      'Somebody is signing in to {realm} with this mail address. If it is you, open this address in the browser in which you began:',
      '{link}',
      'It can be used once, for {minutes} minutes, and in no other browser.',
      'If it is not you, do not open it: without it nobody gets in.',
    ],
    needs: ['link'],
    takes: ['realm', 'minutes'],
  },
  verify: {
    subject: 'Confirm your mail address for {realm}',
    paragraphs: [
      'Somebody who is signed in to {realm} says that this is their mail address. If it is you, type this code:',
      '{code}',
      'It can be used once, for {minutes} minutes.',
      'If it is not you, do nothing. Never tell the code to anybody.',
    ],
    needs: ['code'],
    takes: ['realm', 'minutes'],
  },
  changed: {
    subject: 'Your account at {realm} has changed',
    paragraphs: [
      'Somebody has changed how you sign in to {realm}: {what}',
      'It was done {by}, on {when}.',
      'If it was you, or you know of it, there is nothing to do.',
      'If it was not you, tell whoever runs {realm} at once. If you can still sign in, change your password and end your other sessions.',
    ],
    needs: ['what'],
    takes: ['realm', 'by', 'when'],
  },
  activation: {
    subject: 'Your account at {realm}',
    paragraphs: [
      'There is an account for you at {realm}. Open this address and choose how you sign in:',
      '{link}',
      'It can be used once, for {time}. After that, ask whoever runs the service for another one.',
      'If you expected nothing like this, do not open it, and tell whoever runs the service.',
    ],
    needs: ['link'],
    takes: ['realm', 'time'],
  },
  reset: {
    subject: 'Set a new password for {realm}',
    paragraphs: [
      'Whoever runs {realm} has taken your password away, so that you set a new one. Open this address:',
      '{link}',
      'It can be used once, for {time}. After that, ask for another one.',
      'You were signed out everywhere. If you did not ask for this, ask whoever runs the service why it was done.',
    ],
    needs: ['link'],
    takes: ['realm', 'time'],
  },
  forgot: {
    subject: 'Set a new password for {realm}',
    paragraphs: [
      'Somebody asked for a new password for your account at {realm}. If it was you, open this address and set one:',
      '{link}',
      'It can be used once, for {time}. Until then your password works as before.',
      'If it was not you, do nothing: without this address nobody changes anything.',
    ],
    needs: ['link'],
    takes: ['realm', 'time'],
  },
} as const satisfies Record<
  string,
  {
    readonly subject: string;
    readonly paragraphs: readonly string[];
    readonly needs: readonly string[];
    readonly takes: readonly string[];
  }
>;

/** What a mail is about. */
export type LetterKind = keyof typeof letters;

/** What has changed of somebody's account, by the words in which the directory tells of it. */
export const changeTexts: Readonly<Record<string, string>> = {
  'password-added': 'A password was set.',
  'password-changed': 'The password was changed.',
  'password-removed': 'The password was taken away.',
  'app-added': 'An authenticator app was added.',
  'app-changed': 'The authenticator app was replaced by another.',
  'app-removed': 'The authenticator app was removed.',
  'codes-added': 'Recovery codes were made.',
  'codes-changed': 'New recovery codes were made; the old ones do not work any more.',
  'codes-removed': 'The recovery codes were removed.',
  'key-added': 'A security key was added.',
  'key-changed': 'A security key was replaced by another.',
  'key-removed': 'A security key was removed.',
  'app-password-added': 'An app password was made.',
  'app-password-changed': 'App passwords were changed.',
  'app-password-removed': 'An app password was revoked.',
  'email-on': 'Codes by mail were turned on.',
  'email-off': 'Codes by mail were turned off.',
  mail: 'The mail addresses of the account were changed.',
  'delegate-added': 'Somebody may act for you now.',
  'delegate-changed': 'Somebody else may act for you now.',
  'delegate-removed': 'Nobody may act for you any more.',
};

/** Who has made a change. */
export const changedByTexts = {
  own: 'by you, or by somebody who was signed in as you',
  other: 'by somebody who manages accounts',
} as const;
