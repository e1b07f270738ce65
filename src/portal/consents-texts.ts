/** Every word of the page about what applications may know. `{names}` are filled in. */
export const consentsTexts = {
  title: 'Applications that you allowed',
  words:
    'Each of these asked you before it was told something about you. What you withdraw it is not told any more: what it was given stops working, and it asks you again when you use it next.',
  none: 'You have allowed nothing. Applications that ask you are listed here afterwards.',
  gone: 'An application that is no longer there ({client})',
  since: 'Allowed',
  at: 'To use at {resource}',
  nameAt: '{name} at {resource}',
  withdraw: 'Withdraw',
  terminal: 'The same from the command line',
  done: {
    withdrawn: 'You have withdrawn it.',
    gone: 'It had been withdrawn already.',
  },
} as const;
