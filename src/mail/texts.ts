/**
 * Every word of the mails. `{names}` are filled in; a paragraph that is a code, or an address to open, stands by itself so that it can be found at a glance.
 * None says more than is needed to go on: whoever reads somebody else's mail learns no name and no password.
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
  },
  link: {
    subject: 'Your sign-in link for {realm}',
    paragraphs: [
      'Somebody is signing in to {realm} with this mail address. If it is you, open this address in the browser in which you began:',
      '{link}',
      'It can be used once, for {minutes} minutes, and in no other browser.',
      'If it is not you, do not open it: without it nobody gets in.',
    ],
  },
  verify: {
    subject: 'Confirm your mail address for {realm}',
    paragraphs: [
      'Somebody who is signed in to {realm} says that this is their mail address. If it is you, type this code:',
      '{code}',
      'It can be used once, for {minutes} minutes.',
      'If it is not you, do nothing. Never tell the code to anybody.',
    ],
  },
} as const satisfies Record<string, { readonly subject: string; readonly paragraphs: readonly string[] }>;

/** What a mail is about. */
export type LetterKind = keyof typeof letters;
