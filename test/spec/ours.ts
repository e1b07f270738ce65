import { type SpecRule, section } from './rule.ts';

/** What doors that take nothing but a password and accounts do beyond document 1: rules of our own, each with its test. */
export const ourRules: readonly SpecRule[] = [
  ...section('ours, app passwords', [
    [
      'form',
      'made by the directory: 24 characters in six groups of four, shown once',
      'directory/app-passwords.test.ts',
      'has 24 characters in six groups of four',
    ],
    ['ids', 'what people type of them begins with a letter', 'commands/rows.test.ts', 'what people type begins with a letter'],
    ['work', 'every bind costs the same hashes, however many there are', 'directory/same-work.test.ts', 'and wrong with ten app passwords'],
    ['salt', 'all of a person have one salt', 'directory/app-passwords.test.ts', 'all of a person have one salt'],
    [
      'expiry and networks',
      'each optional, judged at each bind',
      'directory/app-passwords.test.ts',
      'an app password ends at its time, and comes from its networks alone',
    ],
    [
      'strength',
      'who came in with one writes nothing that people sign in with',
      'directory/app-passwords.test.ts',
      'who came in with an app password reads as that person',
    ],
    [
      'last use',
      'written at most once in appPasswords.lastUseGranularityS',
      'directory/app-passwords.test.ts',
      'when it was last used is written at most once',
    ],
    [
      'connections',
      'one that is revoked ends what came in with it, on every thread',
      'workers/app-passwords.test.ts',
      'the very next bind at any other knows it',
    ],
    [
      'connections, in time',
      'one that is over ends what came in with it',
      'listener/parting.test.ts',
      'ends with a Notice of Disconnection when its time is over',
    ],
    [
      'known binds',
      'what was right a short while ago is not hashed again, and no refusal comes from there',
      'directory/same-work.test.ts',
      'is not hashed again, and is as good as it would be',
    ],
    [
      '0142',
      'a right password that must be changed counts as no failed attempt',
      'directory/attempts.test.ts',
      'has to be changed first (STS-AUTHN-0142) counts nothing',
    ],
    [
      'outbox',
      'what was answered is to be told of, after kill -9 too',
      'flows/links-kill.test.ts',
      'what was answered is in the outbox after kill -9',
    ],
  ]),
  ...section('ours, validity', [
    [
      'window',
      'outside of stsValidFrom and stsValidUntil nobody is let in, at any door, as by a wrong password',
      'flows/ends.test.ts',
      'outside of stsValidFrom and stsValidUntil the answer is that of a wrong password',
    ],
    [
      'by itself',
      'what is open ends at the moment it is over, without a write',
      'flows/ends.test.ts',
      'what is open ends at the moment it is over',
    ],
    ['threads', 'connections on read workers end, too', 'flows/ends.test.ts', 'connections on read workers end, too'],
    [
      'kill',
      'what was disabled while nobody listened ends at the next start; enabling revives nothing',
      'flows/ends.test.ts',
      'a disable while the service stood still, and one before kill -9',
    ],
    [
      'command',
      'atrium person validity writes and shows both',
      'commands/accounts-page.test.ts',
      'the commands of docs/accounts.md do what they say',
    ],
  ]),
  ...section('ours, the deleted', [
    [
      'kept',
      'the entry without what its person signed in with; restored with entryUUID and groups',
      'flows/deleted.test.ts',
      'restored with their entryUUID and groups',
    ],
    [
      'taken names',
      'a name that is somebody else’s by now is not taken from them',
      'flows/deleted.test.ts',
      'is somebody else’s by now is not taken from them; nor is an address',
    ],
    [
      'seen',
      'by those who manage it, and by nobody else',
      'flows/deleted.test.ts',
      'what is kept is made by the directory, seen and restored by those who manage it',
    ],
    ['replicas and exports', 'hear nothing of it', 'flows/deleted.test.ts', 'replicas and exports hear nothing of what is kept'],
    ['days', 'directory.tombstoneDays, by itself', 'flows/deleted.test.ts', 'what is kept goes by itself when its time is over'],
    ['number', 'directory.tombstonesMax of a realm, the first deleted go first', 'directory/tombstones.test.ts', 'those deleted first go'],
  ]),
  ...section('ours, why', [
    [
      'rules',
      'each rule as the door judges it, with the same code',
      'flows/why.test.ts',
      'atrium why says of each rule what the door does, with the same code',
    ],
    ['what to change', 'the entry or the setting', 'flows/why.test.ts', 'a second factor that is held is told, and the entry to change'],
    ['counters', 'none is moved', 'flows/why.test.ts', 'a password is judged without moving a counter'],
    ['who is told', 'those who manage the realm', 'flows/why.test.ts', 'only those who manage the realm are told, and nothing of others'],
    ['stopped', 'the same of the folder of a stopped service', 'flows/why.test.ts', 'the same is told of the folder of a stopped service'],
  ]),
  ...section('ours, links and mail', [
    ['single use', 'of many posts one sets its password', 'flows/links.test.ts', 'two browsers with one link at once'],
    ['hashed', 'the token is in no log, row or file', 'flows/links.test.ts', 'the token of a link is in no log, no audit row and no file'],
    ['address', 'never one that a request names', 'flows/forgot.test.ts', 'mail goes to nobody but a verified address of an entry'],
    [
      'same work',
      'of a forgotten password, whoever it is',
      'portal/forgot.test.ts',
      'the same searches, the same link, the same mail and the same writes',
    ],
    ['second process', 'what it mails is handed over at once', 'flows/beside.test.ts', 'what the web process mails waits for the service'],
    [
      'told',
      'people are told of what changed',
      'flows/told.test.ts',
      'whoever changes what somebody signs in with, by LDAP too, they are told',
    ],
  ]),
  ...section('ours, tokens', [
    [
      'entry',
      'an ldapmodify of an application counts at the next authorization request',
      'oauth/between.test.ts',
      'an ldapmodify of an application entry between two whole authorization requests counts in the second',
    ],
    ['iss and aud', 'a named server’s tokens carry its name in both', 'oauth/between.test.ts', 'a named server: its tokens carry the name'],
    ['keys of clients', 'private_key_jwt: own key, this server, once', 'oauth/between.test.ts', 'private_key_jwt: an assertion is of'],
    ['pushed', 'a pushed request waits as long as its sign-in', 'oauth/between.test.ts', 'a pushed request waits as long as the sign-in'],
    [
      'consent',
      'a consent withdrawn in the portal takes with it what was issued',
      'oauth/between.test.ts',
      'a consent that is withdrawn at /portal/consents takes with it',
    ],
    [
      'mail',
      'an application may take no mailed code',
      'oauth/email.test.ts',
      'stsRefuseEmailFactor: a session that stands on a mailed code',
    ],
    ['moved', 'keys move with their realm, sealed for the way', 'oauth/moved.test.ts', 'a realm as LDIF with its signing keys'],
    ['restore', 'a restore ends tokens', 'oauth/moved.test.ts', 'a restore ends every token and code that was issued before it'],
    ['devices', 'a device may name a resource', 'oauth/between.test.ts', 'a device that names a resource has a token for it'],
  ]),
  ...section('ours, programs', [
    [
      'enumerate',
      'a right that lifts the limits of a search and gives nothing else',
      'directory/limits.test.ts',
      'the right to enumerate where a search begins',
    ],
    [
      'foreign hashes',
      'judged once and replaced, each made by a real program',
      'flows/foreign-hashes.test.ts',
      'a person of every scheme, each hash made by a real program',
    ],
  ]),
];
