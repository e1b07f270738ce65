import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexVersion } from '#directory';
import { freePort, type Peer, runProgram, startServer, stopProgram } from './process.ts';

const adminPassword = 'bench-administrator';
/** As Debian starts it: what npm's launcher asks of malloc is meant for Node. */
const { GLIBC_TUNABLES: _, ...environment } = process.env;
const programs = ['/usr/sbin/slapd', '/usr/sbin/slapadd', '/usr/sbin/slapcat'];

/** What is missing to run slapd, in words for whoever wants to; nothing when all is there. */
export function slapdMissing(): string | undefined {
  const missing = programs.filter((program) => !existsSync(program));
  if (missing.length === 0) return undefined;
  return `Debian's slapd is not installed (${missing.join(', ')}): apt-get install --no-install-recommends slapd`;
}

/**
 * Debian's slapd with back-mdb in its fair configuration: an index on each attribute that Atrium has one on, substring indexes where
 * Atrium has them, no log, passwords hidden and all else readable by who has bound. A write is on disk before it is
 * answered: that is back-mdb's default, and nothing here takes it back.
 */
export function slapdPeer(folder: string, suffix: string): Peer {
  const adminDn = `cn=admin,${suffix}`;
  const database = join(folder, 'slapd');
  const config = join(folder, 'slapd.conf');
  const configure = (threads: number) => writeFileSync(config, configuration({ suffix, adminDn, database, threads }));
  return {
    name: 'slapd',
    load(ldifFile) {
      rmSync(database, { recursive: true, force: true });
      mkdirSync(database, { recursive: true });
      configure(defaultThreads);
      return runProgram('/usr/sbin/slapadd', ['-q', '-f', config, '-l', ldifFile], environment);
    },
    dump(ldifFile) {
      rmSync(ldifFile, { force: true });
      return runProgram('/usr/sbin/slapcat', ['-f', config, '-l', ldifFile], environment);
    },
    async start(threads) {
      configure(threads);
      const port = await freePort();
      // -d 0 keeps it in the foreground without a log.
      const args = ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'];
      const { child, startS } = await startServer('/usr/sbin/slapd', args, port, environment);
      return { name: 'slapd', port, pid: child.pid ?? 0, adminDn, adminPassword, startS, stop: () => stopProgram(child) };
    },
  };
}

const defaultThreads = 4;

interface Configuration {
  readonly suffix: string;
  readonly adminDn: string;
  readonly database: string;
  readonly threads: number;
}

function configuration({ suffix, adminDn, database, threads }: Configuration): string {
  return [
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'loglevel none',
    `threads ${threads}`,
    // The import may use both cores, as Atrium's may.
    'tool-threads 2',
    'sizelimit unlimited',
    'timelimit unlimited',
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${adminDn}"`,
    `rootpw ${adminPassword}`,
    `directory ${database}`,
    'maxsize 17179869184',
    ...slapdIndexes(indexVersion),
    'access to attrs=userPassword by anonymous auth by * none',
    'access to * by users read',
    '',
  ].join('\n');
}

/**
 * The lines that give slapd the indexes that Atrium has.
 *
 * @param version  Atrium's own words for its table of indexes: what stands between stars is found by what is anywhere in a value
 */
export function slapdIndexes(version: string): string[] {
  // A plus behind a name says that very many values of it lie outside of their entry, which is no index of another kind. Types of our own slapd does not know.
  const names = version
    .split(' ')
    .slice(1)
    .map((name) => name.replace(/\+$/, ''))
    .filter((name) => !name.startsWith('sts'));
  const inside = names.filter((name) => name.startsWith('*')).map((name) => name.slice(1, -1));
  const others = names.filter((name) => !name.startsWith('*'));
  return [`index ${others.join(',')} eq`, `index ${inside.join(',')} eq,sub`];
}

/** scrypt as libxcrypt writes it: N = 2^15, r = 8, p = 1, the work that Atrium's own hashes ask for. */
export function cryptScrypt(password: string): string {
  const salt = 'QmVuY2htYXJr';
  const script = 'print crypt($ARGV[0], $ARGV[1])';
  return `{CRYPT}${execFileSync('perl', ['-e', script, password, `$7$D6..../....${salt}$`]).toString()}`;
}
