/** The words of this room's pages. `{names}` are filled in. */
export const texts = {
  service: 'Atrium',
  skip: 'Skip to the content',
  developmentBand: 'Development mode: passwords are not checked. Do not put real data here.',
  reference: 'Reference for whoever runs this service: {reference}',
  home: 'Go to your account',
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

/** What an error page says, by status: its title and what to do next. */
export const errorTexts: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  400: ['This request cannot be read', 'The address or the form is damaged. Go back, reload the page and try again.'],
  403: ['This cannot be done from here', 'The form does not belong to your present session. Go back, reload the page and try again.'],
  404: ['There is no such page', 'The address may be mistyped, or the page may have moved.'],
  405: ['This address takes no such request', 'Open it from the page that leads to it.'],
  413: ['That is too large', 'Send less at once.'],
  415: ['That format is not read here', 'Send a form, in UTF-8.'],
  421: ['This service does not answer under that name', 'Check the address.'],
  429: ['Too many attempts have failed', 'Wait a while and try again.'],
  500: ['Something went wrong here', 'It is not your doing. Try again in a moment.'],
  503: ['The service is busy or not complete', 'Try again in a moment.'],
};

/** What programs are told below the API where a page would say something of pages, by status. */
export const apiErrorTexts: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  400: [
    'The address of this call cannot be read',
    'Names in it are percent-encoded UTF-8. What has a backslash or a control character in its name is called by its entryUUID.',
  ],
  404: ['There is no such operation', 'GET /admin-api/openapi.json lists all that there are.'],
  405: ['This address takes no such request', 'The header Allow names the methods that it takes.'],
  415: ['That format is not read here', 'GET /admin-api/openapi.json says what each operation reads.'],
};

/** Shown for a status without words of its own. */
export const errorTextStanding: readonly [title: string, advice: string] = ['This did not work', 'Go back and try again.'];

/** Shown instead of the words of 403 when the connection is what is wrong. */
export const protectionText: readonly [title: string, advice: string] = [
  'This connection is not protected',
  'Open this service with https, so that nobody on the way can read what you send.',
];

/** Shown instead of the words of 503 when the realm is what is going. */
export const removedText: readonly [title: string, advice: string] = [
  'This realm is being removed',
  'Nobody can sign in here any more, and all sessions have ended. If you did not expect this, ask whoever runs this service.',
];

export function fillText(words: string, values: Readonly<Record<string, string | number>>): string {
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
