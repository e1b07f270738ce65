/** Words of the pages of this room. */
export const texts = {
  application: 'Application',
  asksFor: 'Wants to know',
  leadsBackTo: 'Leads back to',
  errorTitle: 'This request cannot be answered',
  errorWords:
    'The application that sent you here made a request that this service does not answer. Go back to the application and start again; if it happens again, tell those who run the application.',
  errorWhy: 'What is wrong with it',
  reference: 'Reference',
  signOutTitle: 'Sign out?',
  signOutWords:
    'An application asks that you be signed out of this browser. That ends your session here, and with it those of the applications that you signed in to with it.',
  signOut: 'Sign out',
  stay: 'Stay signed in',
  stale: 'This page was open for too long. Press the button once more.',
} as const;
