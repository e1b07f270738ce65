import type { Mechanism } from '#policy';
import type { Why } from './situation.ts';

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
  limited: 'Too many attempts have failed, so nothing was looked at. Wait {wait} and try again.',
  second: '1 second',
  seconds: '{count} seconds',
  userNameMissing: 'Enter your user name.',
  passwordMissing: 'Enter your password.',
  stale:
    'This page was no longer current, so nothing was sent. Enter your password once more. If this repeats, allow cookies for this site.',
  staleStep: 'This page was no longer current, so nothing was sent. Try once more. If this repeats, allow cookies for this site.',
  waits: 'This page waits {minutes} for you. After that, start again from where you came.',
  waitsStep: 'This step waits {minutes} for you. After that, start again with your password.',
  minute: '1 minute',
  minutes: '{count} minutes',
  developmentHint: 'Any name and any password will do, except the password “invalid”. A name that is new gets an entry of its own.',
  signingInAs: 'Signing in as',
  startAgain: 'Start again',

  refusedTitle: 'You cannot sign in here this way',
  refusedAdvice: 'Nothing was changed, and you are not signed in. Ask whoever runs this service.',

  expiredTitle: 'Your time for this step has run out',
  expiredWords: 'Nothing was changed, and you are not signed in. Start again with your user name; the page you wanted to open still waits.',

  goneTitle: 'This sign-in is over',
  goneWords: 'It was finished already, it waited too long, or this address was opened by itself.',
  goneAdvice: 'Go back to the application you came from and start again there, or go to your account here.',
  goneAction: 'Go to your account',
} as const;

/** Why nobody gets in this way, as the person reads it. */
export const whyTexts: Readonly<Record<Why, string>> = {
  mechanismNotAccepted: 'This realm does not accept this way of signing in.',
  secondNotAccepted: 'This realm does not accept the second factor that you have.',
  passwordlessRefused: 'A security key alone is one factor, and two are asked for here. Sign in with your password first.',
  secondFactorImpossible: 'Two factors are asked for here, and there is no way to give a second one now.',
  hardwareKeyDemanded:
    'The application asks for a security key, and you have another second factor. Add a security key in your account first.',
  noPrimaryKey: 'There is no security key for signing in to this name without a password. Sign in with your password.',
  mechanismOff: 'This way of signing in is switched off here.',
  demandUnknown: 'The application asks for a kind of sign-in that this service does not have.',
  emailNotEnough: 'An emailed code or link is not enough for what is asked here.',
};

/** The link to another way. */
export const wayTexts: Readonly<Record<Mechanism, string>> = {
  password: 'Use your password',
  'security-key': 'Use your security key',
  'authenticator-app': 'Use a code from your authenticator app',
  'recovery-code': 'Use a recovery code',
  'email-code': 'Get a code by mail',
  'email-link': 'Get a link by mail',
};
