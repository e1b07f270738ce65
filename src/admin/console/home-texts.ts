type Words = readonly [name: string, done: string, open: string];

/** The words of the first page. */
export const homeTexts = {
  title: 'Overview',
  todo: 'To make this installation ready',
  ready: 'This installation is ready',
  measured: 'Each line says how it is now; nothing here is ticked by hand.',
  done: 'done',
  open: 'to do',
  counts: 'What is here',
  everything: 'Everything',
  counted: [
    ['ou=people', 'People', '/admin/users'],
    ['ou=groups', 'Groups', '/admin/groups'],
    ['ou=applications', 'Applications', '/admin/applications'],
  ],
  kek: [
    'Key-encryption key',
    'Secrets are sealed under a key of your own.',
    'Without one, secrets that must be read again cannot be kept. Set STS_KEYS_KEK_FILE to a file of 32 octets or more that only this service can read, and start it again.',
  ] satisfies Words,
  certificate: [
    'Certificate',
    'HTTPS and LDAPS present a certificate of yours.',
    'This service made its certificate itself, and browsers do not trust it. Set STS_TLS_CERT_FILE and STS_TLS_KEY_FILE to one that they trust, and start it again.',
  ] satisfies Words,
  /** A certificate of the operator's that is good for fewer days is to be renewed. */
  certificateDays: 14,
  certificateEnds:
    'It ends soon, and whoever comes is warned of it, or refused, from then on. Put another in its place: this service shows it without a new start.',
  certificateUntil: 'Its end:',
  mail: [
    'Mail',
    'Links and codes are handed over to a mail server.',
    'Nothing can be mailed: no reset links, no codes, no notices. Set STS_MAIL_SMTP_HOST.',
  ] satisfies Words,
  factor: [
    'Second factor',
    'You sign in with more than a password.',
    'Whoever learns your password administers this realm. Add a security key or an authenticator app to your own account.',
  ] satisfies Words,
  backup: [
    'Backup',
    'A task of this service made the last one',
    'None was made here yet. Have one made now, and keep it on another machine, the key-encryption key apart from it. Copies that “atrium backup” makes are not seen here.',
  ] satisfies Words,
  addFactor: 'Add a second factor',
  backUp: 'Back up now',
} as const;
