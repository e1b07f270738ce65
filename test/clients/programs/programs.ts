import type { World } from './world.ts';

interface ProgramRow {
  /** The pages that an administrator follows for it, one behind the other; the last is its own. The index comes before all of them. */
  readonly pages: readonly string[];
  /** The group whose members are let in. */
  readonly group: string;
  /** What has a machine that is in use already begin as a new one would. */
  readonly afresh?: string;
  /** Settings of Atrium that the page takes for given, beside those of all pages. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What the machine has before the page is followed. */
  readonly before?: () => Promise<void>;
  /** What the test needs besides what the pages have installed. */
  readonly packages: readonly string[];
  readonly test: () => Promise<{ readonly test: (world: World, group: string) => Promise<void> }>;
}

/** Atrium and a site are two machines, with one address each; here they are addresses of one. */
const besideSite = { STS_HTTP_HOST: '127.0.0.1', STS_HTTP_TLS_PORT: '443' };

/** The programs that are run for real, each with its page. */
export const programs = {
  dovecot: { pages: ['dovecot'], group: 'mail', packages: [], test: () => import('./checks/dovecot.ts') },
  postfix: { pages: ['dovecot', 'postfix'], group: 'mail', packages: [], test: () => import('./checks/postfix.ts') },
  apache: { pages: ['apache'], group: 'wiki', packages: [], test: () => import('./checks/apache.ts') },
  'apache-openid-connect': {
    pages: ['apache-openid-connect'],
    group: 'wiki',
    settings: besideSite,
    before: async () => (await import('./checks/apache-openid-connect.ts')).prepare(),
    packages: [],
    test: () => import('./checks/apache-openid-connect.ts'),
  },
  'python-authlib': {
    pages: ['python-authlib'],
    group: 'notes',
    settings: besideSite,
    before: async () => (await import('./checks/python-authlib.ts')).prepare(),
    packages: [],
    test: () => import('./checks/python-authlib.ts'),
  },
  postgresql: {
    pages: ['postgresql'],
    group: 'databases',
    afresh: 'rm -rf /etc/postgresql/15/main /var/lib/postgresql/15/main; pg_createcluster 15 main',
    packages: [],
    test: () => import('./checks/postgresql.ts'),
  },
  freeradius: {
    pages: ['freeradius'],
    group: 'network',
    packages: ['freeradius-utils', 'eapoltest'],
    test: () => import('./checks/freeradius.ts'),
  },
  sssd: { pages: ['sssd'], group: 'linux', packages: ['pamtester'], test: () => import('./checks/sssd.ts') },
  nslcd: { pages: ['nslcd'], group: 'linux', packages: ['pamtester'], test: () => import('./checks/nslcd.ts') },
} as const satisfies Record<string, ProgramRow>;

export type ProgramName = keyof typeof programs;

export const rowOf = (name: ProgramName): ProgramRow => programs[name];
export const isProgram = (name: string): name is ProgramName => Object.hasOwn(programs, name);
