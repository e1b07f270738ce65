import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, runProgram, startServer, stopProgram } from '../../../bench/process.ts';
import { startTestAtrium } from '../../support/atrium.ts';
import { type LdapUtilsTarget, runLdapTool } from '../../support/ldap-utils.ts';
import { findProgram } from '../../support/programs.ts';
import { makeAuthority } from '../lab/certificates.ts';
import { content, forAtrium, forSlapd, people, suffix } from './content.ts';

/** One of the two servers, with the same entries below the same suffix, and the ways into it. */
export interface World {
  readonly ldap: string;
  readonly ldaps: string;
  readonly ldapi: string;
  /** Of the authority that its certificate is signed by. */
  readonly caFile: string;
  /** What ada shows who binds by a certificate. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Starts it on its data when it is not there any more: slapd 2.5 at times falls (SIGSEGV) a moment after it has answered the end of a transaction. */
  readonly startAgain?: () => Promise<void>;
}

/** The two that are compared. */
export interface Worlds extends AsyncDisposable {
  readonly atrium: World;
  readonly slapd: World;
}

const administrator = `uid=admin,${people}`;
const administratorPassword = 'Correct-horse-7-battery';

/** Who asks, by the name that cases use. Everyone but the administrator has the password `Secret 1 of` and their name. */
export function simpleBind(who: string): Pick<LdapUtilsTarget, 'dn' | 'password'> {
  if (who === 'nobody') return {};
  if (who === 'admin') return { dn: administrator, password: administratorPassword };
  return { dn: `uid=${who},${people}`, password: `Secret 1 of ${who}` };
}

/** Starts both and fills them. Needs ldap-utils, slapd and openssl. */
export async function startWorlds(): Promise<Worlds> {
  const stack = new AsyncDisposableStack();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-reference-'));
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    const authority = await makeAuthority(folder);
    // libldap looks for the machine's own name where it was told `localhost`.
    const [shown] = [
      await authority.sign('ada', '/DC=com/DC=example/OU=people/UID=ada', 'clientAuth'),
      await authority.sign('server', '/CN=localhost', 'serverAuth', `DNS:localhost,DNS:${hostname()}`),
    ];
    const [atrium, slapd] = await Promise.all([startAtrium(stack, authority.caFile), startSlapd(stack, folder)]);
    return {
      atrium: { ...atrium, ...shown },
      slapd: { ...slapd, ...shown, caFile: authority.caFile },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

type Doors = Pick<World, 'ldap' | 'ldaps' | 'ldapi' | 'startAgain'>;

async function startAtrium(stack: AsyncDisposableStack, clientCa: string): Promise<Doors & { readonly caFile: string }> {
  const settings = {
    STS_REALMS_DEFAULT_SUFFIX: suffix,
    STS_SECURITY_SCRAM_ITERATIONS: '4096',
    STS_LDAP_CLIENT_CA_FILE: clientCa,
    STS_LDAP_CLIENT_CERTIFICATE_RULE: 'subject',
    STS_LDAP_SEARCH_SIZE_LIMIT: String(entriesMax),
  };
  const atrium = stack.use(await startTestAtrium({ settings }));
  const { ldap = '', ldaps = '', operators = '' } = atrium.addresses;
  const added = await runLdapTool('ldapadd', { url: operators, external: true }, ['-M'], `${forAtrium}${content}`);
  if (added.status !== 0) throw new Error(`Atrium took not all of it: ${added.stderr}`);
  return { ldap, ldaps, ldapi: operators, caFile: join(atrium.dataDir, 'tls', 'ca.pem') };
}

/** What a person's search may give, of both. */
const entriesMax = 2;

async function startSlapd(stack: AsyncDisposableStack, folder: string): Promise<Doors> {
  const at = (name: string) => join(folder, name);
  mkdirSync(at('data'));
  writeFileSync(at('slapd.conf'), configuration(folder));
  writeFileSync(at('content.ldif'), `${forSlapd}${content}`);
  await runProgram('/usr/sbin/slapadd', ['-q', '-f', at('slapd.conf'), '-l', at('content.ldif')]);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const doors = {
    ldap: `ldap://localhost:${port}`,
    ldaps: `ldaps://localhost:${tlsPort}`,
    ldapi: `ldapi://${encodeURIComponent(at('ldapi'))}`,
  };
  const program = findProgram('slapd') ?? 'slapd';
  const start = async () => {
    const args = ['-f', at('slapd.conf'), '-h', Object.values(doors).join(' '), '-d', '0'];
    const { child } = await startServer(program, args, port, process.env);
    return child;
  };
  let child = await start();
  stack.defer(() => stopProgram(child));
  let starting: Promise<void> | undefined;
  const again = async () => {
    await stopProgram(child);
    child = await start();
    starting = undefined;
  };
  return {
    ...doors,
    startAgain() {
      starting ??= again();
      return starting;
    },
  };
}

/** Everything on that the cases are about, and rights as Atrium gives them. */
function configuration(folder: string): string {
  // The overlays come as Debian has them; what they keep is configured as Atrium does it by itself.
  const overlays = ['sssvlv', 'deref', 'dds', 'syncprov', 'refint', 'memberof', 'valsort', 'unique'];
  return [
    ...['core', 'cosine', 'inetorgperson', 'nis', 'dyngroup'].map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    ...['back_mdb', ...overlays].map((name) => `moduleload ${name}`),
    `TLSCertificateFile ${join(folder, 'server.pem')}`,
    `TLSCertificateKeyFile ${join(folder, 'server.key')}`,
    `TLSCACertificateFile ${join(folder, 'ca.pem')}`,
    'TLSVerifyClient try',
    'authz-policy to',
    `authz-regexp "uid=([^,]*),(cn=[^,]*,)*cn=auth" "uid=$1,${people}"`,
    `authz-regexp "gidNumber=0.uidNumber=0,cn=peercred,cn=external,cn=auth" "${administrator}"`,
    'sasl-secprops none',
    'password-hash {CLEARTEXT}',
    'loglevel none',
    `sizelimit ${entriesMax}`,
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${administrator}"`,
    `rootpw ${administratorPassword}`,
    `directory ${join(folder, 'data')}`,
    'maxsize 104857600',
    // Nothing here is meant to survive a loss of power.
    'dbnosync',
    'index objectClass,uid,member,entryUUID,entryCSN eq',
    'access to attrs=userPassword by self write by anonymous auth by * none',
    'access to attrs=employeeNumber,authzTo by self read by * auth',
    'access to * by users read by anonymous auth',
    ...overlays.flatMap((name) => [`overlay ${name}`, ...(options[name] ?? [])]),
    '',
  ].join('\n');
}

const options: Readonly<Record<string, readonly string[]>> = {
  sssvlv: ['sssvlv-max 1000'],
  syncprov: ['syncprov-sessionlog 1000'],
  refint: ['refint_attributes member owner manager seeAlso'],
  unique: [`unique_uri ldap:///${people}?employeeNumber?sub`],
};
