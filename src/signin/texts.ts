/** Every word of the sign-in pages. `{names}` are filled in. */
export const texts = {
  title: 'Sign in',
  titleFailed: 'Authentication failed · Sign in',
  userName: 'User name',
  password: 'Password',
  signIn: 'Sign in',
  cancel: 'Cancel',
  failed: 'Authentication failed. Check the user name and the password, and try again.',
  busy: 'The service is busy, and your password was not looked at. Wait a moment and try again.',
  userNameMissing: 'Enter your user name.',
  passwordMissing: 'Enter your password.',
  stale:
    'This page was no longer current, so nothing was sent. Enter your password once more. If this repeats, allow cookies for this site.',
  waits: 'This page waits {minutes} for you. After that, start again from where you came.',
  minute: '1 minute',
  minutes: '{count} minutes',
  developmentHint: 'Any name and any password will do, except the password “invalid”. A name that is new gets an entry of its own.',

  refusedTitle: 'You cannot sign in here this way',
  refusedMechanism: 'This realm does not accept a password, and offers no other way yet.',
  refusedSecondFactor: 'Your password was right, but this realm asks everybody for a second factor, and there is no way to give one yet.',
  refusedAdvice: 'Nothing was changed, and you are not signed in. Ask whoever runs this service.',

  goneTitle: 'This sign-in is over',
  goneWords: 'It was finished already, it waited too long, or this address was opened by itself.',
  goneAdvice: 'Go back to the application you came from and start again there, or go to your account here.',
  goneAction: 'Go to your account',
} as const;
