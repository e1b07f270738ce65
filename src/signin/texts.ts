import type { Enrollable, Mechanism, PolicyRefusal } from '#policy';

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
  passkey: 'Sign in with a passkey',
  passwordless: 'Sign in with a security key and no password',
  passwordlessHint: 'For those who have a key for this. Leave the password empty.',
  passwordlessOnly: 'Here one signs in with a security key. Enter your user name, and have the key at hand.',
  goOnWithKey: 'Continue with your security key',
  secondFactor: 'Use a security key as a second factor',
  secondFactorHint: 'For those who have no second factor yet. Whoever has one is asked for it in any case.',
  secondFactorDemanded: 'What you want to open asks for two factors.',
  emailOnly: 'Here one signs in by mail. Choose how:',
  without: 'Continue without signing in',
  stuck: 'If you have none of these any more, ask whoever runs this service to take your lost factor away.',
  signingInAs: 'Signing in as',
  forgotten: 'Forgot your password?',
  startAgain: 'Start again',

  setupTitle: 'Add a second factor',
  setupRequired:
    'A second factor is required for your account, and you have none yet. Choose one and set it up now; then you are signed in.',
  setupOffered: 'Your account can do much here. A second factor keeps it safe when somebody learns your password.',
  ignore: 'Not now',
  ignoreRefused: 'A second factor is required for your account, so this step cannot be left out. Choose one of these.',
  choiceMissing: 'Choose one of these.',
  chooseAgain: 'Choose another kind',

  changeTitle: 'Choose a new password',
  changeWords: 'Your password has to be changed before you go on. Your sign-in continues afterwards.',
  newPassword: 'New password',
  repeated: 'New password once more',
  change: 'Change the password',
  newPasswordMissing: 'Enter a new password.',
  notRepeated: 'The two are not the same. Enter the new password twice.',
  notTaken: 'This password was not taken: {why}. Choose another one.',
  changeNotDone: 'The password could not be changed now. Wait a moment and try again.',

  codeTitle: 'Enter the code from your app',
  codeTitleFailed: 'The code was not taken · Enter the code from your app',
  codeWords: 'Open your authenticator app and type the code that it shows for this service now.',
  code: 'Code',
  goOn: 'Continue',
  codeMissing: 'Enter the code that your app shows.',
  codeWrong:
    'This code is not right. Wait for the next one in your app and type that. If it is refused again, check that the time on your device is right.',
  codeUsed: 'This code was used already. Each works once: wait for the next one in your app and type that.',
  codeNotJudged: 'Your code could not be looked at now. Wait a moment and try again; if this repeats, ask whoever runs this service.',

  appTitle: 'Set up your authenticator app',
  appCode: 'Code that the app shows now',
  appDone: 'Confirm the app',
  appExpired:
    'The time for this picture has run out, and here is a new one. Remove the old entry from your app, scan this one and type its code.',
  appTooLate: 'You signed in too long ago to add an app now. Start again with your password.',

  recoveryTitle: 'Enter a recovery code',
  recoveryTitleFailed: 'The code was not taken · Enter a recovery code',
  recoveryWords: 'Take one of the codes that you saved when you made them. It works once; cross it out afterwards.',
  recoveryCode: 'Recovery code',
  recoveryMissing: 'Enter one of your recovery codes.',
  recoveryWrong: 'This code is not one of yours, or it was used before. Check what you typed, or take another one.',
  recoveryNotJudged:
    'Your code could not be crossed out now, so it was not taken and still works. Wait a moment and try again; if this repeats, ask whoever runs this service.',

  refusedTitle: 'You cannot sign in here this way',
  refusedAdvice: 'Nothing was changed, and you are not signed in. Ask whoever runs this service.',

  expiredTitle: 'Your time for this step has run out',
  expiredWords: 'Nothing was changed, and you are not signed in. Start again with your user name; the page you wanted to open still waits.',

  goneTitle: 'This sign-in is over',
  goneWords: 'It was finished already, it waited too long, or this address was opened by itself.',
  goneAdvice: 'Go back to the application you came from and start again there, or go to your account here.',
  goneAction: 'Go to your account',

  keyUse: 'Use your security key',
  keyAdd: 'Add a security key',
  keyAddFirst: 'This name has no security key yet. The one that you add now signs in to it from now on, without a password.',
  keyAddSecond: 'You have no second factor yet. The key that you add now is asked for after your password from now on.',
  keyName: 'Security key',
  keyAgain: 'Try again',
} as const;

/** The words of the steps that mail a code or a link. */
export const emailTexts = {
  code: {
    title: 'Get a code by mail',
    send: 'Mail me a code',
    ask: 'We can mail you a code that works once.',
    again: 'Mail me a new code',
    titleSent: 'Enter the code from your mail',
  },
  link: {
    title: 'Get a link by mail',
    send: 'Mail me a link',
    ask: 'We can mail you a link that works once, in this browser.',
    again: 'Mail me a new link',
    titleSent: 'Open the link in your mail',
  },
  userName: 'User name',
  userNameMissing: 'Enter your user name.',
  askFirst: 'It goes to the mail address that you have confirmed in your account here.',
  askSecond: 'It goes to {address}.',
  sentFirst: 'If {name} is known here with a confirmed mail address, a mail is on its way there. It can take a minute.',
  sentSecond: 'A mail is on its way to {address}. It can take a minute.',
  sentLink: 'Open the link in this browser. It leads back here, and nothing happens before you press Continue.',
  codeLabel: 'Code from the mail',
  codeHint: 'Six digits.',
  goOn: 'Continue',
  titleOpened: 'Continue signing in',
  opened: 'You opened the link from your mail. Press Continue to sign in with it; it works once.',
  newerReplaces: 'A new one takes the place of the last.',
  wrongForm: 'A code has six digits. Look at it once more.',
  wrong: 'This code is not right. You can try it {count} more times.',
  wrongOnce: 'This code is not right. You can try it once more.',
  wrongLink: 'This link is not the one that was sent last. Open the link in the newest mail, or ask for a new one.',
  over: 'That code or link was used before, is too old, or a newer one was sent. Ask for a new one.',
  ended: 'Too many wrong codes',
  endedWords: 'The code does not work any more, and you are not signed in. Start again; the page you wanted to open still waits.',
  elsewhere: 'Open the link in the other browser',
  elsewhereWords:
    'This link finishes a sign-in that began in another browser, or on another device. Open it there. Nothing was changed, and the link still works.',
  elsewhereAdvice: 'If you did not ask for it, close this page: without the browser in which it was asked for nobody gets in by it.',
} as const;

/** Why nobody gets in this way, as the person reads it. */
export const whyTexts: Readonly<Record<PolicyRefusal, string>> = {
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

/** What may be enrolled: its name, what it is, what the button says. */
export const choiceTexts: Readonly<Record<Enrollable, readonly [name: string, words: string, button: string]>> = {
  'authenticator-app': ['Authenticator app', 'An app on your phone shows a new code every half minute.', 'Set up an authenticator app'],
  'security-key': ['Security key', 'A key that you plug in or hold to the device, or the device itself.', 'Set up a security key'],
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
