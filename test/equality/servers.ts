import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatLdifRecord, type LdifContent } from '#ldap';
import { freePort, runProgram, startServer, stopProgram } from '../../bench/process.ts';
import { suffix } from '../directory/driver.ts';
import { publicOfPeople } from '../directory/plain-search.ts';
import { testEnvironment } from '../support/atrium.ts';
import { administrator, groups, password, people, withPassword } from './content.ts';
import { followed, required } from './model.ts';

export interface Running {
  readonly port: number;
  /** The last of what it wrote on standard error. */
  said(): string;
  stop(): Promise<void>;
}

const cli = join(dirname(dirname(import.meta.dirname)), 'atrium.mjs');

/** A whole Atrium in product mode, filled by an import. */
export async function startAtrium(folder: string, content: readonly LdifContent[], stored: string): Promise<Running> {
  const file = writeContent(folder, 'atrium.ldif', content, stored);
  const port = await freePort();
  const environment = {
    ...process.env,
    ...testEnvironment(join(folder, 'atrium')),
    STS_REALMS_DEFAULT_SUFFIX: suffix,
    STS_LDAP_PORT: String(port),
    STS_LDAP_TLS_PORT: '',
    STS_HTTP_PORT: '',
    STS_HTTP_TLS_PORT: '',
    STS_LOG_LEVEL: 'error',
    STS_LDAP_ANONYMOUS_READ: 'public',
    STS_LDAP_SEARCH_SIZE_LIMIT: '100000',
  };
  await runProgram(process.execPath, [cli, 'import', file], environment);
  const { child, said } = await startServer(process.execPath, [cli, 'serve'], port, environment);
  return { port, said, stop: () => stopProgram(child) };
}

/** Debian's slapd with access rules that give the same. It reads passwords in clear: what is compared is no password. */
export async function startSlapd(program: string, folder: string, content: readonly LdifContent[]): Promise<Running> {
  const file = writeContent(folder, 'slapd.ldif', content, password);
  const database = join(folder, 'slapd');
  mkdirSync(database);
  const config = join(folder, 'slapd.conf');
  writeFileSync(config, configuration(database));
  await runProgram('/usr/sbin/slapadd', ['-q', '-f', config, '-l', file]);
  const port = await freePort();
  const { child, said } = await startServer(program, ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'], port, process.env);
  return { port, said, stop: () => stopProgram(child) };
}

function writeContent(folder: string, name: string, content: readonly LdifContent[], stored: string): string {
  const file = join(folder, name);
  writeFileSync(file, content.map((record) => formatLdifRecord(withPassword(record, stored))).join(''));
  return file;
}

const frame = ['dc', 'o', 'ou', 'description'];
const publicOfGroups = ['cn', 'ou', 'o', 'description', 'member', 'uniqueMember', 'memberUid', 'owner', 'gidNumber', 'businessCategory'];

function configuration(database: string): string {
  const reads = (what: string, names: readonly string[]) => `access to ${what} attrs=entry,objectClass,${names.join(',')} by * read`;
  return [
    ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'moduleload refint',
    'loglevel none',
    'attributeoptions lang- x-old',
    'sizelimit unlimited',
    'timelimit unlimited',
    'database mdb',
    `suffix "${suffix}"`,
    'rootdn "cn=nobody"',
    `directory ${database}`,
    'maxsize 1073741824',
    // Nothing here is meant to survive a loss of power.
    'dbnosync',
    'index objectClass,uid,member eq',
    'index cn,mail eq,sub',
    'access to attrs=userPassword by anonymous auth by * none',
    `access to * by dn.exact="${administrator}" write by self read by * break`,
    reads(`dn.exact="${suffix}"`, frame),
    reads(`dn.exact="${people}"`, frame),
    reads(`dn.exact="${groups}"`, frame),
    reads(`dn.children="${people}"`, publicOfPeople),
    reads(`dn.children="${groups}"`, publicOfGroups),
    'access to * by * none',
    // Without "nothing" the last value of an optional attribute goes, as here; with it, it becomes that.
    'overlay refint',
    `refint_attributes ${followed.filter((name) => !required.has(name)).join(' ')}`,
    'overlay refint',
    `refint_attributes ${[...required].join(' ')}`,
    'refint_nothing ""',
    '',
  ].join('\n');
}
