import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startServer, stopProgram } from '../../bench/process.ts';
import { suffix } from '../directory/driver.ts';
import { administrator, password } from '../equality/content.ts';
import { testEnvironment } from '../support/atrium.ts';
import type { LdapUtilsTarget } from '../support/ldap-utils.ts';
import { slapdSchema } from './schema.ts';

/** A server that is started and stopped again and again, on the same port and the same data. */
export interface Peer {
  readonly port: number;
  readonly as: LdapUtilsTarget;
  readonly running: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

const cli = join(import.meta.dirname, '..', '..', 'atrium.mjs');

/** Atrium as the provider. @param settings  over those of every test */
export async function createAtrium(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Peer> {
  const port = await freePort();
  const environment = {
    ...process.env,
    ...testEnvironment(join(folder, 'atrium')),
    STS_REALMS_DEFAULT_SUFFIX: suffix,
    STS_ADMIN_BOOTSTRAP_PASSWORD: password,
    STS_LDAP_PORT: String(port),
    STS_LDAP_TLS_PORT: '',
    STS_HTTP_PORT: '',
    STS_HTTP_TLS_PORT: '',
    STS_LOG_LEVEL: 'error',
    STS_LDAP_ANONYMOUS_READ: 'public',
    ...settings,
  };
  const start = () => startServer(process.execPath, [cli, 'serve'], port, environment);
  return peer(port, { url: `ldap://127.0.0.1:${port}`, dn: administrator, password }, start);
}

const rootDn = `cn=root,${suffix}`;

/** Debian's slapd as a copy of a provider. */
export async function createConsumer(folder: string, provider: Peer, type: 'refreshAndPersist' | 'refreshOnly'): Promise<Peer> {
  const database = join(folder, 'copy');
  mkdirSync(database);
  const follow = [
    `syncrepl rid=001 provider=${provider.as.url} type=${type} ${type === 'refreshOnly' ? 'interval=00:00:00:01 ' : ''}retry="1 +"`,
    `searchbase="${suffix}" scope=sub filter="(objectClass=*)" attrs="*,+" schemachecking=off`,
    `bindmethod=simple binddn="${administrator}" credentials="${password}"`,
  ].join(' ');
  return await createSlapd(folder, 'copy', { dn: rootDn, password: 'secret' }, [
    'moduleload back_mdb',
    'sizelimit unlimited',
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${rootDn}"`,
    'rootpw secret',
    `directory ${database}`,
    'maxsize 1073741824',
    // Nothing here is meant to survive a loss of power.
    'dbnosync',
    'index entryUUID,entryCSN eq',
    follow,
  ]);
}

/** Debian's slapd as a proxy in front of a server: it passes on who binds, and the rights are the server's. */
export function createProxy(folder: string, server: Peer): Promise<Peer> {
  return createSlapd(folder, 'proxy', { dn: administrator, password }, [
    'moduleload back_ldap',
    // Who may write is for the server to say.
    'allow update_anon',
    'sizelimit unlimited',
    'database ldap',
    `suffix "${suffix}"`,
    `uri "${server.as.url}"`,
    'rebind-as-user yes',
    'chase-referrals no',
    'access to * by * write',
  ]);
}

async function createSlapd(folder: string, name: string, as: Omit<LdapUtilsTarget, 'url'>, lines: readonly string[]): Promise<Peer> {
  const config = join(folder, `${name}.conf`);
  const schema = await slapdSchema(folder);
  writeFileSync(config, [...schema, 'modulepath /usr/lib/ldap', 'loglevel none', ...lines, ''].join('\n'));
  const port = await freePort();
  const start = () => startServer('/usr/sbin/slapd', ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'], port, process.env);
  return peer(port, { url: `ldap://127.0.0.1:${port}`, ...as }, start);
}

function peer(port: number, as: LdapUtilsTarget, begin: () => Promise<{ child: ChildProcess }>): Peer {
  let child: ChildProcess | undefined;
  const end = async (stop: (running: ChildProcess) => Promise<void>) => {
    const running = child;
    child = undefined;
    if (running !== undefined) await stop(running);
  };
  return {
    port,
    as,
    get running() {
      return child !== undefined;
    },
    async start() {
      child ??= (await begin()).child;
    },
    stop: () => end(stopProgram),
    kill: () =>
      end((running) => {
        const gone = new Promise<void>((resolve) => running.once('exit', () => resolve()));
        running.kill('SIGKILL');
        return gone;
      }),
  };
}
