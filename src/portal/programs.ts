import { programTexts as texts } from './programs-texts.ts';

/** What the settings of a program are made of. */
export interface Connection {
  /** Where programs reach the directory. */
  readonly host: string;
  readonly port: string;
  readonly security: 'ldaps' | 'starttls' | 'none';
  readonly userName: string;
  readonly dn: string;
  /** Below which people stand. */
  readonly base: string;
  /** The app password. */
  readonly value: string;
}

type Rows = readonly (readonly [label: string, value: string])[];

/** A program that takes an app password: how it is called, and its settings. */
interface Program {
  readonly name: string;
  readonly rows: (connection: Connection) => Rows;
  /** Lines of its configuration, ready to copy. */
  readonly lines?: (connection: Connection) => readonly string[];
}

const person = (name: string) => `(&(objectClass=person)(uid=${name}))`;
const url = ({ host, port, security }: Connection) => `${security === 'ldaps' ? 'ldaps' : 'ldap'}://${host}:${port}`;
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
const startsTls = ({ security }: Connection, line: string) => (security === 'starttls' ? [line] : []);

const directory = (connection: Connection, filter: string): Rows => [
  [texts.server, connection.host],
  [texts.port, connection.port],
  [texts.security, texts.securities[connection.security]],
  [texts.userName, connection.userName],
  [texts.dn, connection.dn],
  [texts.base, connection.base],
  [texts.filter, filter],
];

/** By the word that is kept with the app password. */
export const programs = {
  mail: {
    name: texts.mail,
    rows: ({ userName }) => [
      [texts.server, texts.mailServer],
      [texts.security, texts.mailSecurity],
      [texts.userName, userName],
      [texts.authentication, texts.mailAuthentication],
    ],
  },
  dovecot: {
    name: 'Dovecot',
    rows: (connection) => directory(connection, person('%u')),
    lines: (connection) => [
      '# /etc/dovecot/dovecot-ldap.conf.ext',
      `uris = ${url(connection)}`,
      ...startsTls(connection, 'tls = yes'),
      'ldap_version = 3',
      `dn = ${connection.dn}`,
      `dnpass = ${connection.value}`,
      'auth_bind = yes',
      `base = ${connection.base}`,
      `pass_filter = ${person('%u')}`,
      `user_filter = ${person('%u')}`,
    ],
  },
  postfix: {
    name: 'Postfix',
    rows: (connection) => directory(connection, '(mail=%s)'),
    lines: (connection) => [
      '# /etc/postfix/ldap-people.cf',
      `server_host = ${url(connection)}`,
      ...startsTls(connection, 'start_tls = yes'),
      'version = 3',
      'bind = yes',
      `bind_dn = ${connection.dn}`,
      `bind_pw = ${connection.value}`,
      `search_base = ${connection.base}`,
      'query_filter = (mail=%s)',
      'result_attribute = uid',
    ],
  },
  apache: {
    name: 'Apache httpd',
    rows: (connection) => directory(connection, '(objectClass=person)'),
    lines: (connection) => [
      'AuthType Basic',
      'AuthBasicProvider ldap',
      `AuthLDAPURL ${quoted(`${url(connection)}/${connection.base}?uid?sub?(objectClass=person)`)}${connection.security === 'starttls' ? ' STARTTLS' : ''}`,
      `AuthLDAPBindDN ${quoted(connection.dn)}`,
      `AuthLDAPBindPassword ${quoted(connection.value)}`,
      'Require valid-user',
    ],
  },
  postgresql: {
    name: 'PostgreSQL',
    rows: (connection) => directory(connection, '(objectClass=person)'),
    lines: (connection) => [
      '# pg_hba.conf',
      [
        'hostssl all all all ldap',
        `ldapurl=${quoted(`${url(connection)}/${connection.base}?uid?sub?(objectClass=person)`)}`,
        ...startsTls(connection, 'ldaptls=1'),
        `ldapbinddn=${quoted(connection.dn)}`,
        `ldapbindpasswd=${quoted(connection.value)}`,
      ].join(' '),
    ],
  },
  freeradius: {
    name: 'FreeRADIUS',
    rows: (connection) => directory(connection, person('%{User-Name}')),
    lines: (connection) => [
      '# mods-available/ldap',
      'ldap {',
      `\tserver = ${quoted(url(connection))}`,
      `\tidentity = ${quoted(connection.dn)}`,
      `\tpassword = ${quoted(connection.value)}`,
      `\tbase_dn = ${quoted(connection.base)}`,
      ...startsTls(connection, '\ttls {\n\t\tstart_tls = yes\n\t}'),
      '\tuser {',
      `\t\tbase_dn = ${quoted(connection.base)}`,
      `\t\tfilter = ${quoted(person('%{%{Stripped-User-Name}:-%{User-Name}}'))}`,
      '\t}',
      '}',
    ],
  },
  sssd: {
    name: 'sssd',
    rows: (connection) => directory(connection, '(objectClass=posixAccount)'),
    lines: (connection) => [
      '# /etc/sssd/sssd.conf',
      '[domain/atrium]',
      'id_provider = ldap',
      'auth_provider = ldap',
      `ldap_uri = ${url(connection)}`,
      ...startsTls(connection, 'ldap_id_use_start_tls = true'),
      `ldap_user_search_base = ${connection.base}`,
      `ldap_default_bind_dn = ${connection.dn}`,
      `ldap_default_authtok = ${connection.value}`,
    ],
  },
  nslcd: {
    name: 'nslcd',
    rows: (connection) => directory(connection, '(objectClass=posixAccount)'),
    lines: (connection) => [
      '# /etc/nslcd.conf',
      `uri ${url(connection)}`,
      ...startsTls(connection, 'ssl start_tls'),
      `binddn ${connection.dn}`,
      `bindpw ${connection.value}`,
      `base passwd ${connection.base}`,
      `base shadow ${connection.base}`,
    ],
  },
  other: {
    name: texts.other,
    rows: (connection) => directory(connection, `(uid=${connection.userName})`),
  },
} as const satisfies Record<string, Program>;

export type ProgramId = keyof typeof programs;

export function isProgram(given: string): given is ProgramId {
  return Object.hasOwn(programs, given);
}

/** A program as its row says, whatever it is. */
export function programOf(id: ProgramId): Program {
  return programs[id];
}

/** Where programs find the directory, by its address and by how browsers reach this service: `localhost` is nobody else's. */
export function reachedAt(ldapUrl: string, origin: string, startTls: boolean): Pick<Connection, 'host' | 'port' | 'security'> {
  const [directoryAt, browsersAt] = [new URL(ldapUrl), new URL(origin)];
  const isTls = directoryAt.protocol === 'ldaps:';
  return {
    host: browsersAt.hostname,
    port: directoryAt.port === '' ? (isTls ? '636' : '389') : directoryAt.port,
    security: isTls ? 'ldaps' : startTls ? 'starttls' : 'none',
  };
}
