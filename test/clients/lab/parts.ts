import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a client is made of: an interpreter, and the libraries that it must be able to load. */
interface Part {
  readonly packages: readonly string[];
  /** Debian's own interpreter first: only that one sees Debian's libraries. */
  readonly interpreter: string;
  /** Arguments with which the interpreter ends with 0 where the libraries are there. */
  readonly probe: readonly string[];
}

const phpLoads = 'foreach (["ldap", "xml", "gettext"] as $name) if (!extension_loaded($name)) exit(1);';

/** `php-cgi` keeps Debian from bringing Apache along with phpLDAPadmin. */
export const parts = {
  'python3-ldap3': { packages: ['python3-ldap3'], interpreter: 'python3', probe: ['-c', 'import ldap3'] },
  'python3-ldap': { packages: ['python3-ldap', 'libsasl2-modules'], interpreter: 'python3', probe: ['-c', 'import ldap'] },
  'python3-authlib': {
    packages: ['python3-authlib', 'python3-requests'],
    interpreter: 'python3',
    probe: ['-c', 'import authlib, requests'],
  },
  'net-ldap-perl': {
    packages: ['libnet-ldap-perl', 'libauthen-sasl-perl', 'libio-socket-ssl-perl'],
    interpreter: 'perl',
    probe: ['-MNet::LDAP', '-MAuthen::SASL', '-MIO::Socket::SSL', '-e', '1'],
  },
  'net-ldap-ruby': { packages: ['ruby', 'ruby-net-ldap'], interpreter: 'ruby', probe: ['-e', 'require "net/ldap"'] },
  'php-ldap': { packages: ['php-cli', 'php-cgi', 'php-ldap', 'php-xml'], interpreter: 'php', probe: ['-r', phpLoads] },
  // A runtime without the compiler cannot run a source file.
  jndi: { packages: ['default-jdk-headless'], interpreter: 'java', probe: ['--describe-module', 'jdk.compiler'] },
  phpldapadmin: {
    packages: ['phpldapadmin', 'php-cgi'],
    interpreter: 'php',
    probe: ['-r', 'exit(is_file("/usr/share/phpldapadmin/htdocs/index.php") ? 0 : 1);'],
  },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;

/** The path of the interpreter of a part: Debian's, else the first of the PATH; `undefined` where there is none. */
export function interpreterOf(name: PartName): string | undefined {
  const { interpreter } = parts[name];
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, interpreter)).find((path) => existsSync(path));
}

/** Whether a client can be run now. */
export function isThere(name: PartName): boolean {
  const interpreter = interpreterOf(name);
  return interpreter !== undefined && spawnSync(interpreter, parts[name].probe, { stdio: 'ignore' }).status === 0;
}
