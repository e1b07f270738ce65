import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, runProgram, startServer, stopProgram } from '../../bench/process.ts';
import { runLdapTool } from '../support/ldap-utils.ts';

const program = '/usr/sbin/ns-slapd';
const suffix = 'dc=old,dc=example';
const manager = { dn: 'cn=Directory Manager', password: 'Secret123' };

export interface Exported389 {
  /** What `ns-slapd db2ldif` writes. */
  readonly tree: string;
  /** The schema that was added to the server, as it keeps it. */
  readonly schema: string;
}

/**
 * Fills a 389 Directory Server of Debian's, which needs no systemd for that, and has it write what it holds.
 *
 * @param steps  LDIF for ldapmodify, one after the other; a step may name a person who fails to sign in
 */
export async function exportFrom389(steps: readonly (string | { readonly wrongFor: string })[]): Promise<Exported389> {
  // The server takes a name with slapd- in it for that of an instance.
  const folder = mkdtempSync(join(tmpdir(), 'atrium-389-'));
  try {
    const port = await freePort();
    const conf = configure(folder, port);
    const { child } = await startServer(program, ['-D', conf, '-i', join(folder, 'pid'), '-d', '0'], port, process.env);
    const url = `ldap://127.0.0.1:${port}`;
    for (const step of steps) {
      if (typeof step !== 'string') {
        await runLdapTool('ldapwhoami', { url, dn: step.wrongFor, password: 'wrong' }, []);
        continue;
      }
      const { status, stderr } = await runLdapTool('ldapmodify', { url, ...manager }, ['-a'], step);
      if (status !== 0) throw new Error(stderr);
    }
    await stopProgram(child);
    const out = join(folder, 'out.ldif');
    await runProgram(program, ['db2ldif', '-D', conf, '-n', 'userRoot', '-a', out]);
    return { tree: readFileSync(out, 'utf8'), schema: readFileSync(join(conf, 'schema', '99user.ldif'), 'utf8') };
  } catch (error) {
    process.stderr.write(readFileSync(join(folder, 'log', 'errors'), 'utf8'));
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The backend of the suffix, which a fresh server does not have. */
export const backend = `dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config
objectClass: top
objectClass: extensibleObject
objectClass: nsBackendInstance
cn: userRoot
nsslapd-suffix: ${suffix}

dn: cn="${suffix}",cn=mapping tree,cn=config
objectClass: top
objectClass: extensibleObject
objectClass: nsMappingTree
cn: ${suffix}
nsslapd-state: backend
nsslapd-backend: userRoot
`;

/** A folder from the server's own template, as dscreate makes one. */
function configure(folder: string, port: number): string {
  const at = (name: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  };
  const conf = at('conf');
  const salt = Buffer.from('12345678');
  const digest = createHash('sha512').update(manager.password).update(salt).digest();
  const values: Readonly<Record<string, string>> = {
    config_dir: conf,
    cert_dir: conf,
    schema_dir: at('conf/schema'),
    db_dir: at('db'),
    db_home_dir: at('db'),
    db_lib: 'bdb',
    bak_dir: at('bak'),
    ldif_dir: at('ldif'),
    lock_dir: at('lock'),
    log_dir: at('log'),
    run_dir: at('run'),
    tmp_dir: at('tmp'),
    inst_dir: folder,
    ds_passwd: `{SSHA512}${Buffer.concat([digest, salt]).toString('base64')}`,
    ds_port: String(port),
    ds_user: 'root',
    ds_suffix: suffix,
    rootdn: manager.dn,
    fqdn: 'localhost',
    ldapi: join(folder, 'run', 'ldapi'),
    ldapi_enabled: 'off',
    ldapi_autobind: 'off',
  };
  const template = readFileSync('/usr/share/dirsrv/data/template-dse.ldif', 'utf8');
  writeFileSync(
    join(conf, 'dse.ldif'),
    template.replace(/%([a-z_]+)%/g, (_, name: string) => values[name] ?? ''),
  );
  cpSync('/etc/dirsrv/schema/99user.ldif', join(conf, 'schema', '99user.ldif'));
  for (const name of ['slapd-collations.conf', 'certmap.conf']) cpSync(join('/etc/dirsrv/config', name), join(conf, name));
  return conf;
}
