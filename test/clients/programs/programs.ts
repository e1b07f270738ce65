import type { World } from './world.ts';

interface ProgramRow {
  /** The pages that an administrator follows for it, one behind the other; the last is its own. The index comes before all of them. */
  readonly pages: readonly string[];
  /** The group whose members are let in. */
  readonly group: string;
  /** What has a machine that is in use already begin as a new one would. */
  readonly afresh?: string;
  /** What the test needs besides what the pages have installed. */
  readonly packages: readonly string[];
  readonly test: () => Promise<{ readonly test: (world: World, group: string) => Promise<void> }>;
}

/** The programs that are run for real, each with its page. */
export const programs = {
  dovecot: { pages: ['dovecot'], group: 'mail', packages: [], test: () => import('./checks/dovecot.ts') },
  postfix: { pages: ['dovecot', 'postfix'], group: 'mail', packages: [], test: () => import('./checks/postfix.ts') },
  apache: { pages: ['apache'], group: 'wiki', packages: [], test: () => import('./checks/apache.ts') },
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
