import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, freePort, type Server, stopProgram } from './process.ts';

const adminPassword = 'bench-administrator';

/** Debian's slapd with back-mdb, indexes on what Atrium indexes, and no log: its fair configuration. */
export async function startSlapd(folder: string, suffix: string, ldifFile: string): Promise<Server> {
  const adminDn = `cn=admin,${suffix}`;
  const database = join(folder, 'slapd');
  mkdirSync(database, { recursive: true });
  const config = join(folder, 'slapd.conf');
  const schemas = ['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`);
  writeFileSync(
    config,
    [
      ...schemas,
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      'loglevel none',
      'threads 4',
      'sizelimit unlimited',
      'database mdb',
      `suffix "${suffix}"`,
      `rootdn "${adminDn}"`,
      `rootpw ${adminPassword}`,
      `directory ${database}`,
      'maxsize 8589934592',
      'index objectClass,uid,givenName,member,memberUid,uidNumber,gidNumber,ou,displayName,employeeNumber eq',
      'index cn,sn,mail eq,sub',
      '',
    ].join('\n'),
  );
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', config, '-l', ldifFile]);
  const port = await freePort();
  // -d 0 keeps it in the foreground without a log, so that it is up is found out by asking.
  const child = spawn('/usr/sbin/slapd', ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'], { stdio: 'ignore' });
  await answers(port);
  return { name: 'slapd', port, pid: child.pid ?? 0, adminDn, adminPassword, stop: () => stopProgram(child) };
}

/** scrypt as libxcrypt writes it: N = 2^15, r = 8, p = 1, the work that Atrium's own hashes ask for. */
export function cryptScrypt(password: string): string {
  const salt = 'QmVuY2htYXJr';
  const script = 'print crypt($ARGV[0], $ARGV[1])';
  return `{CRYPT}${execFileSync('perl', ['-e', script, password, `$7$D6..../....${salt}$`]).toString()}`;
}
