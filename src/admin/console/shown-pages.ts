import type { EachAct, ShownPage } from './places.ts';

const settings = {
  columns: ['name', 'value', 'from', 'means'],
  each: [
    {
      name: 'config.set',
      // The environment's form of a list, which the operation reads too.
      given: { name: 'name', 'in.value': ({ value }) => (Array.isArray(value) ? value.join(',') : String(value ?? '')) },
      keeps: ['realm'],
      thing: 'name',
      verb: 'Change',
      when: ({ changeable }) => changeable === true,
    },
    {
      name: 'config.reset',
      given: { name: 'name' },
      keeps: ['realm'],
      thing: 'name',
      verb: 'Reset',
      when: ({ from }) => from === 'stored' || from === 'own',
    },
  ],
} satisfies Partial<ShownPage>;

const revoke: EachAct = {
  name: 'tokens.revoke',
  given: { setKey: 'setKey' },
  thing: 'setKey',
  verb: 'Revoke',
  when: ({ state }) => state === 'active',
};

/** A line for each page that shows what an operation answers. */
export const shown: readonly ShownPage[] = [
  {
    group: 'People',
    path: '/admin/mfa',
    words: 'Second factors',
    shows: 'mfa.list',
    columns: ['dn', 'uid', 'name', 'keys', 'authenticatorApp', 'recoveryCodesLeft', 'email'],
  },
  {
    group: 'People',
    path: '/admin/deleted-users',
    words: 'Deleted people',
    shows: 'users.deleted',
    columns: ['name', 'dn', 'deleted', 'by', 'keptUntil'],
    each: [{ name: 'users.restore', given: { user: 'id' }, thing: 'name', verb: 'Restore' }],
  },
  {
    group: 'People',
    path: '/admin/deleted-groups',
    words: 'Deleted groups',
    shows: 'groups.deleted',
    columns: ['name', 'dn', 'deleted', 'by', 'keptUntil'],
    each: [{ name: 'groups.restore', given: { group: 'id' }, thing: 'name', verb: 'Restore' }],
  },
  {
    group: 'Applications',
    path: '/admin/deleted-applications',
    words: 'Deleted applications',
    shows: 'applications.deleted',
    columns: ['name', 'dn', 'deleted', 'by', 'keptUntil'],
    each: [{ name: 'applications.restore', given: { application: 'id' }, thing: 'name', verb: 'Restore' }],
  },
  {
    group: 'Sign-in',
    path: '/admin/sessions',
    words: 'Sessions',
    shows: 'sessions.list',
    columns: ['username', 'address', 'ways', 'began', 'lastUsed', 'ends'],
    ways: { username: ({ userId }) => (typeof userId === 'string' ? [`/admin/users/${userId}`] : undefined) },
    each: [
      {
        name: 'sessions.end',
        given: { user: 'userId', sid: 'sid' },
        thing: 'username',
        verb: 'End',
        when: ({ userId }) => userId !== undefined,
      },
    ],
  },
  {
    group: 'Applications',
    path: '/admin/tokens',
    words: 'Tokens',
    shows: 'tokens.list',
    columns: ['client_id', 'username', 'grant', 'scope', 'issuedAt', 'expiresAtMs', 'state'],
    ways: {
      username: ({ sub }) => (/^urn:uuid:/.test(String(sub)) ? [`/admin/users/${String(sub).slice('urn:uuid:'.length)}`] : undefined),
      issuedAt: ({ setKey }) => ['/admin/tokens/set', { setKey: String(setKey) }],
    },
    each: [revoke],
  },
  { group: 'Applications', path: '/admin/tokens/set', words: 'A token set', shows: 'tokens.set', one: [revoke] },
  { group: 'Sign-in', path: '/admin/webauthn', words: 'Security keys', shows: 'webauthn.settings', ...settings },
  { group: 'Sign-in', path: '/admin/totp', words: 'Authenticator apps', shows: 'totp.settings', ...settings },
  { group: 'Sign-in', path: '/admin/backup-codes', words: 'Recovery codes', shows: 'backup-codes.settings', ...settings },
  { group: 'Directory', path: '/admin/access-rules/explain', words: 'Which rule decides', shows: 'access.explain', needs: 'write' },
  {
    group: 'Realms',
    path: '/admin/realms',
    words: 'Realms',
    shows: 'realms.list',
    acts: ['realms.create'],
    columns: ['id', 'name', 'suffix', 'mode', 'state', 'owed'],
    each: [
      {
        name: 'realms.change',
        given: { id: 'id', 'in.name': 'name', 'in.mode': 'mode', etag: 'etag' },
        thing: 'id',
        verb: 'Change',
        when: ({ id }) => id !== 'default',
      },
      { name: 'realms.remove', given: { id: 'id' }, thing: 'id', verb: 'Remove', when: ({ id }) => id !== 'default' },
    ],
  },
  {
    group: 'Monitoring',
    path: '/admin/audit',
    words: 'Audit',
    shows: 'audit.list',
    columns: ['time', 'outcome', 'action', 'subject', 'errorCode', 'summary', 'address'],
    intro: 'What happened, the newest first. A code may be given by its beginning: STS-OAUTH shows a subsystem.',
  },
  {
    group: 'Monitoring',
    path: '/admin/error-codes',
    words: 'Error codes',
    shows: 'error-codes.list',
    intro: 'Every code that this service may record, with how many rows of the audit trail carry it. A code leads to its rows.',
  },
  { group: 'Monitoring', path: '/admin/status', words: 'Status', shows: 'status.show' },
  {
    group: 'Service',
    path: '/admin/keys',
    words: 'Signing keys',
    shows: 'keys.list',
    acts: ['keys.rotate'],
    way: ['/admin/keys/emergency', 'Emergency rotation'],
    columns: ['algorithm', 'state', 'kid', 'since', 'until'],
  },
  {
    group: 'Service',
    path: '/admin/sts-metadata',
    words: 'Endpoints',
    shows: 'sts-metadata.show',
    intro:
      'Every route, from the router as it is mounted, held against the tables that describe it. The six lists at the top are empty when they agree.',
  },
  { group: 'Service', path: '/admin/crypto-metadata', words: 'Cryptography', shows: 'crypto.show' },
  { group: 'Directory', path: '/admin/ldap/service', words: 'LDAP service', shows: 'ldap.service' },
  { group: 'Directory', path: '/admin/ldap/directory', words: 'Entries', shows: 'ldap.directory', columns: ['dn', 'attributes'] },
  {
    group: 'Directory',
    path: '/admin/ldap/applications',
    words: 'Entries of applications',
    shows: 'ldap.applications',
    columns: ['dn', 'attributes'],
  },
  {
    group: 'Service',
    path: '/admin/settings',
    words: 'Settings',
    shows: 'config.list',
    ...settings,
  },
  {
    group: 'Service',
    path: '/admin/tasks',
    words: 'Backup and tasks',
    shows: 'tasks.list',
    acts: ['backup.create'],
    service: true,
  },
];
