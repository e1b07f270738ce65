import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, runProgram, startServer, stopProgram } from '../../bench/process.ts';
import type { LdapUtilsTarget } from './ldap-utils.ts';
import { findProgram } from './programs.ts';

/** Debian's slapd, with the schema that comes with it. */
export interface Slapd extends AsyncDisposable {
  /** As its rootdn, who may do everything. */
  readonly root: LdapUtilsTarget;
  /** The path of its configuration, for slapcat. */
  readonly config: string;
}

export interface SlapdOptions {
  readonly suffix: string;
  /** What it holds at first, as LDIF. */
  readonly content: string;
  /** Lines of its configuration: in front of the database, and of the database. */
  readonly global?: readonly string[];
  readonly database?: readonly string[];
}

export async function startSlapd({ suffix, content, global = [], database = [] }: SlapdOptions): Promise<Slapd> {
  const program = findProgram('slapd');
  if (program === undefined) throw new Error('slapd is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'atrium-slapd-'));
  const forget = () => rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(join(folder, 'data'));
    const [config, ldif] = [join(folder, 'slapd.conf'), join(folder, 'content.ldif')];
    writeFileSync(ldif, content);
    writeFileSync(config, configuration(suffix, folder, global, database));
    await runProgram('/usr/sbin/slapadd', ['-q', '-f', config, '-l', ldif]);
    const port = await freePort();
    const url = `ldap://127.0.0.1:${port}`;
    const { child } = await startServer(program, ['-f', config, '-h', url, '-d', '0'], port, process.env);
    return {
      root: { url, dn: rootDn(suffix), password: rootPassword },
      config,
      [Symbol.asyncDispose]: async () => {
        await stopProgram(child);
        forget();
      },
    };
  } catch (error) {
    forget();
    throw error;
  }
}

const rootPassword = 'secret';
const rootDn = (suffix: string) => `cn=root,${suffix}`;

function configuration(suffix: string, folder: string, global: readonly string[], database: readonly string[]): string {
  return [
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'loglevel none',
    'attributeoptions lang- x-',
    ...global,
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${rootDn(suffix)}"`,
    `rootpw ${rootPassword}`,
    `directory ${join(folder, 'data')}`,
    'maxsize 104857600',
    // Nothing here is meant to survive a loss of power.
    'dbnosync',
    'index objectClass,uid eq',
    ...database,
    '',
  ].join('\n');
}
