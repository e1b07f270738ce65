import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatLdifRecord } from '#ldap';
import { freePort, runProgram, startServer, stopProgram } from '../../../bench/process.ts';
import { findProgram } from '../../support/programs.ts';
import { makeAuthority } from './certificates.ts';
import { personSubject, type World, worldContent, worldEnvironment } from './world.ts';

const suffix = 'dc=example,dc=com';
const administrator = `uid=admin,ou=people,${suffix}`;
const password = 'Correct-horse-7-battery';

/** The same world in Debian's slapd with everything on: what a client must see there too, or else the client's program is wrong. Needs openssl. */
export async function startSlapdWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-lab-slapd-'));
  const at = (name: string) => join(folder, name);
  mkdirSync(at('data'));
  const authority = await makeAuthority(folder);
  // libldap looks for the machine's own name where it was told `localhost`.
  await authority.sign('cert', '/CN=localhost', 'serverAuth', `DNS:localhost,DNS:${hostname()}`);
  const client = await authority.sign('jmueller', personSubject(suffix), 'clientAuth');
  // The groups that are loaded are those of rfc2307bis, which Debian does not have: posixGroup beside groupOfNames.
  const nis = readFileSync('/etc/ldap/schema/nis.schema', 'utf8');
  writeFileSync(at('nis.schema'), nis.replace(/('posixGroup'[^)]*?)STRUCTURAL/, '$1AUXILIARY'));
  writeFileSync(at('slapd.conf'), configuration(folder));
  const frame = ['dn: dc=example,dc=com\nobjectClass: organization\nobjectClass: dcObject\no: example\ndc: example\n\n'];
  for (const ou of ['people', 'groups']) frame.push(`dn: ou=${ou},${suffix}\nobjectClass: organizationalUnit\nou: ${ou}\n\n`);
  writeFileSync(at('content.ldif'), [...frame, ...[...worldContent(suffix)].map(formatLdifRecord)].join(''));
  await runProgram('/usr/sbin/slapadd', ['-q', '-f', at('slapd.conf'), '-l', at('content.ldif')], process.env);

  const [port, tlsPort] = [await freePort(), await freePort()];
  const socket = at('ldapi');
  const doors = `ldap://localhost:${port} ldaps://localhost:${tlsPort} ldapi://${encodeURIComponent(socket)}`;
  const slapd = findProgram('slapd') ?? 'slapd';
  const { child } = await startServer(slapd, ['-f', at('slapd.conf'), '-h', doors, '-d', '0'], port, process.env);
  return {
    environment: worldEnvironment('slapd', {
      suffix,
      port: String(port),
      tlsPort: String(tlsPort),
      socket,
      ca: authority.caFile,
      client,
      administrator,
      password,
    }),
    [Symbol.asyncDispose]: async () => {
      await stopProgram(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string): string {
  return [
    ...['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    `include ${join(folder, 'nis.schema')}`,
    'modulepath /usr/lib/ldap',
    ...['back_mdb', 'sssvlv', 'deref', 'dds', 'syncprov', 'memberof', 'dynlist'].map((name) => `moduleload ${name}`),
    `TLSCertificateFile ${join(folder, 'cert.pem')}`,
    `TLSCertificateKeyFile ${join(folder, 'cert.key')}`,
    `TLSCACertificateFile ${join(folder, 'ca.pem')}`,
    'TLSVerifyClient try',
    'password-hash {CLEARTEXT}',
    `authz-regexp "uid=([^,]*),cn=[^,]*,cn=auth" "uid=$1,ou=people,${suffix}"`,
    'sasl-auxprops slapd',
    'loglevel none',
    'sizelimit 5000',
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${administrator}"`,
    `rootpw ${password}`,
    `directory ${join(folder, 'data')}`,
    'maxsize 1073741824',
    'dbnosync',
    'index objectClass,uid,member,entryUUID,entryCSN eq',
    'index cn,sn,mail eq,sub,approx',
    'overlay sssvlv',
    'overlay deref',
    'overlay syncprov',
    'access to attrs=userPassword by self write by anonymous auth by * none',
    'access to * by self write by users read by * none',
    '',
  ].join('\n');
}
